"""The tools of MCP servers in one run: which the agent gets, and what a call has to pass.

A tool is called `mcp__server__tool`. The agent's list, the caller's and the rules decide whether it
is offered; every call then goes through the permissions like Bash does.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.mcp.mcp_approval import (
    ApprovalQuestion,
    RemoteTool,
    may_offer,
    may_start,
)
from secretary_tui.delegation.mcp.mcp_process import confinement_of
from secretary_tui.delegation.mcp.mcp_servers import (
    McpServer,
    McpServerError,
    api_name,
    find_servers,
)
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.rules import Rule, Subject, not_denied
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.events import Notice
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean_line, oddities, reveal

if TYPE_CHECKING:
    from anthropic.types.beta import BetaToolParam

    from secretary_tui.delegation.mcp.mcp_connection import McpConnection

INSTALL_HINT = "install it with `pip install 'secretary-tui[mcp]'`"
_MAX_NAME = 128


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool of a server, as the model gets it."""

    name: str
    remote: RemoteTool
    connection: McpConnection
    context: ToolContext

    @property
    def about(self) -> str:
        """Nothing beside its own description."""
        return ""

    @property
    def definition(self) -> BetaToolParam:
        """What the model reads."""
        return {
            "name": self.name,
            "description": self.remote.description,
            "input_schema": {"type": "object", **self.remote.schema},
        }

    async def run(self, call: Any, asked: Any, *, answered: bool = False) -> Any:
        """Ask whether it may be called, and call it.

        `answered`: the user allowed exactly this already; only a rule may still forbid it.

        Raises:
            ToolError: it was refused or failed; the message is what the model reads.
        """
        from secretary_tui.delegation.tools.sdk import ToolError

        if not isinstance(asked, dict):
            raise ToolError(f"The input of {self.name} must be a JSON object.")
        detail = json.dumps(asked, indent=2, ensure_ascii=False)
        context = self.context
        request = ToolRequest(
            call.id,
            context.agent,
            self.name,
            clean_line(json.dumps(asked, ensure_ascii=False))[:200],
            reveal(detail),
            str(context.workspace.root),
            sandboxed=self.connection.server.needs.walls,
            warnings=oddities(detail),
            input=asked,
        )
        subject = Subject(self.name)
        if answered:
            verdict = context.permissions.without_asking(subject, protected=False)
        else:
            verdict = await context.permissions.check(request, subject, protected=False)
        if verdict is not None and not verdict.allowed:
            raise ToolError(verdict.reason)
        if context.settled is not None:
            await context.settled()
        try:
            return await self.connection.call(self.remote.name, asked, media=context.takes_media)
        except McpServerError as error:
            raise ToolError(str(error)) from None


class McpServers:
    """The servers of one run; close them in any case."""

    def __init__(self) -> None:
        self._connections: list[McpConnection] = []
        self.tools: dict[str, McpTool] = {}

    async def open(
        self,
        delegation: Delegation,
        context: ToolContext,
        deny: tuple[Rule, ...],
        mode: PermissionMode,
        environ: Mapping[str, str] = os.environ,
    ) -> OfferedTools:
        """Start what the agent names and the user allows; gives the tools it has then.

        What can't be had is told and the agent runs without.
        """
        agent = delegation.agent
        found = await asyncio.to_thread(
            find_servers, agent, delegation.workspace, delegation.mcp_servers
        )
        for problem in found.problems:
            context.emit(Notice(problem, "warning"))
        if not found.servers:
            return context.offered
        if mode is PermissionMode.PLAN:
            names = ", ".join(clean_line(server.name) for server in found.servers)
            context.emit(Notice(f"Plan mode only reads, so no MCP server is started: {names}."))
            return context.offered
        if find_spec("mcp") is None:
            context.emit(
                Notice(f"MCP servers need a library that is missing: {INSTALL_HINT}.", "warning")
            )
            return context.offered
        for server in found.servers:
            try:
                await self._open(server, delegation, context, deny, environ)
            except (McpServerError, OSError) as error:
                context.emit(Notice(str(error), "warning"))
        return replace(context.offered, names=(*context.offered.names, *self.tools))

    async def close(self) -> None:
        """End all of them, and wait until their processes are gone."""
        connections, self._connections = self._connections, []
        await asyncio.gather(*(one.close() for one in connections))

    async def _open(
        self,
        server: McpServer,
        delegation: Delegation,
        context: ToolContext,
        deny: tuple[Rule, ...],
        environ: Mapping[str, str],
    ) -> None:
        if not _may_have_any(server, delegation, deny):
            context.emit(
                Notice(
                    f"{clean_line(server.name)} was not started: the agent's tools name none of "
                    f"its tools ({server.prefix}*), or they are denied.",
                    "warning",
                )
            )
            return
        server.filled_in(environ)  # What is missing is said before anyone is asked.
        confinement = await asyncio.to_thread(confinement_of, server)
        asked = ApprovalQuestion(context.agent, context.workspace.root, context.people)
        if not await may_start(server, confinement, asked, environ):
            context.emit(Notice(f"The MCP server {clean_line(server.name)} was not started."))
            return
        if context.settled is not None:
            await context.settled()
        # The library takes a second to load, which the event loop doesn't have.
        module = await asyncio.to_thread(_load)
        connection = module.McpConnection(server, context.workspace.root, environ)
        self._connections.append(connection)
        remote = await connection.open()
        allowed = _allowed(server, remote, delegation, deny)
        if allowed and not await may_offer(server, remote, asked):
            await connection.close()
            context.emit(Notice(f"The agent runs without the tools of {clean_line(server.name)}."))
            return
        for name, tool in allowed.items():
            self.tools[name] = McpTool(name, tool, connection, context)
        names = ", ".join(clean_line(tool.name) for tool in allowed.values()) or "none for it"
        where = f" ({confinement})" if confinement else ""
        context.emit(Notice(f"The MCP server {clean_line(server.name)} runs{where}: {names}."))


def _allowed(
    server: McpServer,
    remote: tuple[RemoteTool, ...],
    delegation: Delegation,
    deny: tuple[Rule, ...],
) -> dict[str, RemoteTool]:
    """The tools that the agent lists, its caller has too, and no rule denies outright."""
    named = {f"{server.prefix}{api_name(tool.name)}"[:_MAX_NAME]: tool for tool in remote}
    caller = delegation.lineage.tools
    listed = [
        name
        for name in named
        if delegation.agent.is_tool_allowed(name) and (caller is None or name in caller.names)
    ]
    return {name: named[name] for name in not_denied(listed, deny, delegation.workspace)}


def _may_have_any(server: McpServer, delegation: Delegation, deny: tuple[Rule, ...]) -> bool:
    """Whether any tool of the server could be offered: else there is no reason to start it."""
    agent, caller = delegation.agent, delegation.lineage.tools
    if caller is not None and not any(name.startswith(server.prefix) for name in caller.names):
        return False
    whole = f"{server.prefix}*"
    if not not_denied([whole], deny, delegation.workspace):
        return False
    return agent.tools is None or any(
        entry.strip() == "*"
        or entry.strip().startswith(server.prefix)
        or f"{entry.strip()}__" == server.prefix
        for entry in agent.tools
    )


def _load() -> Any:
    from secretary_tui.delegation.mcp import mcp_connection

    return mcp_connection
