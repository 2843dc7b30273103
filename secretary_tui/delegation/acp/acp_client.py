"""Our side of ACP: takes the messages of an agent, and serves it the files of the project.

Imported only for a run on an ACP engine: the library takes half a second to load.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from acp import RequestError
from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    UsageUpdate,
    WriteTextFileResponse,
)

from secretary_tui.delegation.acp.acp_calls import AcpCalls
from secretary_tui.delegation.acp.acp_permission import AcpPermission
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.toolbox import Toolbox
from secretary_tui.delegation.workspace.workspace import WorkspaceError
from secretary_tui.events import TextDelta, ThinkingDelta, Todo, TodosChanged
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.tool_table import READ, WRITE

if TYPE_CHECKING:
    from secretary_tui.delegation.acp.acp_servers import AcpServers


class AcpClient:
    """Takes the agent's messages of one session.

    Args:
        confined: Whether walls stand around the agent.
        missing_is_empty: Whether it takes an error about a file that isn't there for a fault.
        servers: The MCP servers that it reaches through us.
        on_cost: Called with what its session cost so far, in US dollars, when it tells that.
    """

    def __init__(
        self,
        context: ToolContext,
        toolbox: Toolbox,
        *,
        confined: bool,
        missing_is_empty: bool = False,
        servers: AcpServers | None = None,
        on_cost: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._context = context
        self._toolbox = toolbox
        self._missing_is_empty = missing_is_empty
        self._on_cost = on_cost
        self._permission = AcpPermission(context, servers, confined=confined)
        self.calls = AcpCalls(context, servers)
        self._writing = asyncio.Lock()
        self._writes = 0
        self.text = ""
        """What the agent said since the last prompt."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Show what the agent does."""
        emit = self._context.emit
        match update:
            case AgentMessageChunk(content=TextContentBlock(text=text)) if text:
                self.text += clean(text)
                emit(TextDelta(clean(text)))
            case AgentThoughtChunk(content=TextContentBlock(text=text)) if text:
                emit(ThinkingDelta(clean(text)))
            case UsageUpdate(cost=cost) if cost is not None and cost.currency == "USD":
                if 0 <= cost.amount < math.inf:
                    self._on_cost(cost.amount)
            case AgentPlanUpdate(entries=entries):
                steps = (Todo(clean_line(one.content), str(one.status)) for one in entries)
                emit(TodosChanged(tuple(steps)))
            case ToolCallStart() | ToolCallProgress():
                self.calls.hear(update)

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Answer whether a call may happen: our rules first, then the user."""
        allowed = await self._permission.allows(self.calls.complete(tool_call))
        # An agent that may always do it would never ask again, and the user said less.
        kinds = ("allow_once",) if allowed else ("reject_once", "reject_always")
        for kind in kinds:
            for option in options:
                if option.kind == kind:
                    chosen = AllowedOutcome(outcome="selected", option_id=option.option_id)
                    return RequestPermissionResponse(outcome=chosen)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **_: Any,
    ) -> ReadTextFileResponse:
        """Read a file of the project for the agent."""
        context = self._context
        if READ not in context.offered.names:
            raise _refused("This agent may not read files.")
        try:
            place = context.workspace.resolve(path)
            if reason := context.permissions.refused_reading(READ, place):
                raise _refused(reason)
            data = await asyncio.to_thread(context.workspace.read_bytes, place)
        except (WorkspaceError, OSError) as error:
            raise _refused(str(error)) from None
        if data is None:
            if self._missing_is_empty:
                return ReadTextFileResponse(content="")
            raise RequestError.resource_not_found(path)
        lines = data.decode("utf-8", "replace").splitlines(keepends=True)
        first = max(0, (line or 1) - 1)
        return ReadTextFileResponse(content="".join(lines[first:][:limit]))

    async def write_text_file(
        self, session_id: str, path: str, content: str, **_: Any
    ) -> WriteTextFileResponse:
        """Write a file of the project, as the tool Write does it: asked, shown, kept for undo."""
        if WRITE not in self._context.offered.names:
            raise _refused("This agent may not write files.")
        async with self._writing:
            self._writes += 1
            given = {"file_path": path, "content": content}
            self._toolbox.expect([ToolCall(f"acp_write_{self._writes}", WRITE, given)])
            try:
                await self._toolbox.run(WRITE, given)
            except ToolError as error:
                raise _refused(str(error)) from None
        return WriteTextFileResponse()

    def on_connect(self, conn: Any) -> None:
        """Nothing is to be done."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Refuse what is not of the protocol."""
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Pass over what is not of the protocol."""


def _refused(reason: str) -> RequestError:
    return RequestError.invalid_params({"reason": reason})
