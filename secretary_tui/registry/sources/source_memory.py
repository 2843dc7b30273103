"""The sources as they were found last, used again while nothing they depend on has changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from operator import attrgetter
from pathlib import Path

from secretary_tui import paths
from secretary_tui.registry.sources.library_options import LibraryOptions
from secretary_tui.registry.sources.places import JsonFiles
from secretary_tui.registry.sources.sources import SourceList, find_sources

_SETTLED_NS = 2_000_000_000
"""A path this young may change again and keep its time stamps: file systems' clocks are coarse,
those of network drives most of all."""
_Stamp = tuple[int, int, int, int]
_stamp = attrgetter("st_ctime_ns", "st_mtime_ns", "st_ino", "st_dev")


class SourceMemory:
    """Finds the sources of one project.

    What `find_sources` waits for is all that it looks at: as long as each of these paths is what
    it was, or still missing, the sources are too. Checking that takes a fraction of finding them.
    """

    def __init__(self, project: Path) -> None:
        self._project = project
        self._json = JsonFiles()
        self._found: SourceList | None = None
        self._asked: object = None
        self._there: list[tuple[Path, _Stamp]] = []
        self._missing: list[str] = []

    def find(self, options: LibraryOptions) -> SourceList:
        """The sources as they are now. Never raises."""
        asked = (options, Path.home(), paths.repository_root(self._project))
        if self._found is None or self._asked != asked or self._has_changed():
            found = find_sources(self._project, options=options, files=self._json)
            self._asked = asked if self._remember(found.awaited) else None
            self._found = found
        return self._found

    def _has_changed(self) -> bool:
        try:
            return any(_stamp(path.stat()) != stamp for path, stamp in self._there) or any(
                os.access(name, os.F_OK) for name in self._missing
            )
        except (OSError, ValueError):
            return True

    def _remember(self, awaited: Iterable[Path]) -> bool:
        """Note what the paths are; False when one is so young that it may yet change unseen."""
        self._there.clear()
        self._missing.clear()
        for path in awaited:
            try:
                self._there.append((path, _stamp(path.stat())))
            except (OSError, ValueError):
                self._missing.append(str(path))
        newest = max((stamp[0] for _, stamp in self._there), default=0)
        return time.time_ns() - newest > _SETTLED_NS
