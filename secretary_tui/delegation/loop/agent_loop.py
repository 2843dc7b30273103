"""The course of one run: the turns, what follows from each, and the one event that ends it."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from secretary_tui.delegation.brief.opening import opening_notices, run_started
from secretary_tui.delegation.brief.powers import Powers, decide_powers
from secretary_tui.delegation.brief.prompt import system_prompt
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.loop.calling import called_delegation
from secretary_tui.delegation.loop.control import RunControl
from secretary_tui.delegation.loop.endings import (
    BUDGET_SPENT,
    CONTEXT_FULL,
    INTERRUPTED,
    MAX_COST,
    MAX_TURNS,
    SAME_CALL,
    RunFault,
    ending,
)
from secretary_tui.delegation.loop.messages import Messages
from secretary_tui.delegation.loop.retries import RetryPolicy
from secretary_tui.delegation.mcp.mcp_tools import McpServers
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permissions import Permissions, effective_mode
from secretary_tui.delegation.spend.budget import may_go_on
from secretary_tui.delegation.spend.ledger import Ledger
from secretary_tui.delegation.tools.memory import memory_of
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.undo.snapshots import Snapshots
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.engines.base import Engine, EngineError
from secretary_tui.engines.faults import Fault, FaultKind, explain_fault
from secretary_tui.engines.prompt_reading import TellsReading
from secretary_tui.engines.uninterrupted import to_its_end
from secretary_tui.events import (
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    TurnStarted,
    UsageAdded,
)
from secretary_tui.people import People
from secretary_tui.registry.definition.spec import MOST_TURNS, AgentSpec

if TYPE_CHECKING:
    from secretary_tui.delegation.loop.turn_taking import TurnTaking
    from secretary_tui.delegation.tools.toolbox import Toolbox

DEFAULT_MAX_TURNS = 50
MAX_PAUSES = 5
"""How often a service may pause one answer."""


class AgentLoop:
    """One run, from its first event to its last."""

    def __init__(
        self,
        delegation: Delegation,
        engine: Engine,
        people: People,
        emit: Callable[[RunEvent], None],
        retry: RetryPolicy,
        sleep: Callable[[float], Awaitable[object]],
        settled: Callable[[], Awaitable[object]],
        snapshots: Snapshots | None = None,
    ) -> None:
        self._delegation = delegation
        self._engine = engine
        self._people = people
        self._emit = emit
        self._retry = retry
        self._sleep = sleep
        self._settled = settled
        self._snapshots = snapshots
        """The caller's, for an agent that was called: what it changes is a part of that run."""
        self._owns_snapshots = snapshots is None
        self.control = RunControl()
        """What the user says while the run goes on comes from here; an agent that was called hears
        nobody but its caller."""
        self._began = time.monotonic()
        self._model = engine.resolve_model(delegation.model or delegation.agent.model)
        self._ledger = Ledger(engine, self._model.id, delegation.budget, emit)
        self._messages = Messages(emit)
        self._started = False
        self._turns = 0
        self._text = ""
        self._servers = McpServers()
        self._taking: TurnTaking | None = None
        """Takes the turns, once all is ready for the first."""

    async def run(self) -> None:
        """Run to the end; cancelling leaves it to `interrupt` to close the run."""
        try:
            self._taking = await self._open()
            await self._converse(self._taking)
        except RunFault as stop:
            self._fail(stop.fault)

    async def close(self) -> None:
        """Put away what the run needed only while it went on."""
        await self._servers.close()
        if self._snapshots is not None and self._owns_snapshots:
            self._snapshots.close()

    def interrupt(self) -> None:
        """Close a run that was cancelled: keep what came, in a form that can be continued."""
        if not self._started:
            self._start("", OfferedTools(()))
        if self._taking is not None:
            self._text = self._taking.break_off() or self._text
        self._finish(Outcome.INTERRUPTED, INTERRUPTED)

    async def _open(self) -> TurnTaking:
        """Say that the run begins, and make everything ready for the first turn.

        Raises:
            RunFault: it can't begin.
        """
        engine = self._engine
        try:
            workspace = Workspace.at(self._delegation.workspace)
        except WorkspaceError as error:
            self._start("", OfferedTools(()))
            raise RunFault(_fault(str(error), "Choose a folder that exists.")) from None
        delegation = self._delegation = replace(self._delegation, workspace=workspace.root)
        powers = await asyncio.to_thread(decide_powers, delegation, searches=engine.server_tools)
        prompt = await system_prompt(delegation, powers.offered, local=engine.is_local)
        self._start(prompt.text, powers.offered)
        for notice in opening_notices(delegation, engine, self._model, powers, prompt):
            self._emit(notice)
        await self._messages.open(delegation, self._people)
        # The SDK's import takes a second that the event loop doesn't have.
        await asyncio.to_thread(
            importlib.import_module, "secretary_tui.delegation.loop.turn_taking"
        )
        from secretary_tui.delegation.loop.model_call import ModelRequest
        from secretary_tui.delegation.loop.turn_taking import TurnTaking

        toolbox = await self._equip(workspace, powers)
        try:
            client = await engine.client()
        except EngineError as error:
            raise RunFault(explain_fault(error)) from None
        request = ModelRequest(
            client,
            self._model.id,
            engine.max_tokens,
            prompt.text,
            cached=not engine.is_local,
            reader=engine if isinstance(engine, TellsReading) else None,
        )
        return TurnTaking(
            *(request, self._messages, toolbox, self._ledger, self._emit),
            *(self._retry, self._sleep),
            is_local=engine.is_local,
        )

    async def _equip(self, workspace: Workspace, powers: Powers) -> Toolbox:
        """Make the tools, those of MCP servers with them; the user is asked about some."""
        from secretary_tui.delegation.tools.skill_files import skill_folder
        from secretary_tui.delegation.tools.toolbox import Toolbox
        from secretary_tui.delegation.tools.toolset import more_tools
        from secretary_tui.delegation.tools.web_search import ask_to_search

        delegation, agent = self._delegation, self._delegation.agent
        mode = effective_mode(delegation.permission_mode, agent)
        permissions = Permissions(workspace.root, mode, powers.rules, self._people, self._emit)
        if self._snapshots is None:
            self._snapshots = Snapshots(workspace, delegation.run_id)
        name = delegation.lineage.name(agent.id)
        parts = ToolContext(
            *(agent.id, name, workspace, powers.offered, permissions),
            *(self._people, self._emit),
            settled=self._settled,
            memory=memory_of(agent, workspace.root),
            takes_media=self._engine.takes_media,
            skill_folder=skill_folder(agent),
        )
        parts = await ask_to_search(parts)
        offered = await self._servers.open(delegation, parts, powers.rules.deny, mode)
        parts = replace(parts, offered=offered)
        more = more_tools(
            parts,
            delegation.lineage,
            lambda called, task, emit: self._run_called(called, task, offered, emit),
        )
        return Toolbox(parts, more, self._snapshots, foreign=self._servers.tools)

    def _start(self, system: str, offered: OfferedTools) -> None:
        self._started = True
        started = run_started(self._delegation, self._engine, self._model.id, system, offered)
        self._emit(started)

    async def _converse(self, taking: TurnTaking) -> None:
        limit, tokens = self._turn_limit, self._delegation.lineage.max_tokens
        pauses, paused = 0, False
        while self._turns < limit:
            if not await may_go_on(self._delegation.budget, self._people):
                self._stop_at_cap()
                return
            if not paused:  # A paused answer has to be the last message.
                self._messages.hear(self.control.take_messages())
            paused = False
            self._turns += 1
            self._emit(TurnStarted(self._turns))
            answer = await taking.take()
            self._text = answer.text.strip() or self._text
            if answer.stop_reason == "tool_use" and answer.calls:
                if taking.is_stuck:
                    self._end(SAME_CALL, {})
                    return
                if tokens is not None and self._ledger.counted >= tokens:
                    self._end(BUDGET_SPENT, {})
                    return
                continue
            if answer.stop_reason == "pause_turn" and pauses < MAX_PAUSES:
                pauses, paused = pauses + 1, True
                continue
            if answer.stop_reason == CONTEXT_FULL and await taking.make_room():
                self._messages.go_on()
                continue
            if self.control.waiting and self._turns < limit:
                if sentence := ending(answer.stop_reason, answer.stop_details).sentence:
                    self._emit(Notice(sentence, "warning"))
                continue
            self._end(answer.stop_reason, answer.stop_details)
            return
        self._end(MAX_TURNS, {})

    @property
    def _turn_limit(self) -> int:
        own = min(self._delegation.agent.max_turns or DEFAULT_MAX_TURNS, MOST_TURNS)
        return self._delegation.lineage.turns(own)

    async def _run_called(
        self,
        agent: AgentSpec,
        task: str,
        offered: OfferedTools,
        emit: Callable[[RunEvent], None],
    ) -> None:
        """Run an agent that this one calls, to its end; what it pays, this run pays."""
        caller = self._delegation

        def tell(event: RunEvent) -> None:
            emit(event)
            if isinstance(event, UsageAdded):
                self._ledger.take_over(event)

        called = AgentLoop(
            called_delegation(caller, agent, task, offered, self._turn_limit, self._model.id),
            self._engine,
            self._people,
            tell,
            self._retry,
            self._sleep,
            self._settled,
            snapshots=self._snapshots,
        )
        try:
            await called.run()
        except asyncio.CancelledError:
            called.interrupt()
            raise
        finally:
            await to_its_end(called.close())

    def _stop_at_cap(self) -> None:
        how = ending(MAX_COST, {})
        self._emit(Notice(f"{how.sentence} {how.suggestion}", "warning"))
        self._finish(how.outcome, MAX_COST)

    def _end(self, stop_reason: str | None, details: Mapping[str, Any]) -> None:
        how = ending(stop_reason, details)
        used_tools = self._taking is not None and self._taking.used_tools
        if how.sentence and not self._text and not used_tools:
            self._fail(_fault(how.sentence, how.suggestion))
            return
        if how.sentence:
            self._emit(Notice(f"{how.sentence} {how.suggestion}", "warning"))
        elif not self._text:
            self._emit(Notice("The agent ended without an answer.", "warning"))
        self._finish(how.outcome, stop_reason or "end_turn")

    def _finish(self, outcome: Outcome, stop_reason: str) -> None:
        self._emit(
            RunFinished(
                outcome,
                stop_reason,
                self._text,
                self._ledger.usage,
                self._ledger.cost_usd,
                self._turns,
                time.monotonic() - self._began,
            )
        )

    def _fail(self, fault: Fault) -> None:
        self._emit(
            RunFailed(
                fault.sentence,
                fault.suggestion,
                fault.retryable,
                self._ledger.usage,
                self._ledger.cost_usd,
                time.monotonic() - self._began,
            )
        )


def _fault(sentence: str, suggestion: str) -> Fault:
    return Fault(FaultKind.ENGINE, sentence, suggestion, False)
