"""The course of one run: the turns, what follows from each, and the one event that ends it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from secretary_tui.delegation.budget import may_go_on
from secretary_tui.delegation.calling import called_delegation
from secretary_tui.delegation.compaction import SUMMARY_PROMPT
from secretary_tui.delegation.control import RunControl
from secretary_tui.delegation.endings import (
    BUDGET_SPENT,
    CONTEXT_FULL,
    INTERRUPTED,
    MAX_COST,
    MAX_TURNS,
    SAME_CALL,
    ending,
)
from secretary_tui.delegation.ledger import Ledger
from secretary_tui.delegation.mcp_tools import McpServers
from secretary_tui.delegation.memory import memory_of
from secretary_tui.delegation.messages import Messages
from secretary_tui.delegation.opening import definition_changed, engine_changed, run_started
from secretary_tui.delegation.permissions import Permissions, effective_mode
from secretary_tui.delegation.powers import decide_powers
from secretary_tui.delegation.prompt import system_prompt
from secretary_tui.delegation.retries import RetryPolicy
from secretary_tui.delegation.run_parts import RunParts
from secretary_tui.delegation.snapshots import Snapshots
from secretary_tui.delegation.tool_names import OfferedTools
from secretary_tui.delegation.values import Delegation
from secretary_tui.delegation.workspace import Workspace, WorkspaceError
from secretary_tui.engines.base import Engine, EngineError
from secretary_tui.engines.faults import Fault, FaultKind, explain_fault
from secretary_tui.engines.reading import TellsReading
from secretary_tui.engines.uninterrupted import to_its_end
from secretary_tui.events import (
    Notice,
    Outcome,
    Retrying,
    RunEvent,
    RunFailed,
    RunFinished,
    TurnDiscarded,
    TurnStarted,
    Usage,
    UsageAdded,
)
from secretary_tui.people import People
from secretary_tui.registry.spec import MOST_TURNS, AgentSpec

if TYPE_CHECKING:
    from secretary_tui.delegation.tool_calls import ToolCall
    from secretary_tui.delegation.tools import Toolbox
    from secretary_tui.delegation.turn import Answer, ModelRequest, Turn

DEFAULT_MAX_TURNS = 50
MAX_PAUSES = 5
"""How often a service may pause one answer."""
MAX_SUMMED_UP, MAX_SUMMED_UP_LOCAL = 200_000, 12_000
"""Characters of older turns that the model is given to sum up."""


class RunFault(Exception):
    """The run can't go on; carries the fault in words."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.sentence)
        self.fault = fault


class Conversation:
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
        self._reached = False
        """Whether the model answered in this run."""
        self._began = time.monotonic()
        self._model = engine.resolve_model(delegation.model or delegation.agent.model)
        self._ledger = Ledger(engine, self._model.id, delegation.budget)
        self._messages = Messages(emit)
        self._started = False
        self._turns = 0
        self._text = ""
        self._used_tools = False
        self._servers = McpServers()
        self._toolbox: Toolbox | None = None
        self._turn: Turn | None = None
        self._unanswered: tuple[ToolCall, ...] = ()

    async def run(self) -> None:
        """Run to the end; cancelling leaves it to `interrupt` to close the run."""
        try:
            request = await self._open()
            await self._converse(request)
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
        if self._unanswered and self._toolbox is not None:
            self._messages.answer_calls(self._unanswered, self._toolbox.results)
        elif self._turn is not None:
            self._pay(self._turn)
            if self._turn.text.strip():
                self._text = self._turn.text
                self._messages.add("assistant", [{"type": "text", "text": self._turn.text}])
        self._finish(Outcome.INTERRUPTED, INTERRUPTED)

    async def _open(self) -> ModelRequest:
        """Say that the run begins, and make everything ready for the first turn."""
        delegation = self._delegation
        try:
            workspace = Workspace.at(delegation.workspace)
        except WorkspaceError as error:
            self._start("", OfferedTools(()))
            raise RunFault(_fault(str(error), "Choose a folder that exists.")) from None
        delegation = self._delegation = replace(delegation, workspace=workspace.root)
        powers = await asyncio.to_thread(
            decide_powers, delegation, searches=self._engine.server_tools
        )
        offered, rules = powers.offered, powers.rules
        prompt = await system_prompt(delegation, offered, local=self._engine.is_local)
        self._start(prompt.text, offered)
        changed = (definition_changed(delegation), engine_changed(delegation, self._engine))
        for notice in (*changed, offered.notice, *prompt.notices):
            if notice is not None:
                self._emit(notice)
        for warning in (*rules.problems, self._model.warning):
            if warning:
                self._emit(Notice(warning, "warning"))
        if delegation.budget.is_capped and self._engine.price(self._model.id, Usage(1)) is None:
            text = f"The price of {self._model.id} is not known, so a cost cap can't hold."
            self._emit(Notice(text, "warning"))
        await self._messages.open(delegation, self._people)
        # The SDK's import takes a second that the event loop doesn't have.
        await asyncio.to_thread(importlib.import_module, "secretary_tui.delegation.turn")
        from secretary_tui.delegation.beside import skill_folder
        from secretary_tui.delegation.tools import Toolbox
        from secretary_tui.delegation.toolset import more_tools
        from secretary_tui.delegation.turn import ModelRequest
        from secretary_tui.delegation.web_search import ask_to_search

        mode = effective_mode(delegation.permission_mode, delegation.agent)
        permissions = Permissions(workspace.root, mode, rules, self._people, self._emit)
        name = self._delegation.lineage.name(delegation.agent.id)
        if self._snapshots is None:
            self._snapshots = Snapshots(workspace, delegation.run_id)
        parts = RunParts(
            *(delegation.agent.id, name, workspace, offered, permissions),
            *(self._people, self._emit),
            settled=self._settled,
            memory=memory_of(delegation.agent, workspace.root),
            takes_media=self._engine.takes_media,
            beside=skill_folder(delegation.agent),
        )
        parts = await ask_to_search(parts)
        offered = await self._servers.open(self._delegation, parts, rules.deny, mode)
        parts = replace(parts, offered=offered)
        more = more_tools(
            parts,
            self._delegation.lineage,
            lambda agent, task, emit: self._run_called(agent, task, offered, emit),
        )
        self._toolbox = Toolbox(
            parts, more, self._snapshots, self._settled, foreign=self._servers.tools
        )
        try:
            client = await self._engine.client()
        except EngineError as error:
            raise RunFault(explain_fault(error)) from None
        return ModelRequest(
            client,
            self._model.id,
            self._engine.max_tokens,
            prompt.text,
            cached=not self._engine.is_local,
            reader=self._engine if isinstance(self._engine, TellsReading) else None,
        )

    def _start(self, system: str, offered: OfferedTools) -> None:
        self._started = True
        started = run_started(self._delegation, self._engine, self._model.id, system, offered)
        self._emit(started)

    async def _converse(self, request: ModelRequest) -> None:
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
            answer = await self._take_turn(request)
            self._text = answer.text.strip() or self._text
            if answer.stop_reason == "tool_use" and answer.calls:
                if self._toolbox is not None and self._toolbox.is_stuck:
                    self._end(SAME_CALL, {})
                    return
                if tokens is not None and self._ledger.counted >= tokens:
                    self._end(BUDGET_SPENT, {})
                    return
                continue
            if answer.stop_reason == "pause_turn" and pauses < MAX_PAUSES:
                pauses, paused = pauses + 1, True
                continue
            if answer.stop_reason == CONTEXT_FULL and await self._make_room(request, 0):
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
                self._emit(self._ledger.take_over(event))

        called = Conversation(
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

    async def _take_turn(self, request: ModelRequest) -> Answer:
        """Ask until a whole answer came, then run its tools.

        Raises:
            RunFault: it can't be had.
        """
        from secretary_tui.delegation.turn import FAULTS, Turn

        assert self._toolbox is not None, "opened before"
        attempt, overflows = 1, 0
        while True:
            turn = self._turn = Turn(request, self._messages.items, self._toolbox, self._emit)
            try:
                try:
                    answer = await turn.ask()
                except FAULTS as error:
                    self._turn = None
                    self._pay(turn)
                    fault = explain_fault(error)
                    if fault.kind is FaultKind.TOO_LONG and await self._make_room(
                        request, overflows
                    ):
                        overflows += 1
                        continue
                    delay = self._retry.delay(fault, attempt, reached=self._reached)
                    if delay is None:
                        raise RunFault(fault) from error
                else:
                    self._turn = None
                    self._reached = True
                    self._pay(turn)
                    await self._take_in(turn, answer)
                    return answer
            finally:
                with contextlib.suppress(*FAULTS):
                    await turn.close()
            attempt += 1
            if turn.streamed:
                self._emit(TurnDiscarded(fault.sentence))
            most = self._retry.attempts(fault, reached=self._reached)
            self._emit(Retrying(attempt, most, fault.sentence, delay))
            await self._sleep(delay)

    async def _take_in(self, turn: Turn, answer: Answer) -> None:
        """Add a whole answer to the conversation, and what its tools gave."""
        runs = answer.stop_reason == "tool_use"
        content = [block for block in answer.content if runs or block["type"] != "tool_use"]
        if len(content) < len(answer.content):
            self._emit(
                Notice(
                    "The answer holds a tool call that is not complete; it was not run.", "warning"
                )
            )
        if content:
            self._messages.add("assistant", content)
        if runs and answer.calls:
            self._used_tools = True
            self._unanswered = answer.calls
            results = await turn.run_tools(answer.calls)
            self._unanswered = ()
            self._messages.add("user", results)

    async def _make_room(self, request: ModelRequest, overflows: int) -> bool:
        """Shorten the conversation that no longer fits; whether something could be left out."""
        from secretary_tui.delegation.turn import sum_up

        async def summarise(text: str) -> str:
            summary, usage = await sum_up(request, SUMMARY_PROMPT, text)
            self._count(usage)
            return summary

        most = MAX_SUMMED_UP_LOCAL if self._engine.is_local else MAX_SUMMED_UP
        return await self._messages.shorten(overflows, summarise, most)

    def _pay(self, turn: Turn) -> None:
        self._count(turn.take_usage())

    def _count(self, usage: Usage) -> None:
        event = self._ledger.add(usage)
        if event is not None:
            self._emit(event)
        if warning := self._delegation.budget.warning():
            self._emit(Notice(warning, "warning"))

    def _stop_at_cap(self) -> None:
        how = ending(MAX_COST, {})
        self._emit(Notice(f"{how.sentence} {how.suggestion}", "warning"))
        self._finish(how.outcome, MAX_COST)

    def _end(self, stop_reason: str | None, details: Mapping[str, Any]) -> None:
        how = ending(stop_reason, details)
        if how.sentence and not self._text and not self._used_tools:
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
