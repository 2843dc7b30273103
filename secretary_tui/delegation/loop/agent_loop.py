"""The loop around a model's API: its turns, what follows from each, and when it is over."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from secretary_tui.delegation.carrier.carrier import RunContext
from secretary_tui.delegation.carrier.endings import (
    BUDGET_SPENT,
    CONTEXT_FULL,
    MAX_TURNS,
    SAME_CALL,
    RunEnding,
    RunFault,
    ending,
    plain_fault,
)
from secretary_tui.delegation.carrier.run_control import Inbox
from secretary_tui.delegation.carrier.run_course import RunCourse
from secretary_tui.delegation.carrier.run_opening import RunBrief, RunOpening
from secretary_tui.delegation.loop.messages import Messages
from secretary_tui.delegation.loop.retry_policy import RetryPolicy
from secretary_tui.delegation.mcp.mcp_tools import McpServers
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.spend.budget import BudgetSpentError, BudgetStoreError
from secretary_tui.delegation.spend.ledger import Ledger
from secretary_tui.delegation.undo.snapshots import Snapshots
from secretary_tui.engines.base import EngineError, WireProtocol
from secretary_tui.engines.faults import explain_fault
from secretary_tui.engines.prompt_reading import TellsReading
from secretary_tui.engines.uninterrupted import to_its_end
from secretary_tui.events import Notice, RunEvent, Usage, UsageAdded
from secretary_tui.registry.definition.spec import MOST_TURNS, AgentSpec

if TYPE_CHECKING:
    from secretary_tui.delegation.loop.model_call import ModelReply
    from secretary_tui.delegation.loop.model_turns import ModelTurns
    from secretary_tui.delegation.tools.toolbox import Toolbox

DEFAULT_MAX_TURNS = 50
MAX_PAUSES = 5
"""How often a service may pause one answer."""


class AgentLoop:
    """Carries out a run by asking a model, turn by turn, and running the tools that it calls.

    Args:
        snapshots: The caller's, for an agent that was called: what it changes is a part of that
            run. Else it has its own.
    """

    def __init__(
        self, run: RunContext, retry: RetryPolicy, *, snapshots: Snapshots | None = None
    ) -> None:
        self._run = run
        self._delegation = run.delegation
        self._retry = retry
        self._snapshots = snapshots
        self._owns_snapshots = snapshots is None
        self._opening = RunOpening(run)
        self._model = self._opening.model.id
        self._ledger = Ledger(run.engine, self._model, run.delegation.budget, run.emit)
        self._course = RunCourse(run, lambda: (self._ledger.usage, self._ledger.cost_usd))
        self._messages = Messages(run.emit)
        self._servers = McpServers()
        self._taking: ModelTurns | None = None
        """Takes the turns, once all is ready for the first."""

    async def run(self) -> None:
        """Run to the end; cancelling leaves it to `interrupt` to close the run."""
        try:
            self._taking = await self._open()
            await self._converse(self._taking)
        except RunFault as stop:
            self._course.fail(stop.fault)
        except BudgetSpentError:
            self._course.end_at_cap()
        except BudgetStoreError as error:
            self._course.fail(plain_fault(str(error), error.suggestion))

    def interrupt(self) -> None:
        """Close a run that was cancelled: keep what came, in a form that can be continued."""
        self._opening.tell_start()
        if self._taking is not None:
            self._course.text = self._taking.break_off() or self._course.text
        self._course.interrupt()

    def say(self, text: str) -> None:
        """Have the agent told at its next turn."""
        self._run.inbox.say(text)

    async def close(self) -> None:
        """Put away what the run needed only while it went on."""
        await self._servers.close()
        if self._snapshots is not None and self._owns_snapshots:
            self._snapshots.close()

    async def _open(self) -> ModelTurns:
        """Say that the run begins, and make everything ready for the first turn.

        Raises:
            RunFault: it can't begin.
        """
        run, engine = self._run, self._run.engine
        brief = await self._opening.open()
        self._delegation = brief.delegation
        for notice in self._notices(brief):
            run.emit(notice)
        await self._messages.open(brief.delegation, run.people)
        # The SDK's import takes a second that the event loop doesn't have.
        await asyncio.to_thread(
            importlib.import_module, "secretary_tui.delegation.loop.model_turns"
        )
        from secretary_tui.delegation.loop.model_call import ModelRequest
        from secretary_tui.delegation.loop.model_turns import ModelTurns

        toolbox = await self._equip(brief)
        try:
            client = await engine.client()
        except EngineError as error:
            raise RunFault(explain_fault(error)) from None
        request = ModelRequest(
            *(client, self._model, engine.max_tokens, brief.prompt.text),
            cached=not engine.is_local,
            reader=engine if isinstance(engine, TellsReading) else None,
        )
        return ModelTurns(
            *(request, self._messages, toolbox, self._ledger, run.emit, self._retry),
            is_local=engine.is_local,
        )

    def _notices(self, brief: RunBrief) -> Iterator[Notice]:
        """Notices of missing tools, and of a cost cap that can't be kept."""
        if (missing := brief.access.offered.notice) is not None:
            yield missing
        price = self._run.engine.price(self._model, Usage(1))
        if brief.delegation.budget.is_capped and price is None:
            text = f"The price of {self._model} is not known, so a cost cap can't hold."
            yield Notice(text, "warning")

    async def _equip(self, brief: RunBrief) -> Toolbox:
        """Make the tools, those of MCP servers with them; the user is asked about some."""
        from secretary_tui.delegation.tools.toolbox import Toolbox, more_tools
        from secretary_tui.delegation.tools.web_search import ask_to_search

        delegation = brief.delegation
        if self._snapshots is None:
            self._snapshots = Snapshots(brief.workspace, delegation.run_id)
        context = await ask_to_search(brief.tool_context(self._run))
        deny = brief.access.rules.deny
        offered = await self._servers.open(delegation, context, deny, brief.mode)
        context = replace(context, offered=offered)
        more = more_tools(
            context,
            delegation.lineage,
            lambda called, task, emit: self._run_called(called, task, offered, emit),
        )
        return Toolbox(
            *(context, more, self._snapshots, self._servers.tools),
            in_few_words=self._run.engine.wire_protocol is WireProtocol.COMPLETIONS,
        )

    async def _converse(self, taking: ModelTurns) -> None:
        course, inbox = self._course, self._run.inbox
        pauses, is_paused = 0, False
        while course.turns < self._turn_limit:
            if not await course.may_go_on():
                return
            if not is_paused:  # A paused answer has to be the last message.
                self._messages.hear(inbox.take())
            course.begin_turn()
            reply = await taking.take()
            course.text = reply.text.strip() or course.text
            is_paused = reply.stop_reason == "pause_turn" and pauses < MAX_PAUSES
            pauses += is_paused
            if is_paused:
                continue
            stop_reason = await self._reason_to_stop(reply, taking)
            if stop_reason is not None:
                self._end(stop_reason, ending(stop_reason, reply.stop_details))
                return
        self._end(MAX_TURNS, ending(MAX_TURNS, {}))

    async def _reason_to_stop(self, reply: ModelReply, taking: ModelTurns) -> str | None:
        """Say why the run ends with an answer; None where it goes on."""
        tokens = self._delegation.lineage.max_tokens
        if reply.stop_reason == "tool_use" and reply.calls:
            if taking.is_stuck:
                return SAME_CALL
            return BUDGET_SPENT if tokens is not None and self._ledger.counted >= tokens else None
        if reply.stop_reason == CONTEXT_FULL and await taking.make_room():
            self._messages.go_on()
            return None
        if self._run.inbox.waiting and self._course.turns < self._turn_limit:
            if sentence := ending(reply.stop_reason, reply.stop_details).sentence:
                self._run.emit(Notice(sentence, "warning"))
            return None
        return reply.stop_reason or "end_turn"

    @property
    def _turn_limit(self) -> int:
        own = min(self._delegation.agent.max_turns or DEFAULT_MAX_TURNS, MOST_TURNS)
        return self._delegation.lineage.turns(own)

    async def _run_called(
        self, agent: AgentSpec, task: str, offered: OfferedTools, emit: Callable[[RunEvent], None]
    ) -> None:
        """Run an agent that this one calls, to its end; what it pays, this run pays."""

        def tell(event: RunEvent) -> None:
            emit(event)
            if isinstance(event, UsageAdded):
                self._ledger.take_over(event)

        delegation = self._delegation.below(agent, task, offered, self._turn_limit, self._model)
        # It hears nobody but its caller.
        run = replace(self._run, delegation=delegation, emit=tell, inbox=Inbox())
        called = AgentLoop(run, self._retry, snapshots=self._snapshots)
        try:
            await called.run()
        except asyncio.CancelledError:
            called.interrupt()
            raise
        finally:
            await to_its_end(called.close())

    def _end(self, stop_reason: str, how: RunEnding) -> None:
        used_tools = self._taking is not None and self._taking.used_tools
        if how.sentence and not self._course.text and not used_tools:
            self._course.fail(plain_fault(how.sentence, how.suggestion))
        else:
            self._course.end(stop_reason, how)
