"""Read, Glob and Grep of one run: what its rules and its agent's patterns let it see."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from secretary_tui.delegation.permissions.visible_files import VisibleFiles
from secretary_tui.delegation.tools.file_reading import FileReader
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.skill_files import SkillFiles
from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import GlobInput, GrepInput, ReadInput
from secretary_tui.tool_table import READ

Search: TypeAlias = Callable[[str, str | None, Callable[[str], bool]], Awaitable[str]]
"""Looks for a pattern, in a folder or everywhere, and leaves out files that are hidden."""


def _visible_to(context: ToolContext) -> VisibleFiles:
    return VisibleFiles(context.workspace, context.offered, context.permissions.refused_reading)


class ReadTool:
    """Reads files of the project, and those of the skill that is carried out."""

    about = ""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._visible = _visible_to(context)
        self._reader = FileReader(context.workspace, takes_media=context.takes_media)
        folder = context.skill_folder
        self._skill = SkillFiles(folder, takes_media=context.takes_media) if folder else None

    async def run(self, call: ToolCall, asked: ReadInput) -> Any:
        """Read a file.

        Raises:
            ToolError, WorkspaceError: it may not, or can't, be read.
        """
        if (found := await self._read_of_skill(asked)) is not None:
            return found
        path = self._visible.resolve(call.name, asked.file_path)
        return await self._reader.read(path, asked.offset, asked.limit)

    async def _read_of_skill(self, asked: ReadInput) -> Any:
        """Read a file of the skill that is carried out; None when another one is meant."""
        path = self._skill.find(asked.file_path) if self._skill else None
        # An agent that may only read certain files of the project may read those.
        if self._skill is None or path is None or self._context.offered.patterns(READ):
            return None
        if reason := self._context.permissions.refused_reading(READ, path):
            raise ToolError(reason)
        return await self._skill.read(path, asked.offset, asked.limit)


class SearchTool:
    """Glob or Grep: gives what `search` finds of the files that the run may look at."""

    about = ""

    def __init__(self, context: ToolContext, search: Search) -> None:
        self._visible = _visible_to(context)
        self._search = search

    async def run(self, call: ToolCall, asked: GlobInput | GrepInput) -> str:
        """Search.

        Raises:
            ToolError, WorkspaceError: the place may not be searched, or the search failed.
        """
        where = self._visible.resolve(call.name, asked.path) if asked.path else None
        hidden = functools.partial(self._visible.is_hidden, call.name)
        return await self._search(asked.pattern, str(where) if where else None, hidden)
