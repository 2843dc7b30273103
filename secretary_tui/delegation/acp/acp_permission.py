"""Whether an ACP agent may do what it asks about: our rules first, then the user."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from acp.schema import FileEditToolCallContent, ToolCallUpdate

from secretary_tui.delegation.acp.acp_calls import OTHER, TOOLS, as_text, input_in, said_in
from secretary_tui.delegation.permissions.rules import Subject
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.workspace.diffs import unified_diff
from secretary_tui.delegation.workspace.protected import is_program_state
from secretary_tui.delegation.workspace.workspace import WorkspaceError
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean_line, oddities, reveal
from secretary_tui.tool_table import BASH, EDIT, GLOB, GREP, READ, WEB_FETCH, WRITE

if TYPE_CHECKING:
    from secretary_tui.delegation.acp.acp_servers import AcpServers, RelayedCall

_NOWHERE = "domain:"


class AcpPermission:
    """Decides about the calls of one session.

    Args:
        servers: The MCP servers that the agent reaches through us.
        confined: Whether walls stand around the agent.
    """

    def __init__(self, context: ToolContext, servers: AcpServers | None, *, confined: bool) -> None:
        self._context = context
        self._servers = servers
        self._confined = confined

    async def allows(self, call: ToolCallUpdate) -> bool:
        """Decide whether a call may happen; the user is asked where no rule says it."""
        context = self._context
        command = _command(call)
        relayed = None if command else self._relayed(call)
        tool = self._tool(call, command) if relayed is None else OTHER
        if tool is None:
            return False
        try:
            places = [context.workspace.resolve(path) for path in _paths(call)]
        except WorkspaceError:
            return False
        if tool in (READ, GREP, GLOB):
            return not any(context.permissions.refused_reading(tool, place) for place in places)
        if not await self._permitted(call, tool, command, places):
            return False
        if context.settled is not None:
            await context.settled()
        if relayed is not None and self._servers is not None:
            self._servers.answer(relayed)
        return True

    def _relayed(self, call: ToolCallUpdate) -> RelayedCall | None:
        """The call of an MCP server's tool that it speaks of, if it is one."""
        if self._servers is None:
            return None
        return self._servers.meant(call.title, call.raw_input or input_in(call.content))

    def _tool(self, call: ToolCallUpdate, command: str) -> str | None:
        """The tool of ours that the call is like; None when the definition has no such tool."""
        names = self._context.offered.names
        tool = next((name for name in TOOLS.get(call.kind, (OTHER,)) if name in names), OTHER)
        if tool == OTHER and call.kind in TOOLS:
            return None
        # No rule can say anything about a command that isn't told.
        return OTHER if tool == BASH and not command else tool

    async def _permitted(
        self, call: ToolCallUpdate, tool: str, command: str, places: Sequence[Path]
    ) -> bool:
        context = self._context
        detail = _detail(call, command)
        request = ToolRequest(
            call.tool_call_id,
            context.agent,
            tool,
            clean_line(command or call.title or tool)[:200],
            reveal(detail),
            str(context.workspace.root),
            sandboxed=self._confined,
            warnings=oddities(detail),
            input=call.raw_input if isinstance(call.raw_input, dict) else {},
        )
        topic = _topic(tool, call)
        asked: list[Path | None] = [*places] or [None]
        for place in asked:
            # An edit of nobody knows what, or an address that isn't told, is asked about each time.
            protected = (
                context.workspace.is_protected(place) or is_program_state(place)
                if place is not None
                else tool in (EDIT, WRITE) or topic == _NOWHERE
            )
            subject = Subject(tool, command=command, path=place, topic=topic)
            verdict = await context.permissions.check(request, subject, protected=protected)
            if not verdict.allowed:
                return False
        return True


def _command(call: ToolCallUpdate) -> str:
    if call.kind != "execute" or not isinstance(call.raw_input, dict):
        return ""
    command = call.raw_input.get("command")
    if isinstance(command, list):
        return shlex.join(map(str, command))
    return command if isinstance(command, str) else ""


def _paths(call: ToolCallUpdate) -> Sequence[str]:
    """The files that a call is about, each once."""
    edits = (one for one in call.content or () if isinstance(one, FileEditToolCallContent))
    paths = (*(one.path for one in call.locations or ()), *(one.path for one in edits))
    return tuple(dict.fromkeys(paths))


def _topic(tool: str, call: ToolCallUpdate) -> str:
    """Say what a call is about where neither a command nor a file says it.

    Its title is the agent's choice: another action may have the same.
    """
    given = call.raw_input if isinstance(call.raw_input, dict) else {}
    if tool == WEB_FETCH:
        try:
            return f"{_NOWHERE}{urlsplit(str(given.get('url', ''))).hostname or ''}"
        except ValueError:
            return _NOWHERE
    if tool != OTHER:
        return ""
    fields = call.model_dump(mode="json", exclude={"tool_call_id", "status", "field_meta"})
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _detail(call: ToolCallUpdate, command: str) -> str:
    """Everything known about a call, as text."""
    diffs = [
        unified_diff(one.path, one.old_text, one.new_text)
        for one in call.content or ()
        if isinstance(one, FileEditToolCallContent)
    ]
    if diffs:
        return "\n".join(diffs)
    told = f"{call.title or ''}\n{said_in(call.content)}\n{as_text(call.raw_input)}"
    return command or told.strip()
