"""Find the definition files below a folder.

Links to folders are followed (dotfile managers make them) within bounds, each real folder once;
hidden folders and dependency trees are passed by.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.definition.findings import noted, refused
from secretary_tui.registry.definition.spec import Finding
from secretary_tui.registry.sources.boundary import named_boundaries

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
Place = tuple[int, int]
"""A folder's device and inode."""
_Below = tuple[str, int]
"""A folder, and how deep it lies."""
_stamp: Callable[[os.stat_result], Signature] = attrgetter(
    "st_mtime_ns", "st_size", "st_ino", "st_dev"
)


@dataclass(frozen=True, slots=True)
class FolderScan:
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
    place: Place | None = None
    """Where the root really lies; None when nothing was read."""
    linked: list[str] = field(default_factory=list)
    """Files that are links."""
    is_full: bool = False
    """Whether there is more than is read."""


def scan(root: Path) -> FolderScan:
    """List the `.md` files at any depth below a folder that the user named; none when missing."""
    within = named_boundaries(root)
    listing = list_tree(root, lambda path: paths.stays_inside(path, *within))
    return FolderScan(
        tuple(sorted(map(Path, listing.files))),
        tuple(map(Path, listing.folders)),
        tuple(listing.findings),
    )


def list_tree(root: Path, may_enter: Callable[[Path], bool], known: Place | None = None) -> Listing:
    """List the definition files at any depth below `root`, each looked at once.

    A link to a folder, `root` included, is followed only where `may_enter`; a root that is still
    at the place `known` was found fit before.
    """
    listing = Listing()
    try:
        info = root.stat()
    except (FileNotFoundError, ValueError):
        return listing
    except OSError as error:
        listing.findings.append(_unreadable(str(root), error))
        return listing
    place = (info.st_dev, info.st_ino)
    if place != known and not may_enter(root):
        listing.findings.append(refused(root, _LEADS_OUT))
        return listing
    listing.place = place
    links = _walk(str(root), 0, root, listing)
    # Real folders come first: then a link can only repeat what is known already.
    seen = {place} if not links else {place, *filter(None, map(_place_of, listing.folders))}
    while links:
        name, depth = links.pop()
        link = Path(name)
        if not may_enter(link):
            listing.findings.append(refused(link, _LEADS_OUT))
        elif (target := _place_of(name)) in seen:
            message = "this link leads to a folder that was read already; it is passed by"
            listing.findings.append(noted(link, message))
        elif target is not None:
            before = len(listing.folders)
            links += _walk(name, depth, root, listing)
            seen.update(filter(None, map(_place_of, islice(listing.folders, before, None))))
    for name in listing.linked:
        listing.folders[str(Path(os.path.realpath(name)).parent)] = None
    return listing


def _walk(start: str, depth: int, root: Path, listing: Listing) -> list[_Below]:
    """Take the files of a folder and of the real folders below; gives the links to folders."""
    links: list[_Below] = []
    waiting: list[_Below] = [(start, depth)]
    while waiting and not listing.is_full:
        folder, depth = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                below = _take(entries, depth, listing, links)
        except FileNotFoundError:
            continue
        except OSError as error:
            listing.findings.append(_unreadable(folder, error))
            continue
        listing.folders[folder] = None
        waiting += below
        what = "files" if len(listing.files) > MAX_FILES else ""
        if len(listing.folders) >= MAX_FOLDERS and waiting:
            what = "folders"
        if what:
            listing.is_full = True
            most = MAX_FILES if what == "files" else MAX_FOLDERS
            message = f"more than {most:,} {what}; the rest is not read. Name a sub-folder"
            listing.findings.append(noted(root, message))
            listing.files = dict(sorted(listing.files.items())[:MAX_FILES])
    links.sort(reverse=True)
    return links


def _take(
    entries: Iterable[os.DirEntry[str]], depth: int, listing: Listing, links: list[_Below]
) -> list[_Below]:
    """Take the files of one folder; gives the real folders in it."""
    below: list[_Below] = []
    files = listing.files
    for entry in entries:
        name = entry.name
        if name[0] == ".":
            continue
        try:
            is_folder = entry.is_dir()
        except OSError:
            is_folder = False
        if is_folder:
            if name not in _PASSED_BY and depth < MAX_DEPTH:
                (links if entry.is_symlink() else below).append((entry.path, depth + 1))
        elif name.endswith((".md", ".MD", ".Md", ".mD")) and name not in _OTHER_FORMATS:
            try:
                files[entry.path] = _stamp(entry.stat())
            except OSError:
                files[entry.path] = None
            if entry.is_symlink():
                listing.linked.append(entry.path)
    below.sort(reverse=True)
    return below


def _place_of(name: str) -> Place | None:
    try:
        info = Path(name).stat()
    except (OSError, ValueError):
        return None
    return info.st_dev, info.st_ino


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
    return _stamp(info)
