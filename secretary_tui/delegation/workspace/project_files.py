"""The files of a project by name, to complete or ask about: listed fast, never read.

Hidden folders, those that tools fill, and what the project's own `.gitignore` names are left out.
Of a huge project only the top is listed: folders are gone through level by level until time is up.
"""

from __future__ import annotations

import fnmatch
import os
import re
import threading
import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text

UNWATCHED = frozenset(
    (".git", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache")
) | {".ruff_cache", ".pytest_cache", ".hypothesis"}
"""Folders that git and tools fill by themselves."""
MAX_FILES = 5_000
SCAN_S = 0.03
"""Seconds that a listing for one request may take."""
MAX_PATTERNS, LONGEST_PATTERN = 300, 100
"""Of a `.gitignore`; what is beyond isn't looked at."""
FRESH_S = 10.0
"""Seconds for which a listing is not made anew."""
_NONE = re.compile(r"(?!)")


def list_files(
    project: Path, limit: int = MAX_FILES, within_s: float | None = None
) -> tuple[str, ...]:
    """List the files of a project as paths below it, those nearest to its top first.

    Stops at `limit` files and after `within_s` seconds. A folder that can't be read has none.
    """
    deadline = time.monotonic() + within_s if within_s is not None else None
    ignored = _ignored(project)
    found: list[str] = []
    folders = deque([""])
    while folders and len(found) < limit:
        if deadline is not None and time.monotonic() > deadline:
            break
        for path, is_folder in _entries(project, folders.popleft()):
            if deadline is not None and time.monotonic() > deadline:
                break
            if ignored.match(path):
                continue
            (folders if is_folder else found).append(path)
    return tuple(found[:limit])


class ProjectFiles:
    """The listing of one project, kept for some seconds; the next one is made behind the scenes."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._found: tuple[str, ...] | None = None
        self._listed_at = 0.0

    @property
    def is_repository(self) -> bool:
        """Whether the project is under git."""
        return any((folder / ".git").exists() for folder in (self._project, *self._project.parents))

    def paths(self) -> tuple[str, ...]:
        """The files as of some seconds ago; the first time blocking for at most `SCAN_S`."""
        if self._found is None:
            self._list(SCAN_S)
        elif time.monotonic() - self._listed_at > FRESH_S and not self._lock.locked():
            threading.Thread(target=self._list, name="project-files", daemon=True).start()
        return self._found or ()

    def _list(self, within_s: float | None = 1.0) -> None:
        with self._lock:
            self._found = list_files(self._project, within_s=within_s)
            self._listed_at = time.monotonic()


def _entries(project: Path, folder: str) -> Iterator[tuple[str, bool]]:
    """Path and whether it is a folder of what a folder holds, by name; links lead nowhere."""
    try:
        with os.scandir(project / folder) as scanned:
            entries = sorted(islice(scanned, MAX_FILES), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        hidden = is_folder and (entry.name in UNWATCHED or entry.name.startswith("."))
        is_other = not is_folder and not _is_file(entry)
        if not hidden and not is_other and path.isprintable():
            yield path, is_folder


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it is no pipe, socket or broken link; a loop of links can't be looked at."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _ignored(project: Path) -> re.Pattern[str]:
    """What the `.gitignore` at the top names; what it takes back (`!`) stays left out."""
    try:
        lines = read_small_text(project / ".gitignore").splitlines()
    except (OSError, ValueError, UnusableFileError):
        return _NONE
    patterns = []
    for line in lines[:MAX_PATTERNS]:
        name = line.strip().rstrip("/")
        if 0 < len(name) <= LONGEST_PATTERN and not name.startswith(("#", "!")):
            anywhere = "" if "/" in name else "(?:.*/)?"
            whole = fnmatch.translate(name.removeprefix("**/").removeprefix("/"))
            patterns.append(anywhere + whole)
    try:
        return re.compile("|".join(patterns)) if patterns else _NONE
    except re.error:
        return _NONE
