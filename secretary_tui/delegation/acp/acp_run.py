"""One run on an ACP engine: another agent carries the definition out, and we hold it to our rules.

What can be held: its process stands behind walls, what it asks to do goes through our permissions,
files it reads and writes through us stay in the project, and what changed can be undone. What it
does with tools of its own without asking, only the walls hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from secretary_tui import __version__
from secretary_tui.delegation.acp.acp_options import CAP_REACHED, claude_options
from secretary_tui.delegation.acp.acp_process import AcpProcess
from secretary_tui.delegation.brief.opening import engine_changed, run_started
from secretary_tui.delegation.brief.powers import Powers, decide_powers
from secretary_tui.delegation.brief.prompt import delegation_prompt, system_prompt
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.loop.control import RunControl
from secretary_tui.delegation.loop.endings import INTERRUPTED, MAX_COST, ending
from secretary_tui.delegation.mcp.mcp_tools import McpServers
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import Permissions, effective_mode
from secretary_tui.delegation.sandbox.hidden import out_of_sight
from secretary_tui.delegation.spend.budget import may_go_on
from secretary_tui.delegation.spend.ledger import is_counted
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.undo.snapshots import Snapshots, watched_command
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.engines.acp.acp_engine import OWN_MODEL, AcpEngine
from secretary_tui.engines.base import EngineError
from secretary_tui.events import (
    MessageAdded,
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    TurnStarted,
    Usage,
    UsageAdded,
    UserMessage,
)
from secretary_tui.people import People
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.tool_table import BASH, EDIT, WRITE

if TYPE_CHECKING:
    from acp import ClientSideConnection

    from secretary_tui.delegation.acp.acp_client import AcpClient
    from secretary_tui.delegation.acp.acp_servers import AcpServers

_GO_ON = "Go on with what you were doing."
START_TIMEOUT_S = 60.0
"""For an agent to start and open a session."""
_ENDINGS: Mapping[str, tuple[Outcome, str]] = {
    "end_turn": (Outcome.DONE, ""),
    "max_tokens": (Outcome.PARTIAL, "The answer reached the agent's limit of tokens."),
    "max_turn_requests": (Outcome.PARTIAL, "The agent reached its own limit of requests."),
    "refusal": (Outcome.PARTIAL, "The agent declined to go on."),
    # A user who stops the run is not heard of here.
    "cancelled": (Outcome.PARTIAL, "The agent stopped when it was refused what it asked for."),
}


class AcpRun:
    """One run, from its first event to its last."""

    def __init__(
        self,
        delegation: Delegation,
        engine: AcpEngine,
        people: People,
        emit: Callable[[RunEvent], None],
        settled: Callable[[], Any],
    ) -> None:
        self._delegation = delegation
        self._engine = engine
        self._people = people
        self._emit = emit
        self._settled = settled
        self.control = RunControl()
        """What the user says while the run goes on comes from here."""
        self._began = time.monotonic()
        self._process: AcpProcess | None = None
        self._connection: ClientSideConnection | None = None
        self._session = ""
        self._client: AcpClient | None = None
        self._snapshots: Snapshots | None = None
        self._servers = McpServers()
        self._relayed: AcpServers | None = None
        self._at_cap: asyncio.Task[None] | None = None
        """Tells the agent to stop, since the money is used up."""
        self._started = False
        self._turns = 0
        self._usage = Usage()
        self._cost: float | None = None
        """What the agent says that it cost; None when it doesn't."""
        self._text = ""

    async def run(self) -> None:
        """Run to the end; cancelling leaves it to `interrupt` to close the run."""
        try:
            await self._run()
        except EngineError as error:
            if self._engine.profile.claude_options and CAP_REACHED in str(error):
                self._keep_answer()
                self._stop_at_cap()
                return
            self._fail(str(error), error.suggestion)

    def interrupt(self) -> None:
        """Close a run that was cancelled: keep what came."""
        if not self._started:
            self._start("", OfferedTools(()))
        self._keep_answer()
        self._finish(Outcome.INTERRUPTED, INTERRUPTED)

    async def close(self) -> None:
        """End the agent's process and all that it started, and its MCP servers."""
        connection, process = self._connection, self._process
        if connection is not None and self._session:
            with contextlib.suppress(Exception):  # It may be gone already.
                async with asyncio.timeout(1):
                    await connection.cancel(self._session)
        if self._at_cap is not None:
            self._at_cap.cancel()
        if process is not None:
            await process.stop()
        if connection is not None:
            with contextlib.suppress(Exception):
                await connection.close()
        if self._relayed is not None:
            await self._relayed.close()
        await self._servers.close()
        if self._snapshots is not None:
            self._snapshots.close()

    async def _run(self) -> None:
        try:
            workspace = Workspace.at(self._delegation.workspace)
        except WorkspaceError as error:
            self._start("", OfferedTools(()))
            raise EngineError(str(error), "Choose a folder that exists.") from None
        delegation = self._delegation = replace(self._delegation, workspace=workspace.root)
        powers = await asyncio.to_thread(decide_powers, delegation, searches=False)
        prompt = await system_prompt(delegation, powers.offered, local=False)
        self._start(prompt.text, powers.offered)
        for notice in prompt.notices:
            self._emit(notice)
        for problem in powers.rules.problems:
            self._emit(Notice(problem, "warning"))
        self._warn()
        client = await self._connect(workspace, powers)
        said = _opening(delegation, prompt.text)
        confined = self._process is not None and self._process.confined
        async with watched_command(self._snapshots, "acp", sandboxed=confined) as problem:
            if problem:
                self._emit(Notice(problem, "warning"))
            await self._converse(client, said)

    async def _converse(self, client: AcpClient, said: str) -> None:
        assert self._connection is not None, "connected before"
        from acp import text_block

        while True:
            if not await may_go_on(self._delegation.budget, self._people):
                self._stop_at_cap()
                return
            self._turns += 1
            self._emit(TurnStarted(self._turns))
            client.text = ""
            answer = await self._answer(self._connection.prompt(self._session, [text_block(said)]))
            client.end_calls()
            self._keep_answer()
            self._count(answer.usage)
            capped, self._at_cap = self._at_cap is not None, None
            if capped and answer.stop_reason == "cancelled":
                said = _GO_ON
                continue
            outcome, sentence = _ENDINGS.get(str(answer.stop_reason), (Outcome.DONE, ""))
            if sentence:
                self._emit(Notice(sentence, "warning"))
            more = self.control.take_messages()
            if not more:
                if not self._text:
                    self._emit(Notice("The agent ended without an answer.", "warning"))
                self._finish(outcome, str(answer.stop_reason))
                return
            said = clean("\n\n".join(more)).strip()
            self._emit(UserMessage(said))
            self._emit(MessageAdded("user", said))

    async def _connect(self, workspace: Workspace, powers: Powers) -> AcpClient:
        """Start the agent and open a session; nothing of it runs before its walls stand."""
        delegation, profile = self._delegation, self._engine.profile
        # The libraries take a second to load, which the event loop doesn't have.
        await asyncio.to_thread(importlib.import_module, "secretary_tui.delegation.acp.acp_client")
        import acp
        from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

        from secretary_tui.delegation.acp.acp_client import AcpClient
        from secretary_tui.delegation.acp.acp_session import open_session
        from secretary_tui.delegation.tools.toolbox import Toolbox

        mode = effective_mode(delegation.permission_mode, delegation.agent)
        permissions = Permissions(workspace.root, mode, powers.rules, self._people, self._emit)
        self._snapshots = Snapshots(workspace, delegation.run_id)
        parts = ToolContext(
            *(delegation.agent.id, delegation.agent.id, workspace, powers.offered, permissions),
            *(self._people, self._emit),
            settled=self._settled,
        )
        writes = mode is not PermissionMode.PLAN and bool(
            {WRITE, EDIT, BASH} & set(powers.offered.names)
        )
        offered = await self._servers.open(delegation, parts, powers.rules.deny, mode)
        parts = replace(parts, offered=offered)
        servers, beside = await self._relay()
        takes_options = profile.claude_options
        options = claude_options(offered, delegation.budget) if takes_options else {}
        process = self._process = AcpProcess(
            profile, workspace.root, writable=writes, beside=beside
        )
        toolbox = Toolbox(parts, {}, self._snapshots)
        await self._settled()
        source, sink = await process.start()
        client = self._client = AcpClient(
            *(parts, toolbox),
            confined=profile.walls,
            missing_is_empty=profile.missing_is_empty,
            servers=self._relayed,
        )
        client.on_cost = self._watch_cost
        connection = self._connection = acp.connect_to_agent(client, sink, source)  # type: ignore[arg-type]  # Terminals and the like are not offered.
        files = FileSystemCapabilities(read_text_file=True, write_text_file=writes)
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                agent = await self._answer(
                    connection.initialize(
                        acp.PROTOCOL_VERSION,
                        ClientCapabilities(fs=files, terminal=False),
                        Implementation(name="secretary-tui", version=__version__),
                    )
                )
                session = await self._answer(
                    open_session(
                        *(connection, profile, str(workspace.root), self._wanted_models()),
                        login_methods=agent.auth_methods or (),
                        servers=servers,
                        options=options,
                    )
                )
        except TimeoutError:
            raise EngineError(
                f"{self._engine.label} did not answer within {START_TIMEOUT_S:g} s.", self._hint()
            ) from None
        self._session = session.id
        if session.model:
            self._emit(Notice(f"{profile.title} answers with {session.model}."))
        if session.warning:
            self._emit(Notice(session.warning, "warning"))
        return client

    async def _relay(self) -> tuple[list[Any], list[Path]]:
        """Offer the agent what its MCP servers have; gives what it is told and must see."""
        if not self._servers.tools:
            return [], []
        await asyncio.to_thread(importlib.import_module, "secretary_tui.delegation.acp.acp_servers")
        from secretary_tui.delegation.acp.acp_servers import AcpServers, interpreter_parts

        relayed = self._relayed = AcpServers(self._servers.tools)
        try:
            told = await relayed.open()
        except OSError as error:
            text = f"The tools of MCP servers can't be passed on: {error.strerror}."
            self._emit(Notice(text, "warning"))
            return [], []
        if about := self._engine.profile.about_servers:
            self._emit(Notice(about))
        return [*told], interpreter_parts()

    def _watch_cost(self) -> None:
        """Have the agent stop where it tells in the middle of an answer that the cap is reached."""
        client, connection = self._client, self._connection
        if self._at_cap is not None or client is None or connection is None or not self._session:
            return
        if self._delegation.budget.used_up(client.untaken_usd):
            self._at_cap = asyncio.create_task(connection.cancel(self._session), name="acp cap")

    def _stop_at_cap(self) -> None:
        if self._client is not None:
            self._client.end_calls()
        how = ending(MAX_COST, {})
        self._emit(Notice(f"{how.sentence} {how.suggestion}", "warning"))
        self._finish(how.outcome, MAX_COST)

    def _wanted_models(self) -> list[str]:
        """The models to choose, the first that the agent has."""
        delegation = self._delegation
        asked = delegation.model or delegation.agent.model or ""
        wanted = (asked, self._engine.profile.model)
        return [one for one in wanted if one and one not in ("inherit", "default")]

    async def _answer(self, asking: Any) -> Any:
        """Wait for an answer, or for the end of the process, whichever comes first.

        Raises:
            EngineError: the agent refused, or is gone.
        """
        try:
            return await asking
        except (asyncio.CancelledError, TimeoutError):
            raise
        except Exception as error:  # The library has classes of its own for what agents do.
            from secretary_tui.delegation.acp.acp_session import AUTH_REQUIRED, not_logged_in

            if getattr(error, "code", None) == AUTH_REQUIRED:
                raise not_logged_in(self._engine.profile) from None
            words = clean_line(str(error))[:200].rstrip(".") or type(error).__name__
            raise EngineError(f"{self._engine.label} failed: {words}.", self._hint()) from None

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

    def _warn(self) -> None:
        engine = self._engine
        changed = engine_changed(self._delegation, engine)
        if changed is not None:
            self._emit(changed)
        self._emit(Notice(f"{engine.label} runs this: {', '.join(engine.limits)}.", "warning"))
        if self._delegation.budget.is_capped and not engine.profile.claude_options:
            text = "It tells what it cost after an answer at best, so a cap holds only then."
            self._emit(Notice(text, "warning"))

    def _start(self, system: str, offered: OfferedTools) -> None:
        delegation = self._delegation
        self._started = True
        self._emit(run_started(delegation, self._engine, OWN_MODEL, system, offered))
        said = clean(delegation.follow_up).strip()
        if delegation.messages and said:
            self._emit(UserMessage(said))
        self._emit(MessageAdded("user", said or delegation_prompt(delegation)))

    def _keep_answer(self) -> None:
        if self._client is not None and self._client.text.strip():
            self._text = self._client.text.strip()
            self._client.text = ""
            self._emit(MessageAdded("assistant", [{"type": "text", "text": self._text}]))

    def _count(self, usage: Any) -> None:
        cost = self._client.take_cost() if self._client is not None else None
        if usage is None and cost is None:
            return
        counted = Usage(
            getattr(usage, "input_tokens", None) or 0,
            getattr(usage, "output_tokens", None) or 0,
            getattr(usage, "cached_read_tokens", None) or 0,
            getattr(usage, "cached_write_tokens", None) or 0,
        )
        counted = counted if is_counted(counted) else Usage()
        self._usage += counted
        if cost is not None:
            self._cost = (self._cost or 0.0) + cost
        self._delegation.budget.pay(cost)
        self._emit(UsageAdded(counted, cost))

    def _finish(self, outcome: Outcome, stop_reason: str) -> None:
        elapsed = time.monotonic() - self._began
        self._count(None)  # What an answer cost that was stopped.
        cost = self._cost if self._turns else 0.0
        if self._client is not None:
            self._client.end_calls()
        self._emit(
            RunFinished(outcome, stop_reason, self._text, self._usage, cost, self._turns, elapsed)
        )

    def _fail(self, error: str, suggestion: str) -> None:
        elapsed = time.monotonic() - self._began
        if self._client is not None:
            self._client.end_calls()
        self._keep_answer()
        self._count(None)
        self._emit(RunFailed(error, suggestion, False, self._usage, self._cost, elapsed))


def _opening(delegation: Delegation, system: str) -> str:
    """What the agent is told first: the definition, what was said before, and the task."""
    said = clean(delegation.follow_up).strip() or delegation_prompt(delegation)
    parts = [f"# Who you are\n\n{system}"]
    if before := "\n\n".join(_texts(delegation.messages)):
        parts.append(f"# What was said before\n\n{before}")
    return "\n\n".join((*parts, f"# What to do\n\n{said}"))


def _texts(messages: tuple[Mapping[str, Any], ...]) -> list[str]:
    """The conversation of a run that goes on, as text: an agent's session doesn't outlive it."""
    found = []
    for message in messages:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        text = "\n".join(str(b.get("text", "")) for b in blocks if b.get("type") == "text")
        if text.strip():
            found.append(f"{message.get('role')}: {clean(text).strip()}")
    return found
