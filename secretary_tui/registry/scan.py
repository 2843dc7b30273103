"""Find the definition files below a folder.

Links to folders are followed (dotfile managers make them), each real folder once; hidden folders
and dependency trees are passed by.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.registry.findings import noted, refused
from secretary_tui.registry.spec import Finding

MAX_FILES = 10_000
"""More than this is no library of agents but a folder named by mistake."""
MAX_DEPTH = 16
_PASSED_BY = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_OTHER_FORMATS = frozenset({"SKILL.md"})


@dataclass(frozen=True, slots=True)
class Scan:
    """What a folder holds, in path order."""

    files: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    """Every folder that was read, and those that linked files lie in: what a watcher watches."""
    findings: tuple[Finding, ...] = ()


def scan(root: Path) -> Scan:
    """List the `.md` files at any depth below `root`; a missing folder holds none."""
    files: list[Path] = []
    folders: list[Path] = []
    findings: list[Finding] = []
    seen: set[tuple[int, int]] = set()
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            info = folder.stat()
            if (info.st_dev, info.st_ino) in seen:
                if folder.is_symlink():
                    message = "this link leads to a folder that was read already; it is passed by"
                    findings.append(noted(folder, message))
                continue
            seen.add((info.st_dev, info.st_ino))
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            message = f"the folder can't be read ({error.strerror}); check its permissions"
            findings.append(refused(folder, message))
            continue
        folders.append(folder)
        below: list[tuple[Path, int]] = []
        for entry in entries:
            path = folder / entry.name
            if _is_folder(entry):
                if entry.name[0] != "." and entry.name not in _PASSED_BY and depth < MAX_DEPTH:
                    below.append((path, depth + 1))
            elif is_definition(path):
                files.append(path)
                if entry.is_symlink():
                    folders.append(Path(os.path.realpath(path)).parent)
        waiting += reversed(below)
        if len(files) > MAX_FILES:
            message = f"more than {MAX_FILES:,} files; only the first are read. Name a sub-folder"
            findings.append(noted(root, message))
            break
    return Scan(tuple(sorted(files[:MAX_FILES])), tuple(folders), tuple(findings))


def is_definition(path: Path) -> bool:
    """Whether a file's name can be an agent's: visible markdown that is no skill."""
    name = path.name
    return name.lower().endswith(".md") and name[0] != "." and name not in _OTHER_FORMATS


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
