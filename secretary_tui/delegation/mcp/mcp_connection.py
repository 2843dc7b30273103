"""One connection to an MCP server: opened, asked for its tools, called, and closed for certain.

A task of its own holds the connection, since the library's scopes must be left where they were
entered. Imported only when an agent names a server: the library takes a second to load.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import IO, Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import EmbeddedResource, ImageContent, Implementation, TextContent

from secretary_tui import __version__
from secretary_tui.delegation.mcp.mcp_approval import RemoteTool
from secretary_tui.delegation.mcp.mcp_process import ServerProcess
from secretary_tui.delegation.mcp.mcp_servers import McpServer, McpServerError
from secretary_tui.delegation.sandbox.hidden import out_of_sight
from secretary_tui.engines.uninterrupted import to_its_end
from secretary_tui.sanitize import clean, clean_line

START_TIMEOUT_S = 30.0
CALL_TIMEOUT_S = 120.0
CONNECT_TIMEOUT_S = 10.0
SILENCE_S = 86_400.0
"""How long the stream of a server may be silent between calls."""
MAX_TOOLS = 128
MAX_RESULT = 60_000
"""Characters of a result that the model reads."""
MAX_ANSWER = 16_000_000
"""Bytes of an answer over HTTP; the library would read on, and take three times its size."""
_STDERR_TAIL = 300
_LOG_IN = (
    "it wants a log-in (OAuth), which is not done here; get a token from its maker and name the "
    "variable that holds it in its headers: {Authorization: Bearer ${DOCS_TOKEN}}"
)
_PICTURES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))

# What a server writes that is no message would else be printed over the screen.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("mcp").propagate = False


class McpConnection:
    """A server that runs (or is connected) for one run."""

    def __init__(self, server: McpServer, workspace: Path, environ: Mapping[str, str]) -> None:
        self.server = server
        self._workspace = workspace
        self._environ = environ
        self._client: Client | None = None
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[tuple[RemoteTool, ...]]
        self._log: IO[str] | None = None
        self._refusal = 0
        """The last HTTP status that was an error."""

    async def open(self) -> tuple[RemoteTool, ...]:
        """Start it and give its tools.

        Raises:
            McpServerError: it doesn't start, doesn't answer, or speaks another language.
        """
        self._ready = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(), name=f"mcp {self.server.name}")
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                return await asyncio.shield(self._ready)
        except TimeoutError:
            await self.close()
            raise self._error(f"did not answer within {START_TIMEOUT_S:g} s") from None
        except BaseException:
            await self.close()
            raise

    async def call(self, tool: str, arguments: Mapping[str, Any], *, media: bool) -> Any:
        """Call a tool; gives text, or blocks where it answers with pictures and `media` is true.

        Raises:
            McpServerError: the tool failed, or the server is gone.
        """
        client = self._client
        if client is None:
            raise self._error("has ended")
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                result = await client.call_tool(tool, dict(arguments))
        except TimeoutError:
            raise self._error(f"did not answer within {CALL_TIMEOUT_S:g} s") from None
        except asyncio.CancelledError:
            raise
        except Exception as error:  # The library has classes of its own for what servers do.
            raise self._error(f"failed: {_words(error)}") from None
        blocks = [block for one in result.content for block in _blocks(one, media=media)]
        if not blocks and result.structured_content is not None:
            blocks = [_text(json.dumps(result.structured_content, ensure_ascii=False))]
        if result.is_error:
            said = " ".join(block.get("text", "") for block in blocks).strip()
            raise McpServerError(said or "The tool failed and did not say why.")
        if all(block["type"] == "text" for block in blocks):
            text = "\n".join(block["text"] for block in blocks)
            cut = text[:MAX_RESULT]
            return cut + "\n[cut: the result is longer]" if len(cut) < len(text) else cut
        return blocks

    async def close(self) -> None:
        """End it, and wait until its processes are gone."""
        self._stop.set()
        task = self._task
        if task is None:
            return
        if not self._ready.done():
            task.cancel()
        try:
            # Ending takes the library some seconds at most.
            await to_its_end(asyncio.wait([task], timeout=START_TIMEOUT_S))
        finally:
            if not task.done():
                task.cancel()

    async def _hold(self) -> None:
        process: ServerProcess | None = None
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
            self._log = log
            try:
                if self.server.command:
                    process = ServerProcess(self.server, self._workspace, self._environ)
                    argv, environment = await asyncio.to_thread(process.enter)
                    await self._converse(_stdio(argv, environment, self._workspace, log))
                else:
                    await self._speak_http()
            except Exception as error:  # A group of whatever the library and the server did.
                if not self._ready.done():
                    self._ready.set_exception(self._error(f"does not start: {self._why(error)}"))
            finally:
                self._client = self._log = None
                if not self._ready.done():
                    self._ready.cancel()
                if process is not None:
                    await asyncio.shield(asyncio.to_thread(process.leave))

    async def _speak_http(self) -> None:
        server = self.server.filled_in(self._environ)
        if server.sse:
            transport = sse_client(
                *(server.url, dict(server.headers), CONNECT_TIMEOUT_S, SILENCE_S),
                httpx_client_factory=self._http_client,
            )
            await self._converse(transport)
            return
        async with self._http_client(dict(server.headers)) as client:
            await self._converse(streamable_http_client(server.url, http_client=client))

    async def _converse(self, transport: Any) -> None:
        info = Implementation(name="secretary-tui", version=__version__)
        async with Client(transport, client_info=info, cache=None) as client:
            tools = await _list_tools(client)
            self._client = client
            if not self._ready.done():
                self._ready.set_result(tools)
            await self._stop.wait()

    def _http_client(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        """Make one that sends headers, which may be a token, to the one address and no other."""
        return httpx2.AsyncClient(
            # Uncompressed, since a bomb counts few bytes.
            headers={**(headers or {}), "Accept-Encoding": "identity"},
            timeout=timeout or httpx2.Timeout(CALL_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            auth=auth,
            follow_redirects=False,
            event_hooks={"response": [self._note_refusal, _bound]},
        )

    async def _note_refusal(self, response: httpx2.Response) -> None:
        """Keep an error that the library drops; it tries several ways, so few are final."""
        if response.status_code == httpx2.codes.UNAUTHORIZED:
            raise McpServerError(_LOG_IN)
        if response.is_error:
            self._refusal = response.status_code

    def _why(self, error: BaseException) -> str:
        """Why it doesn't start: the innermost error, or what its address answered."""
        words, status = _words(error), self._refusal
        if self.server.command or isinstance(_innermost(error), McpServerError):
            return words
        if isinstance(_innermost(error), httpx2.TransportError):
            return f"nothing answers at {clean_line(self.server.url)[:200]} ({words})"
        if status == httpx2.codes.FORBIDDEN:
            return "it refuses (HTTP 403); its headers may need another token"
        if status >= httpx2.codes.INTERNAL_SERVER_ERROR:
            return f"it has a fault of its own (HTTP {status})"
        if status or "content type" in words.lower():
            about = f"HTTP {status}" if status else words
            other = "http" if self.server.sse else "sse"
            return f"no MCP server answers there ({about}), or one of `type: {other}`"
        return words

    def _error(self, what: str) -> McpServerError:
        tail = ""
        if self._log is not None:
            with contextlib.suppress(OSError, ValueError):
                self._log.seek(0)
                tail = clean_line(self._log.read()[-_STDERR_TAIL:])
        name = clean_line(self.server.name)
        if self.server.command and (why := out_of_sight(self.server.command[0], tail)):
            advice = ""
            if self.server.needs.walls:
                advice = (
                    " Install it where commands see it, or let it have all your rights: "
                    f"`mcp_servers: {{{name}: {{walls: false}}}}` in your settings."
                )
            return McpServerError(f"The MCP server {name} does not start. {why}{advice}")
        said = f" It said: {tail}" if tail else ""
        return McpServerError(f"The MCP server {name} {what}.{said}")


class _Bounded(httpx2.AsyncByteStream):
    """The body of an answer, up to `MAX_ANSWER`."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._body:
            size += len(chunk)
            if size > MAX_ANSWER:
                raise McpServerError(f"its answer is larger than {MAX_ANSWER / 1e6:g} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._body.aclose()


async def _bound(response: httpx2.Response) -> None:
    """Let an answer be of a size that can be kept; the library bounds a stream's events itself."""
    if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        raise McpServerError("it answers in compressed form, which it was not asked for")
    streams = response.headers.get("content-type", "").lower().startswith("text/event-stream")
    if not streams and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


def _stdio(argv: list[str], environment: dict[str, str], folder: Path, log: IO[str]) -> Any:
    parameters = StdioServerParameters(
        command=argv[0],
        args=argv[1:],
        env=environment,
        cwd=folder,
        encoding_error_handler="replace",
    )
    return stdio_client(parameters, errlog=log)  # type: ignore[arg-type]  # Any file will do.


async def _list_tools(client: Client) -> tuple[RemoteTool, ...]:
    found: list[RemoteTool] = []
    cursor: str | None = None
    while len(found) < MAX_TOOLS:
        page = await client.list_tools(cursor=cursor)
        found += [
            RemoteTool(tool.name, tool.description or "", tool.input_schema) for tool in page.tools
        ]
        cursor = page.next_cursor
        if not cursor:
            break
    return tuple(found[:MAX_TOOLS])


def _blocks(one: Any, *, media: bool) -> list[dict[str, Any]]:
    if isinstance(one, TextContent):
        return [_text(one.text)]
    if isinstance(one, ImageContent):
        if not media or one.mime_type not in _PICTURES:
            return [_text(f"[a picture, {clean_line(one.mime_type)}, left out]")]
        source = {"type": "base64", "media_type": one.mime_type, "data": one.data}
        return [{"type": "image", "source": source}]
    if isinstance(one, EmbeddedResource):
        text = getattr(one.resource, "text", None)
        if isinstance(text, str):
            return [_text(text)]
    return [_text(f"[{clean_line(str(getattr(one, 'type', 'something else')))}, left out]")]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": clean(text)}


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _words(error: BaseException) -> str:
    """The first sentence of the innermost error of a group."""
    error = _innermost(error)
    text = clean_line(str(error)) or type(error).__name__
    return text.rstrip(".")[:200]
