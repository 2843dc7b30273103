"""The skills an agent's definition names: their full text, found where Claude Code keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import config, paths
from secretary_tui.events import Notice
from secretary_tui.registry.spec import AgentSpec, SourceKind
from secretary_tui.sanitize import clean, clean_line

MAX_SKILL_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill's instructions, without frontmatter."""

    name: str
    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class LoadedSkills:
    """The skills that were found, in the order named, and a warning for each that wasn't."""

    skills: tuple[Skill, ...] = ()
    notices: tuple[Notice, ...] = ()


def load_skills(agent: AgentSpec, workspace: Path) -> LoadedSkills:
    """Find and read the skills that an agent preloads. Reads files; never raises."""
    found: list[Skill] = []
    notices: list[Notice] = []
    for name in dict.fromkeys(agent.skills):
        shown = clean_line(name)[:80]
        path = next((p for p in _places(name, agent, workspace) if p.is_file()), None)
        if path is None:
            notices.append(
                Notice(
                    f"The skill {shown!r} was not found, so the agent runs without it.", "warning"
                )
            )
            continue
        try:
            if path.stat().st_size > MAX_SKILL_BYTES:
                raise ValueError(f"it is larger than {MAX_SKILL_BYTES // 1000} kB")
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            why = clean_line(str(error))
            notices.append(Notice(f"The skill {shown!r} can't be read: {why}.", "warning"))
            continue
        found.append(Skill(shown, path, clean(_body(text)).strip()))
    return LoadedSkills(tuple(found), tuple(notices))


def plugin_root(agent: AgentSpec) -> Path | None:
    """Find the plugin that an agent's file belongs to; None for an agent of no plugin."""
    if agent.source.kind is not SourceKind.PLUGIN:
        return None
    for folder in agent.path.parents:
        if (folder / ".claude-plugin").is_dir() or (folder / "skills").is_dir():
            return folder
        if folder.name == "agents":
            return folder.parent
    return agent.source.root


def _places(name: str, agent: AgentSpec, workspace: Path) -> Iterator[Path]:
    """Give the files a skill's name may mean, nearest first."""
    plugin, _, bare = name.rpartition(":")
    parts = Path(bare).parts
    if not bare or len(parts) != 1 or parts[0] in (".", "..") or "\x00" in name:
        return
    root = plugin_root(agent)
    if root is not None and plugin in ("", agent.source.plugin):
        yield root / "skills" / bare / "SKILL.md"
    if plugin:
        # Another plugin of the same collection.
        if root is not None and Path(plugin).parts == (plugin,) and plugin != "..":
            yield root.parent / plugin / "skills" / bare / "SKILL.md"
        return
    top = paths.repository_root(workspace)
    for folder in (workspace, *workspace.parents):
        yield folder / ".claude" / "skills" / bare / "SKILL.md"
        if folder == top:
            break
    yield Path.home() / ".claude" / "skills" / bare / "SKILL.md"


def _body(text: str) -> str:
    opening, _, rest = config.split(text)
    return rest.partition("\n")[2] if opening else rest
