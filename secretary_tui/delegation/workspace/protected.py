"""What stands in a project that makes other programs run something, and where it leads.

Names alone don't say it: a protected name may be a link, git's folder may lie elsewhere, and git
also obeys a folder that merely looks like one of its own (a bare repository).
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths

PROTECTED_NAMES = (".git", ".claude", ".mcp.json", ".envrc")
"""Always asked, in any folder and letter case; read-only in the sandbox."""
INSTRUCTION_NAMES = ("claude.md", "claude.local.md")
"""In lower case: files of these names, in any folder, are instructions for later runs."""
GIT_HEAD = "HEAD"
"""Without a file of this name, git takes no folder for a repository."""
MAX_ENTRIES = 400_000
"""A larger project is searched in part, nearest folders first."""
_MAX_POINTER_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Protected:
    """The protected things of one project, as they stood at one moment."""

    things: frozenset[Path]
    """Files and folders with a protected name."""
    repositories: frozenset[Path]
    """Folders that git takes for a repository by what is in them."""
    links: dict[Path, str]
    """Symlinks with a protected name, and what is written in them."""
    targets: frozenset[Path]
    """Where links, `gitdir:` and `commondir` really lead; may be outside, may not exist."""
    unread: frozenset[Path]
    """Folders that could not be listed."""
    is_complete: bool
    """False when the project was too large to be searched."""


def has_protected_name(name: str) -> bool:
    """Whether a file or folder of this name is protected wherever it stands."""
    return name.casefold() in PROTECTED_NAMES


def is_program_state(path: Path) -> bool:
    """Whether a file is one of the program's own: settings, answers, what it read before."""
    ours = (paths.state_dir(), paths.config_dir(), paths.data_dir(), paths.cache_dir())
    inside = any(path.is_relative_to(folder.resolve()) for folder in ours)
    return inside and not path.is_relative_to(paths.worktrees_dir().resolve())


def find_protected(root: Path, max_entries: int = MAX_ENTRIES) -> Protected:
    """Search a project without following links; what is inside protected folders is left out."""
    things: set[Path] = set()
    repositories: set[Path] = set()
    links: dict[Path, str] = {}
    unread: set[Path] = set()
    left = max_entries
    folders = deque([str(root)])
    while folders and left > 0:
        folder = folders.popleft()
        below: list[str] = []
        try:
            with os.scandir(folder) as scanned:
                entries = list(scanned)
            for entry in entries:
                if has_protected_name(entry.name):
                    path = Path(entry.path)
                    if entry.is_symlink():
                        links[path] = str(path.readlink())
                    else:
                        things.add(path)
                elif entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            unread.add(Path(folder))
            continue
        left -= len(entries)
        if looks_like_git({entry.name for entry in entries}):
            repositories.add(Path(folder))
        else:
            folders.extend(below)
    targets = {Path(os.path.realpath(link)) for link in links}
    for path in [*things, *targets]:
        if path.name.casefold() == ".git" or path in targets:
            targets.update(git_targets(path))
    return Protected(
        things=frozenset(things),
        repositories=frozenset(repositories),
        links=links,
        targets=frozenset(targets),
        unread=frozenset(unread),
        is_complete=not folders,
    )


def looks_like_git(names: set[str]) -> bool:
    """Whether a folder with these entries may be a git repository without being named `.git`."""
    return GIT_HEAD in names and ("commondir" in names or {"objects", "refs"} <= names)


def git_targets(git: Path) -> Iterator[Path]:
    """Give the folders that a `.git` (a file or a folder) sends git to."""
    folder = git
    if git.is_file():
        text = re.sub(r"\Agitdir:\s*", "", _pointer(git))
        if not text:
            return
        folder = Path(os.path.realpath(git.parent / text))
        yield folder
    common = _pointer(folder / "commondir")
    if common:
        yield Path(os.path.realpath(folder / common))


def _pointer(path: Path) -> str:
    try:
        # A FIFO would be waited for.
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            text = os.fsdecode(file.read(_MAX_POINTER_BYTES)).strip()
    except OSError:
        return ""
    return "" if "\x00" in text else text
