"""Find the definition files below a folder.

Links to folders are followed (dotfile managers make them) within bounds, each real folder once;
hidden folders and dependency trees are passed by.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.boundary import named_boundaries
from secretary_tui.registry.findings import noted, refused
from secretary_tui.registry.spec import Finding

MAX_FILES = 20_000
"""More than this is no library of agents but a folder named by mistake."""
MAX_FOLDERS = 20_000
MAX_DEPTH = 16
SETTLED_NS = 100_000_000
"""A file this young may change again and keep its time stamp: file systems' clocks are coarse."""
_PASSED_BY = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_OTHER_FORMATS = frozenset({"SKILL.md"})

Signature = tuple[int, int, int, int]
"""Modification time in ns, size, inode, device: whether a file is still what it was."""
_LEADS_OUT = (
    "this link leads to a folder outside of what it belongs to, so it is passed by; to have its "
    "agents in every project, name that folder in the setting agents_folders"
)
_Place = tuple[int, int]
_Below = tuple[str, int, _Place]
"""A folder, how deep it lies, and its device and inode."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a folder holds, in path order."""

    files: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    """Every folder that was read, and those that linked files lie in: what a watcher watches."""
    findings: tuple[Finding, ...] = ()


@dataclass(slots=True)
class Listing:
    """What a folder holds, in no order; plain paths, since there may be thousands."""

    files: dict[str, Signature | None] = field(default_factory=dict)
    """Each definition file with its signature; None for one that can't be looked at."""
    folders: dict[str, None] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def scan(root: Path) -> Scan:
    """List the `.md` files at any depth below a folder that the user named; none when missing."""
    listing = list_files(root, named_boundaries(root))
    return Scan(
        tuple(sorted(map(Path, listing.files))),
        tuple(map(Path, listing.folders)),
        tuple(listing.findings),
    )


def list_files(root: Path, within: Sequence[Path]) -> Listing:
    """List the definition files at any depth below `root`, each looked at once.

    A link to a folder, `root` included, is followed only to what lies in one of `within`.
    """
    listing = Listing()
    try:
        info = root.stat()
    except (FileNotFoundError, ValueError):
        return listing
    except OSError as error:
        listing.findings.append(_unreadable(str(root), error))
        return listing
    if not paths.stays_inside(root, *within):
        listing.findings.append(refused(root, _LEADS_OUT))
        return listing
    seen: set[_Place] = set()
    waiting: list[_Below] = [(str(root), 0, (info.st_dev, info.st_ino))]
    while waiting:
        folder, depth, place = waiting.pop()
        if place in seen:
            path = Path(folder)
            if path.is_symlink():
                message = "this link leads to a folder that was read already; it is passed by"
                listing.findings.append(noted(path, message))
            continue
        seen.add(place)
        try:
            with os.scandir(folder) as entries:
                below = _take(entries, depth, listing, within)
        except FileNotFoundError:
            continue
        except OSError as error:
            listing.findings.append(_unreadable(folder, error))
            continue
        listing.folders[folder] = None
        waiting += sorted(below, reverse=True)
        if len(listing.files) > MAX_FILES:
            message = f"more than {MAX_FILES:,} files; only the first are read. Name a sub-folder"
            listing.findings.append(noted(root, message))
            listing.files = dict(sorted(listing.files.items())[:MAX_FILES])
            break
        if len(seen) >= MAX_FOLDERS and waiting:
            message = f"more than {MAX_FOLDERS:,} folders; the rest is not read. Name a sub-folder"
            listing.findings.append(noted(root, message))
            break
    return listing


def _take(
    entries: Iterable[os.DirEntry[str]], depth: int, listing: Listing, within: Sequence[Path]
) -> list[_Below]:
    """Take the files of one folder; gives the folders in it."""
    below: list[_Below] = []
    files = listing.files
    for entry in entries:
        name = entry.name
        if name[0] == ".":
            continue
        if _is_folder(entry):
            stamp = _entry_signature(entry)
            if stamp is None or name in _PASSED_BY or depth >= MAX_DEPTH:
                continue
            if entry.is_symlink() and not paths.stays_inside(Path(entry.path), *within):
                listing.findings.append(refused(Path(entry.path), _LEADS_OUT))
            else:
                below.append((entry.path, depth + 1, (stamp[3], stamp[2])))
        elif name.endswith((".md", ".MD", ".Md", ".mD")) and name not in _OTHER_FORMATS:
            files[entry.path] = _entry_signature(entry)
            if entry.is_symlink():
                listing.folders[str(Path(os.path.realpath(entry.path)).parent)] = None
    return below


def _unreadable(folder: str, error: OSError) -> Finding:
    message = f"the folder can't be read ({error.strerror}); check its permissions"
    return refused(Path(folder), message)


def is_definition(path: Path) -> bool:
    """Whether a file's name can be an agent's: visible markdown that is no skill."""
    name = path.name
    return name.lower().endswith(".md") and name[0] != "." and name not in _OTHER_FORMATS


def signature(path: str | Path) -> Signature | None:
    """A file's signature; None when it can't be looked at."""
    try:
        info = Path(path).stat()
    except (OSError, ValueError):
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino, info.st_dev


def _entry_signature(entry: os.DirEntry[str]) -> Signature | None:
    try:
        info = entry.stat()
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino, info.st_dev


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
