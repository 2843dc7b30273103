"""Memory: the agent reads and keeps its own notes, and nothing beside them."""

from __future__ import annotations

import asyncio
import re

from secretary_tui.delegation.permissions.rules import Subject
from secretary_tui.delegation.tools.file_changes import plan_write
from secretary_tui.delegation.tools.memory import MAIN_NOTE, MAX_NOTES, Memory
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall, permit
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import MemoryInput
from secretary_tui.delegation.workspace.small_files import UnusableFileError
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import oddities, reveal
from secretary_tui.tool_table import MEMORY

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}\.md")
MAX_NOTE = 100_000
"""Characters of one note."""


class MemoryTool:
    """The notes of the agent whose run has this `context`."""

    def __init__(self, context: ToolContext, memory: Memory) -> None:
        self._context = context
        self._memory = memory

    @property
    def about(self) -> str:
        """The notes that are there."""
        return f"Notes now: {', '.join(self._memory.names()) or 'none yet'}."

    async def run(self, call: ToolCall, asked: MemoryInput) -> str:
        """Read a note, or write one after asking.

        Raises:
            ToolError: there is none, its name isn't allowed, or it was refused.
            WorkspaceError: it can't be written.
        """
        name = asked.name or MAIN_NOTE
        if not _NAME.fullmatch(name):
            raise ToolError("A note's name is a plain file name that ends in .md.")
        if asked.content is not None:
            return await self._write(call, name, asked.content)
        try:
            return await asyncio.to_thread(self._memory.read, name)
        except FileNotFoundError:
            raise ToolError(f"There is no note {name} yet.") from None
        except UnusableFileError as error:
            raise ToolError(f"{name} can't be read: {error}.") from None

    async def _write(self, call: ToolCall, name: str, content: str) -> str:
        memory, context = self._memory, self._context
        if len(content) > MAX_NOTE:
            raise ToolError(f"A note has at most {MAX_NOTE} characters.")
        known = await asyncio.to_thread(memory.names)
        if name not in known and len(known) >= MAX_NOTES:
            raise ToolError(f"There are {MAX_NOTES} notes already; put it into one of them.")
        change = await asyncio.to_thread(plan_write, memory.base, memory.path(name), content)
        if change.is_empty:
            return "The note already says that."
        diff = await asyncio.to_thread(change.diff, name)
        request = ToolRequest(
            call.id,
            context.agent,
            MEMORY,
            str(memory.path(name)),
            reveal(diff),
            str(context.workspace.root),
            warnings=("a note that later runs of this agent obey", *oddities(diff)),
            input=call.input,
        )
        # Another text, or another agent's note of that name, is another question.
        await permit(context, request, Subject(MEMORY, topic=name), each_time=True)
        await asyncio.to_thread(memory.base.replace, change.path, change.before, change.after)
        return f"Kept {name}."
