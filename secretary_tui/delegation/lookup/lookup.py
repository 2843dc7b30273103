"""Looks up files, definitions, lines and changes that a run may see; no model is involved."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from secretary_tui.delegation.lookup.looked_up import Excerpt, LookedUp
from secretary_tui.delegation.lookup.pieces import MIN_PIECE, SourceFile
from secretary_tui.delegation.lookup.project_changes import Change, ProjectChanges
from secretary_tui.delegation.lookup.project_sight import ProjectSight
from secretary_tui.delegation.lookup.request_lookup import RequestLookup, find_definitions, search
from secretary_tui.delegation.lookup.request_names import FileNames, content_words
from secretary_tui.delegation.lookup.request_topic import stem_of
from secretary_tui.delegation.workspace.threads import in_daemon_thread

TIMEOUT_S = 3.0
"""Time for one look-up; a run begins without what isn't found by then."""
Result = TypeVar("Result")


class ProjectLookup:
    """Looks things up in one project, off the event loop."""

    def __init__(self, sight: ProjectSight) -> None:
        self._sight = sight

    async def look_up(self, request: str, budget: int, *, shows_all: bool = True) -> LookedUp:
        """Look up what a request names, in at most `budget` tokens; nothing where time is up.

        `shows_all`: whether a very small project is shown whole where nothing is named.
        """
        if budget < MIN_PIECE or not self._sight.may_read:
            return LookedUp()

        def find() -> LookedUp:
            return RequestLookup(self._sight, request, budget, shows_all=shows_all).run()

        return await self._in_time(find) or LookedUp()

    async def file(self, path: str, budget: int, about: str = "") -> Excerpt | None:
        """Read a file: all of it, the part that shares most words with `about`, or its head."""

        def read() -> Excerpt | None:
            names = FileNames(self._sight.listed, self._sight.dotted, self._sight.is_file)
            found = next(iter(names.exact(path)), path)
            text = self._sight.text(found)
            stems = [stem_of(word) for word in content_words(about)]
            return SourceFile(found, text).best(stems, budget)[0] if text is not None else None

        return await self._in_time(read)

    async def is_there(self, path: str) -> bool:
        """Whether there is such a file in the project, though it may not be read."""
        return await self._in_time(lambda: self._sight.is_file(path)) is not False

    async def source(self, path: str) -> str:
        """Give all of a file as it is, not cleaned; empty where it may not be read."""
        return await self._in_time(lambda: self._sight.source(path)) or ""

    async def symbol(self, name: str, budget: int) -> Excerpt | None:
        """Find the definition of a function, class, constant, key or section."""

        def find() -> Excerpt | None:
            for file, one in find_definitions(self._sight, [name]).values():
                return file.piece(one.first, one.last, budget)
            return None

        return await self._in_time(find)

    async def search(self, text: str, budget: int) -> Excerpt | None:
        """Find the lines that contain a text, with their paths and numbers."""
        return await self._in_time(lambda: search(self._sight, text, budget))

    def files(self) -> tuple[str, ...]:
        """List the files that may be looked at, nearest to the top first."""
        return tuple(path for path in self._sight.listed if self._sight.may_show(path))

    async def change(self, which: Change = Change.UNCOMMITTED) -> tuple[Excerpt, ...]:
        """Read a change, one excerpt for each file, of any length; empty where there is none."""
        return await self._in_time(lambda: ProjectChanges(self._sight).change(which)) or ()

    async def parts(self, path: str, budget: int) -> tuple[Excerpt, ...]:
        """Cut a file into pieces of at most `budget` tokens, in order, between definitions."""

        def cut() -> tuple[Excerpt, ...]:
            text = self._sight.text(path)
            return SourceFile(path, text).parts(budget) if text else ()

        return await self._in_time(cut) or ()

    async def _in_time(self, work: Callable[[], Result]) -> Result | None:
        try:
            return await in_daemon_thread(work, TIMEOUT_S)
        except OSError:  # Time is up, or something could not be looked at.
            return None
