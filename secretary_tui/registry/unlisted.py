"""Agent files that lie in the project folder and belong to no source.

A collection of agents keeps its files anywhere, while only `.claude/agents` and plugins are looked
into: whoever opens such a folder would see none of them and no reason why.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.sources.scan import is_definition

ENOUGH = 3
"""From this many files on it is a collection, and not an example in somebody's documentation."""
MAX_FOLDERS, MAX_FILES, MAX_DEPTH = 2_000, 3_000, 5
"""How much is looked at: this is a hint, and a project may be a whole disk."""
_HEAD = 2_048
"""Bytes of a file in which its name and description begin."""
_NEARLY_ALL = 0.9
_PASSED_BY = frozenset(
    {"node_modules", "__pycache__", "venv", "site-packages", "vendor", "target", "build", "dist"}
    | {"tests", "test", "fixtures", "commands", "skills", "prompts", "output-styles", "hooks"}
)
"""Folders of dependencies, of what was built, and of markdown that is something else."""
_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?\s*---[ \t]*\r?\n(.*?)(?:^---[ \t]*\r?$|\Z)", re.S | re.M)
_NAME = re.compile(rb"^[ \t]*name[ \t]*:[ \t]*\S", re.M)
_DESCRIPTION = re.compile(rb"^[ \t]*description[ \t]*:[ \t]*\S", re.M)


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A collection of agents that no source leads to."""

    folder: Path
    """The deepest folder that holds (nearly) all of them."""
    count: int
    """How many there are in it, as far as was looked."""

    @property
    def sentence(self) -> str:
        """What the user wants to know, without the way to change it."""
        return f"{self.count:,} agent files lie in {paths.shown(self.folder)} and are not a source"


def find_unlisted(project: Path, index: AgentIndex) -> Unlisted | None:
    """Look for a collection below `project` that is not in `index`; None where there is none.

    Blocks for file access, bounded by `MAX_FOLDERS` and `MAX_FILES`. Never raises.
    """
    project = project.absolute()
    if project in (Path.home(), Path(project.anchor)):
        return None  # What lies there is of many projects.
    listed = {str(entry.spec.path) for entry in index.entries}
    listed |= {str(problem.path) for problem in index.problems}
    files = [Path(name) for name in _candidates(str(project)) if name not in listed]
    if len(files) < ENOUGH:
        return None
    found = [path for path in files if _is_agent(path)]
    known = {entry.spec.path.resolve() for entry in index.entries} if found else set()
    found = [path for path in found if path.resolve() not in known]
    if len(found) < ENOUGH:
        return None
    folder = _common(project, found)
    if any(_is_below(folder, entry.spec.path) for entry in index.entries):
        return None  # It is read in part, as plugins: all of it would list those twice.
    return Unlisted(folder, sum(path.is_relative_to(folder) for path in found))


def _is_below(folder: Path, path: Path) -> bool:
    if not path.is_relative_to(folder):
        return False
    return not any(part.startswith(".") for part in path.relative_to(folder).parts)


def _candidates(project: str) -> list[str]:
    """The markdown files of the visible folders, those that lie nearest first."""
    files: list[str] = []
    level = [project]
    folders = 0
    for _ in range(MAX_DEPTH + 1):
        below: list[str] = []
        for folder in level:
            folders += 1
            if folders > MAX_FOLDERS or len(files) > MAX_FILES:
                return files[:MAX_FILES]
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.name[0] == ".":
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            if entry.name not in _PASSED_BY:
                                below.append(entry.path)
                        elif is_definition(Path(entry.name)):
                            files.append(entry.path)
            except OSError:
                continue  # Not ours to read: no hint about it.
        level = below
    return files[:MAX_FILES]


def _is_agent(path: Path) -> bool:
    """Whether a file begins with frontmatter that has a name and a description."""
    try:
        if not path.is_file():  # A pipe would wait for its writer.
            return False
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    match = _OPENING.match(head)
    return bool(match and _NAME.search(match[1]) and _DESCRIPTION.search(match[1]))


def _common(project: Path, found: list[Path]) -> Path:
    """Go down from the project as long as one folder holds nearly all of the files."""
    folder = project
    while True:
        depth = len(folder.parts)
        inside = [path.parts for path in found if path.is_relative_to(folder)]
        below = Counter(parts[depth] for parts in inside if len(parts) > depth + 1)
        name, count = max(below.items(), key=lambda item: item[1], default=("", 0))
        if count < _NEARLY_ALL * len(inside):
            return folder
        folder /= name
