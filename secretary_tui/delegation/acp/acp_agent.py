"""The agent of one run on the other side of ACP: its process, the connection and its session."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from secretary_tui import __version__
from secretary_tui.delegation.acp.acp_process import AcpProcess
from secretary_tui.delegation.sandbox.hidden import out_of_sight
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.engines.acp.acp_engine import AcpEngine
from secretary_tui.engines.base import EngineError
from secretary_tui.events import Notice
from secretary_tui.sanitize import clean_line

if TYPE_CHECKING:
    from acp import ClientSideConnection

    from secretary_tui.delegation.acp.acp_client import AcpClient
    from secretary_tui.delegation.acp.acp_servers import AcpServers
    from secretary_tui.delegation.mcp.mcp_tools import McpTool
    from secretary_tui.delegation.tools.toolbox import Toolbox

START_TIMEOUT_S = 60.0
"""For an agent to start and open a session."""
_CAP_REACHED = "maximum budget"
"""What Claude Code says when it stopped at the cap that it was given."""
T = TypeVar("T")


class CapReachedError(EngineError):
    """The agent stopped by itself, since it may cost no more."""


@dataclass(frozen=True, slots=True)
class AcpAnswer:
    """What an agent says at the end of an answer."""

    stop_reason: str
    """As ACP names it."""
    usage: Any
    """The tokens that it took; None where it doesn't say."""
    was_stopped: bool
    """Whether it was cut short by `AcpAgent.stop_answer`."""


class AcpAgent:
    """Starts the agent, prompts it, and ends it with all that it started.

    Args:
        writes: Whether it may write files of the workspace.
    """

    def __init__(
        self, engine: AcpEngine, context: ToolContext, toolbox: Toolbox, *, writes: bool
    ) -> None:
        self._engine = engine
        self._context = context
        self._toolbox = toolbox
        self._writes = writes
        self._process: AcpProcess | None = None
        self._connection: ClientSideConnection | None = None
        self._client: AcpClient | None = None
        self._servers: AcpServers | None = None
        """What it reaches MCP servers through."""
        self._session = ""
        self._stopping: asyncio.Task[None] | None = None

    @property
    def is_confined(self) -> bool:
        """Whether walls stand around its process."""
        return self._process is not None and self._process.confined

    async def start(
        self,
        *,
        wanted_models: Sequence[str],
        tools: Mapping[str, McpTool],
        budget: Budget,
        on_cost: Callable[[float], None],
    ) -> None:
        """Start it and open a session; nothing of it runs before its walls stand.

        Args:
            wanted_models: The models to choose, the first that it has.
            tools: Those of MCP servers.
            on_cost: Hears what the session cost so far, in US dollars.

        Raises:
            EngineError: it can't be started, or doesn't answer.
        """
        engine, profile = self._engine, self._engine.profile
        from secretary_tui.delegation.acp.acp_session import claude_options, open_session

        servers, seen = await self._relay(tools)
        offered = self._context.offered
        options = claude_options(offered, budget) if profile.claude_options else {}
        connection = await self._connect(seen, on_cost)
        wanted = [one for one in wanted_models if one and one not in ("inherit", "default")]
        folder = str(self._context.workspace.root)
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                agent = await self._answer(self._introduce(connection))
                session = await self._answer(
                    open_session(
                        *(connection, profile, folder, wanted),
                        login_methods=agent.auth_methods or (),
                        servers=servers,
                        options=options,
                    )
                )
        except TimeoutError:
            raise EngineError(
                f"{engine.label} did not answer within {START_TIMEOUT_S:g} s.", self._hint()
            ) from None
        self._session = session.id
        if session.model:
            self._context.emit(Notice(f"{profile.title} answers with {session.model}."))
        if session.warning:
            self._context.emit(Notice(session.warning, "warning"))

    async def prompt(self, text: str) -> AcpAnswer:
        """Tell it something, and wait until it answered.

        Raises:
            CapReachedError: it stopped by itself at its cap.
            EngineError: it refused, or is gone.
        """
        assert self._connection is not None, "start it first"
        assert self._client is not None
        from acp import text_block

        self._client.text = ""
        answer = await self._answer(self._connection.prompt(self._session, [text_block(text)]))
        stop_reason = str(answer.stop_reason)
        stopping, self._stopping = self._stopping, None
        was_stopped = stopping is not None and stop_reason == "cancelled"
        return AcpAnswer(stop_reason, answer.usage, was_stopped)

    def stop_answer(self) -> None:
        """Have it stop in the middle of its answer; nothing happens where no session is open."""
        connection = self._connection
        if self._stopping is None and connection is not None and self._session:
            self._stopping = asyncio.create_task(connection.cancel(self._session), name="acp stop")

    def end_calls(self) -> None:
        """Close the calls whose end it never told."""
        if self._client is not None:
            self._client.calls.end()

    def take_text(self) -> str:
        """Give what it said since the last prompt and was not taken yet."""
        if self._client is None:
            return ""
        text, self._client.text = self._client.text.strip(), ""
        return text

    async def close(self) -> None:
        """End its process and all that it started."""
        connection = self._connection
        if connection is not None and self._session:
            with contextlib.suppress(Exception):  # It may be gone already.
                async with asyncio.timeout(1):
                    await connection.cancel(self._session)
        if self._stopping is not None:
            self._stopping.cancel()
        if self._process is not None:
            await self._process.stop()
        if connection is not None:
            with contextlib.suppress(Exception):
                await connection.close()
        if self._servers is not None:
            await self._servers.close()

    async def _relay(self, tools: Mapping[str, McpTool]) -> tuple[list[Any], list[Path]]:
        """Serve it the MCP tools; gives the servers' descriptions, and the files it must see."""
        if not tools:
            return [], []
        await asyncio.to_thread(importlib.import_module, "secretary_tui.delegation.acp.acp_servers")
        from secretary_tui.delegation.acp.acp_servers import AcpServers, interpreter_parts

        servers = self._servers = AcpServers(tools)
        try:
            told = await servers.open()
        except OSError as error:
            text = f"The tools of MCP servers can't be passed on: {error.strerror}."
            self._context.emit(Notice(text, "warning"))
            return [], []
        if about := self._engine.profile.about_servers:
            self._context.emit(Notice(about))
        return [*told], interpreter_parts()

    async def _connect(
        self, seen: Sequence[Path], on_cost: Callable[[float], None]
    ) -> ClientSideConnection:
        """Start its process, which sees `seen` beside its own things, and listen to it."""
        import acp

        from secretary_tui.delegation.acp.acp_client import AcpClient

        profile, context = self._engine.profile, self._context
        process = self._process = AcpProcess(
            profile, context.workspace.root, writable=self._writes, beside=seen
        )
        if context.settled is not None:
            await context.settled()
        source, sink = await process.start()
        client = self._client = AcpClient(
            *(context, self._toolbox),
            confined=profile.walls,
            missing_is_empty=profile.missing_is_empty,
            servers=self._servers,
            on_cost=on_cost,
        )
        self._connection = acp.connect_to_agent(client, sink, source)  # type: ignore[arg-type]  # Terminals and the like are not offered.
        return self._connection

    async def _introduce(self, connection: ClientSideConnection) -> Any:
        import acp
        from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

        files = FileSystemCapabilities(read_text_file=True, write_text_file=self._writes)
        return await connection.initialize(
            acp.PROTOCOL_VERSION,
            ClientCapabilities(fs=files, terminal=False),
            Implementation(name="secretary-tui", version=__version__),
        )

    async def _answer(self, asking: Awaitable[T]) -> T:
        """Wait for an answer, or for the end of the process, whichever comes first.

        Raises:
            CapReachedError: it stopped by itself at its cap.
            EngineError: it refused, or is gone.
        """
        try:
            return await asking
        except (asyncio.CancelledError, TimeoutError):
            raise
        except Exception as error:  # The library has classes of its own for what agents do.
            from secretary_tui.delegation.acp.acp_session import AUTH_REQUIRED, not_logged_in

            profile = self._engine.profile
            if getattr(error, "code", None) == AUTH_REQUIRED:
                raise not_logged_in(profile) from None
            words = clean_line(str(error))[:200].rstrip(".") or type(error).__name__
            capped = profile.claude_options and _CAP_REACHED in words
            kind = CapReachedError if capped else EngineError
            raise kind(f"{self._engine.label} failed: {words}.", self._hint()) from None

    def _hint(self) -> str:
        said = self._process.last_words() if self._process is not None else ""
        profile = self._engine.profile
        if why := out_of_sight(profile.command[0], said):
            return (
                f"{why} Install it where commands see it, such as below your home folder on PATH, "
                f"or set `engines: {{{profile.name}: {{walls: false}}}}` in your settings."
            )
        start = "Start it once by itself, to log in and to see whether it works."
        if self._session:
            start = "Reply to go on: it is started anew and told what was said."
        return f"{start} It said: {said}" if said else start
