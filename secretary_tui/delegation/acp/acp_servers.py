"""The MCP servers of a definition, for an ACP agent: ours all the same, and reached through us.

The agent would start a server itself: behind its walls instead of the server's own, with all of its
tools, and unasked. So it is given a program that passes on (`mcp_relay`, over a loopback port and
with a secret word), and we answer: with the tools that were allowed and pinned, each call through
the permissions. Imported only when there are servers: the library takes a second to load.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp.schema import EnvVariable, McpServerStdio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ImageContent,
    ListToolsResult,
    TextContent,
    Tool,
)

from secretary_tui import __version__
from secretary_tui.delegation.acp.acp_process import STREAM_LIMIT
from secretary_tui.delegation.mcp import mcp_relay
from secretary_tui.delegation.mcp.mcp_tools import McpTool
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall

_HELLO_S = 10.0
_PYTHON = os.path.realpath(sys.executable)
"""Not that of a virtual environment, which needs more of the environment to be seen."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RelayedCall:
    """A call of one of these tools, as the agent says that it wants to make it."""

    name: str
    """As rules name it: `mcp__docs__search`."""
    arguments: str
    """As canonical JSON."""


class AcpServers:
    """Serves the tools of one run to its agent, until it is closed."""

    def __init__(self, tools: Mapping[str, McpTool]) -> None:
        self._tools: dict[str, dict[str, McpTool]] = {}
        """By server, by the name that the server has for it."""
        for tool in tools.values():
            self._tools.setdefault(tool.connection.server.name, {})[tool.remote.name] = tool
        self._words = {secrets.token_urlsafe(32): name for name in self._tools}
        self._listening: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()
        self._calls = 0
        self._answered: list[RelayedCall] = []
        """What the user allowed as the agent asked, and the agent has not made yet."""

    def meant(self, title: str | None, given: Any) -> RelayedCall | None:
        """Read which call an agent speaks of, in the words of several; None for none of these."""
        if not isinstance(given, Mapping):
            return None
        for server, tools in self._tools.items():
            for name, tool in tools.items():
                if given.get("server") == server and given.get("tool") == name:
                    return RelayedCall(tool.name, _canonical(given.get("arguments")))
                if title in (tool.name, f"{server}_{name}", f"{name} ({server} MCP Server)"):
                    return RelayedCall(tool.name, _canonical(given))
        return None

    def answer(self, call: RelayedCall) -> None:
        """Don't ask again before the agent makes exactly this call, once: the user allowed it."""
        self._answered.append(call)

    async def open(self) -> list[McpServerStdio]:
        """Listen, and give what the agent is told of the servers.

        Raises:
            OSError: no port can be had.
        """
        self._listening = await asyncio.start_server(self._meet, "127.0.0.1", 0, limit=STREAM_LIMIT)
        port = self._listening.sockets[0].getsockname()[1]
        return [
            McpServerStdio(
                name=name,
                command=_PYTHON,
                args=["-I", "-S", mcp_relay.__file__, str(port)],
                env=[EnvVariable(name=mcp_relay.WORD, value=word)],
            )
            for word, name in self._words.items()
        ]

    async def close(self) -> None:
        """End all that goes on."""
        if self._listening is not None:
            self._listening.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(self._talk(reader, writer), name="mcp relay")
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_HELLO_S):
                said = (await reader.readline()).strip()
            for word, name in self._words.items():
                if hmac.compare_digest(said, word.encode()):
                    await self._serve(name, _Lines(reader, writer))
        except (OSError, ValueError, TimeoutError) as error:
            _LOG.debug("a relay ended: %s", error)
        finally:
            with contextlib.suppress(OSError):
                writer.close()

    async def _serve(self, name: str, lines: _Lines) -> None:
        async def tell(_: Any, __: Any) -> ListToolsResult:
            return ListToolsResult(tools=[_described(one) for one in self._tools[name].values()])

        async def call(_: Any, params: CallToolRequestParams) -> CallToolResult:
            return await self._call(name, params)

        server: Server[Any] = Server(
            name, version=__version__, on_list_tools=tell, on_call_tool=call
        )
        async with stdio_server(lines, lines) as (heard, said):  # type: ignore[arg-type]  # Of a file, it reads lines, writes and flushes.
            await server.run(heard, said, server.create_initialization_options())

    async def _call(self, name: str, params: CallToolRequestParams) -> CallToolResult:
        """Ask whether a tool may be called, and call it."""
        tool = self._tools[name].get(params.name)
        if tool is None:
            return _refused(f"There is no tool {params.name!r}.")
        self._calls += 1
        given = params.arguments or {}
        call = ToolCall(f"acp_mcp_{self._calls}", tool.name, given)
        meant = RelayedCall(tool.name, _canonical(given))
        answered = meant in self._answered
        if answered:
            self._answered.remove(meant)
        try:
            result = await tool.run(call, given, answered=answered)
        except ToolError as error:
            return _refused(str(error))
        blocks = result if isinstance(result, list) else [{"type": "text", "text": str(result)}]
        return CallToolResult(content=[_content(block) for block in blocks])


class _Lines:
    """A connection, as the library reads and writes a file."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        if line := await self._reader.readline():
            return line.decode("utf-8", "replace")
        raise StopAsyncIteration

    async def write(self, text: str) -> None:
        self._writer.write(text.encode())

    async def flush(self) -> None:
        await self._writer.drain()


def interpreter_parts() -> list[Path]:
    """Give what the relay runs on, where walls may hide it."""
    parts = (Path(sys.base_prefix, part) for part in ("bin", "lib", "lib64"))
    return [Path(mcp_relay.__file__), *parts]


def _canonical(arguments: Any) -> str:
    return json.dumps(arguments or {}, sort_keys=True)


def _described(tool: McpTool) -> Tool:
    schema = tool.definition["input_schema"]
    return Tool(
        name=tool.remote.name, description=tool.remote.description, input_schema=dict(schema)
    )


def _content(block: Mapping[str, Any]) -> TextContent | ImageContent:
    if block["type"] == "image":
        source = block["source"]
        return ImageContent(data=source["data"], mime_type=source["media_type"])
    return TextContent(text=str(block.get("text", "")))


def _refused(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=reason)], is_error=True)
