"""An agent's own notes (`memory:` in its frontmatter): in the prompt at the start, kept by Memory.

Claude Code's folders: `~/.claude/agent-memory/NAME` for `user`, and in the project
`.claude/agent-memory/NAME` for `project`, `.claude/agent-memory-local/NAME` for `local`. Whoever
can write notes can steer later runs, so each change asks. The notes of your own agents are
private: an agent of the same name that a repository or a plugin brings has a folder to itself.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text
from secretary_tui.delegation.workspace.workspace import Workspace
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind
from secretary_tui.sanitize import clean, clean_line

MAIN_NOTE = "MEMORY.md"
MAX_LINES = 200
"""Lines of MEMORY.md that the prompt carries (Claude Code's number)."""
MAX_CHARS = 25_000
MAX_NOTES = 100
_OWN = frozenset((SourceKind.USER, SourceKind.USER_OTHER, SourceKind.GIVEN, SourceKind.BUNDLED))
_PLAIN = re.compile(r"(?=.{1,80}\Z)[A-Za-z0-9_][\w-]*(?:\.[\w-]+)*", re.ASCII)
"""What Claude Code's folder and ours are named alike for."""
_FOLDERS = {
    "user": "agent-memory",
    "project": "agent-memory",
    "local": "agent-memory-local",
}


@dataclass(frozen=True, slots=True)
class Memory:
    """The folder of an agent's notes; it needn't exist."""

    base: Workspace
    """The home folder or the project, which the notes can't lead out of."""
    folder: Path

    def path(self, name: str) -> Path:
        """Where a note of this name stands."""
        return self.folder / name

    def names(self) -> list[str]:
        """The notes that are there."""
        root = self.base.root
        if not paths.stays_inside(self.folder, root):
            return []
        try:
            found = sorted(
                path.name
                for path in self.folder.glob("*.md")
                if paths.stays_inside(path, root) and path.is_file()
            )
        except OSError:
            return []
        return found[:MAX_NOTES]

    def read(self, name: str) -> str:
        """Read a note.

        Raises:
            FileNotFoundError: there is none.
            UnusableFileError: it leads elsewhere, is too large or no text.
        """
        return clean(read_small_text(self.path(name), within=self.base.root))

    def opening(self) -> str:
        """The part of MEMORY.md that the prompt carries; empty when there is none."""
        try:
            lines = self.read(MAIN_NOTE).strip().splitlines()
        except (FileNotFoundError, UnusableFileError):
            return ""
        text = "\n".join(lines[:MAX_LINES])[:MAX_CHARS]
        cut = len(lines) > MAX_LINES or len(text) == MAX_CHARS
        return f"{text}\n[cut: the note is longer]" if cut else text


def memory_of(agent: AgentSpec, workspace: Path) -> Memory | None:
    """Find the notes of an agent; None when its definition asks for none."""
    scope = str(agent.metadata.get("memory", "")).strip().lower()
    if scope not in _FOLDERS:
        return None
    root = (Path.home() if scope == "user" else workspace).resolve()
    owner = _owner(agent.source) if scope == "user" else ""
    return Memory(Workspace(root), root / ".claude" / _FOLDERS[scope] / _folder_name(agent, owner))


def _owner(source: Source) -> str:
    """Say who brought an agent; empty for the user's own and for those of this program."""
    if source.kind in _OWN or paths.stays_inside(source.root, paths.user_agents_dir()):
        return ""
    if source.kind is SourceKind.PLUGIN and source.depth > 0:
        # Not its folder, which changes with each version.
        return f"plugin {source.marketplace or ''}"
    return str(source.root.resolve())


def _folder_name(agent: AgentSpec, owner: str) -> str:
    """Name a folder as no other agent's is named: plainly by the id, else with a hash."""
    if not owner and _PLAIN.fullmatch(agent.id):
        return agent.id
    plain = re.sub(r"[^\w.-]+", "-", clean_line(agent.id), flags=re.ASCII).strip(".-")[:60]
    digest = hashlib.sha256(f"{owner}\0{agent.id}".encode(errors="surrogatepass")).hexdigest()
    return f"{plain or 'agent'}~{digest[:16]}"
