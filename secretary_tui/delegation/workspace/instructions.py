"""The CLAUDE.md files that hold for a workspace, and the documents that they put in by `@path`.

Claude Code's rules, with two limits: only documents (`.md`, `.txt` …) are put in, for anything else
is the agent's to read under its rules; and none that lies outside of the repository, or for the
user's own file outside of the home folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text
from secretary_tui.sanitize import clean, clean_line

MAX_INSTRUCTIONS = 40_000
"""Characters of instructions that a run carries."""
MAX_INSTRUCTIONS_LOCAL = 4_000
"""The same for a local model, whose context is small and whose reading is slow."""
MAX_DEPTH = 5
"""How far documents may put in others (Claude Code's number)."""
_MAX_FILES = 100
_DOCUMENTS = frozenset((".md", ".mdc", ".markdown", ".txt", ".rst"))
_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"(?<!\S)@([^\s`]{1,500})")


@dataclass(frozen=True, slots=True)
class Instructions:
    """One file of instructions."""

    path: Path
    text: str


def project_instructions(workspace: Path, limit: int = MAX_INSTRUCTIONS) -> str:
    """Give the instructions that hold for a workspace, widest first, cut to `limit`."""
    parts: list[str] = []
    left = limit
    for found in instruction_files(workspace):
        if left <= 0:
            break
        text = found.text
        shown = text if len(text) <= left else f"{text[:left]}\n[cut: the file is longer]"
        left -= len(text)
        parts.append(f"From {clean_line(str(found.path))}:\n{shown}")
    return "\n\n".join(parts)


def instruction_files(workspace: Path) -> Iterator[Instructions]:
    """Every instruction file of a run, each once; a file's imports follow it."""
    seen: set[Path] = set()
    for path, within in _beginnings(workspace):
        yield from _with_imports(path, within, seen, MAX_DEPTH)


def _beginnings(workspace: Path) -> Iterator[tuple[Path, Path]]:
    """The files that may be there, widest first, and the folder each must really lie in."""
    yield Path.home() / ".claude" / "CLAUDE.md", Path.home()
    root = paths.repository_root(workspace).resolve()
    chain = [workspace, *workspace.parents]
    for folder in reversed(chain[: chain.index(root) + 1] if root in chain else [workspace]):
        for name in ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"):
            yield folder / name, root


def _with_imports(path: Path, within: Path, seen: set[Path], depth: int) -> Iterator[Instructions]:
    real = Path(os.path.realpath(path))
    # A link could send any file of the user's to the model, and git's may hold a token.
    if real in seen or ".git" in real.parts or len(seen) >= _MAX_FILES:
        return
    try:
        text = clean(read_small_text(path, within=within)).strip()
    except (FileNotFoundError, UnusableFileError):
        return
    seen.add(real)
    if text:
        yield Instructions(path, text)
    if depth > 0:
        for name in _imports(text):
            target = Path.home() / name[2:] if name.startswith("~/") else path.parent / name
            yield from _with_imports(Path(os.path.normpath(target)), within, seen, depth - 1)


def _imports(text: str) -> Iterator[str]:
    """Give the documents that a text names as `@path`, outside of code."""
    for match in _IMPORT.finditer(_CODE.sub(" ", text)):
        name = match[1].rstrip(".,;:!?)]}'\"")
        if Path(name).suffix.lower() in _DOCUMENTS:
            yield name
