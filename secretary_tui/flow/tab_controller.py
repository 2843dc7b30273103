"""From a sent text to a run: choose, start it in a tab, and keep the tabs.

The controller of the main screen. It owns no widget: it talks to the panels through the `Frontend`,
to everything below through the `Secretary`, and each tab is a `RunController` of its own.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic

from secretary_tui.coordinator.dispatch_values import Replied, Step
from secretary_tui.events import Notice, UsageAdded
from secretary_tui.flow.frontend import Frontend, Routed, ViewT
from secretary_tui.flow.routing_controller import RoutingController, ToTheAgent
from secretary_tui.flow.run_controller import RunController
from secretary_tui.people import RouteAction
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.spend import Spend

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation

TWICE_S = 1.0
"""Seconds in which a second Esc stops everything."""


class TabController(Generic[ViewT]):
    """One choice at a time, several runs; what is typed goes to the tab that is shown."""

    def __init__(self, stage: Frontend[ViewT]) -> None:
        self._stage = stage
        self.route = RoutingController(stage)
        self._task: asyncio.Task[None] | None = None
        """Finds the agent for a request; the run is the tab's own."""
        self._routed_for: RunController[ViewT] | None = None
        """The tab whose request that is."""
        self._conversation = asyncio.Lock()
        """The coordinator follows one request, or takes note of one answer, at a time."""
        self._notes: set[asyncio.Task[None]] = set()
        self._stopped_at = float("-inf")
        self.hung_up = asyncio.Event()
        """Set once nobody can be asked any more."""
        self.spent = Spend()
        """What this session has cost."""
        self.shown = RunController(1, stage, stage.new_view(), self)
        """The tab on the screen."""
        self._flows = [self.shown]

    # ------------------------------------------------------------------- state

    @property
    def flows(self) -> tuple[RunController[ViewT], ...]:
        """All tabs, in the order they are shown."""
        return tuple(self._flows)

    @property
    def shares_the_screen(self) -> bool:
        """Whether there is more than one tab, so that each must be named."""
        return len(self._flows) > 1

    @property
    def routing(self) -> bool:
        """Whether an agent is being found and chosen."""
        return self._task is not None and not self._task.done()

    @property
    def busy(self) -> bool:
        """Whether a request is on its way: being routed, or in the tab that is shown."""
        return self.routing or self.shown.busy

    @property
    def running(self) -> bool:
        """Whether the agent of the shown tab is at work."""
        return self.shown.running

    @property
    def holding(self) -> bool:
        """Whether the choice can still be taken back."""
        return self.route.holding

    @property
    def agent(self) -> str:
        """The agent at work in the shown tab, empty between runs."""
        return self.shown.progress.agent

    @property
    def run_id(self) -> str:
        """The run on the screen, which a reply continues."""
        return self.shown.progress.run_id

    @property
    def run_agent(self) -> str:
        """The agent of that run."""
        return self.shown.progress.run_agent

    @property
    def last_answer(self) -> str:
        """The final answer of the last run in the shown tab, in markdown."""
        return self.shown.progress.last_answer

    @property
    def elapsed_s(self) -> float:
        """Seconds since the agent of the shown tab began."""
        return self.shown.progress.elapsed_s

    @property
    def waits_for(self) -> str:
        """What the agent of the shown tab waits for; empty when nothing is known."""
        return self.shown.progress.waits_for if self.shown.running else ""

    @property
    def waiting(self) -> tuple[str, ...]:
        """Messages that the agent of the shown tab was not told yet."""
        return self.shown.waiting

    @property
    def undelivered(self) -> tuple[str, ...]:
        """The same, of all tabs."""
        return tuple(message for flow in self._flows for message in flow.waiting)

    @property
    def is_full(self) -> bool:
        """Whether no more runs may go on at once."""
        limit = self._stage.secretary.config.max_parallel_runs
        return sum(flow.running for flow in self._flows) >= limit

    # ------------------------------------------------------------------- verbs

    def submit(self, text: str, *, reply: bool = False, context: tuple[str, ...] = ()) -> None:
        """Take what the user sent: a new request, a reply, or a message to the agent at work.

        `context` goes along with a new request, as lines of the delegation's context.
        """
        flow = self.shown
        if flow.running:
            flow.say(text)
            return
        if self.routing:
            self._drop_routing()
        flow.cancel(replaced=True)
        if self.is_full:
            self._stage.show_event(Notice(self.full_sentence, "warning"))
            self._stage.give_back(text)
        elif reply and flow.progress.run_id:
            flow.reply(text)
        else:
            self._route(flow, self._serve(flow, text, context=context))

    @property
    def full_sentence(self) -> str:
        """Says that no more runs may go on at once, and what to do."""
        limit = self._stage.secretary.config.max_parallel_runs
        runs = "1 run goes" if limit == 1 else f"{limit} runs go"
        return f"{runs} on already (max_parallel_runs). Wait for one, or stop one with Esc."

    def step_back(self) -> bool:
        """Esc: take the choice back, or stop the run, or at once again all of them.

        Gives whether there was something to do.
        """
        if self.route.take_back():
            return True
        now = time.monotonic()
        if now - self._stopped_at <= TWICE_S and self.stop_all():
            return True
        if self.shown.stop():
            self._stopped_at = now
            return True
        return False

    def stop_all(self) -> bool:
        """Stop all runs, and the search for an agent; whether there was something to stop."""
        stopped = [flow.stop() for flow in self._flows if not flow.stopping]
        if self.routing:
            self.cancel()
            return True
        return any(stopped)

    def restore(self, request: str, step: Step) -> None:
        """Show the panel again that was open when the last session ended."""
        self._route(self.shown, self._serve(self.shown, request, step))

    def cancel(self) -> None:
        """Drop what waits for an answer; nothing that runs is stopped."""
        if self.routing:
            self._drop_routing()
        if not self.shown.running:
            self.shown.cancel()

    async def finish_alone(self) -> None:
        """Let the runs go on to their ends with nobody there: what they ask is denied."""
        self.hung_up.set()
        if self.routing:
            self._drop_routing()
        await asyncio.gather(*(flow.finished() for flow in self._flows))

    async def aclose(self) -> None:
        """End what goes on and wait until it is logged."""
        if self._task is not None and self.routing:
            self._task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._task
        await asyncio.gather(*(flow.aclose() for flow in self._flows))
        for note in tuple(self._notes):
            note.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await note

    # -------------------------------------------------------------------- tabs

    def open_tab(self) -> RunController[ViewT]:
        """Show an empty tab beside the others: one that is there, or a new one."""
        flow = next((flow for flow in self._flows if flow.is_empty), None)
        if flow is None:
            number = next(n for n in range(1, len(self._flows) + 2) if not self._numbered(n))
            flow = RunController(number, self._stage, self._stage.new_view(), self)
            self._flows.append(flow)
            self._flows.sort(key=lambda each: each.number)
        self.show(flow)
        return flow

    def show(self, flow: RunController[ViewT]) -> None:
        """Show another tab; an empty one that is left goes away."""
        if flow is self.shown:
            return
        left, self.shown = self.shown, flow
        if left.is_empty and left is not self._routed_for:
            self._flows.remove(left)
            self._stage.drop_view(left.view)
        self._stage.show_view(flow.view)
        self._stage.flow_changed()

    def switch(self, step: int) -> bool:
        """Show the next tab, or the one before; whether there is another."""
        if not self.shares_the_screen:
            return False
        at = self._flows.index(self.shown)
        self.show(self._flows[(at + step) % len(self._flows)])
        return True

    def _numbered(self, number: int) -> RunController[ViewT] | None:
        return next((flow for flow in self._flows if flow.number == number), None)

    def show_number(self, number: int) -> None:
        """Show the tab of that number, if there is one."""
        flow = self._numbered(number)
        if flow is not None:
            self.show(flow)

    def show_id(self, run_id: str) -> bool:
        """Show the tab that has a run at work, by the run's id; whether there is one."""
        flow = next((f for f in self._flows if f.progress.run_id == run_id and f.running), None)
        if flow is not None:
            self.show(flow)
        return flow is not None

    # ----------------------------------------------------- what the tabs call

    def paid(self, event: UsageAdded) -> None:
        """Count one model answer of a run."""
        self.spent += Spend.of(event.cost_usd, event.usage)

    def begun(self, flow: RunController[ViewT]) -> None:
        """A run that was chosen begins."""
        if flow is self.shown:
            self._stage.begin_run()

    def choose_again(
        self, flow: RunController[ViewT], request: str, context: tuple[str, ...]
    ) -> None:
        """Find another agent for a request whose run failed."""
        if self.routing:
            self._drop_routing()
        self._route(flow, self._serve(flow, request, context=context))

    def answered(self, text: str, agent: str) -> None:
        """Let the coordinator know what an agent answered, once it follows no request."""
        task = asyncio.create_task(self._note_answer(text, agent), name="note")
        self._notes.add(task)
        task.add_done_callback(self._noted)

    async def _note_answer(self, text: str, agent: str) -> None:
        async with self._conversation:
            await self._stage.secretary.coordinator.note_answer(text, agent)

    def _noted(self, task: asyncio.Task[None]) -> None:
        self._notes.discard(task)
        self._report(task)

    # ----------------------------------------------------------------- routing

    def _route(self, flow: RunController[ViewT], serving: Coroutine[Any, Any, None]) -> None:
        self._routed_for = flow
        self._task = asyncio.create_task(serving, name="dispatch")
        self._task.add_done_callback(self._routing_ended)
        self._stage.flow_changed()

    def _drop_routing(self) -> None:
        self._stage.secretary.coordinator.abandon()
        if self._task is not None:
            self._task.cancel()

    def _routing_ended(self, task: asyncio.Task[None]) -> None:
        if task is self._task:
            self._routed_for = None
        self._report(task)
        self._stage.flow_changed()

    def _report(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._stage.report(error)

    async def _serve(
        self,
        flow: RunController[ViewT],
        request: str,
        step: Step | None = None,
        context: tuple[str, ...] = (),
    ) -> None:
        try:
            async with self._conversation:
                reply_to = flow.progress.run_agent if not context else ""
                decided = await (
                    self.route.decide(request, reply_to) if step is None else self.route.play(step)
                )
                while isinstance(decided, Routed):
                    delegation = self._delegation(request, decided, context)
                    if delegation is not None:
                        self.show(flow)
                        flow.begin(delegation, decided.choice, request)
                        return
                    decided = await self.route.decide(request)
            if isinstance(decided, ToTheAgent) and flow.progress.run_id:
                self.show(flow)
                flow.reply(request)
                return
            if isinstance(decided, Replied):
                self.show(flow)
                self._stage.reply(request, decided)
                return
        except asyncio.CancelledError:
            if self._task is asyncio.current_task():  # Else another request took its place.
                self._stage.give_back(request)
            raise
        except Exception:  # `_report` says what it was; the text stays for another try.
            self._stage.give_back(request)
            raise
        self._stage.give_back(request)

    def _delegation(
        self, request: str, routed: Routed, context: tuple[str, ...]
    ) -> Delegation | None:
        """Make what was chosen a delegation; None when the agent went away meanwhile."""
        choice = routed.choice
        assert choice.agent is not None
        ranking = routed.recommendation.ranking
        found = (m.confidence for m in ranking if m.agent == choice.agent)
        confidence = next(found, None) if choice.action is not RouteAction.OTHER else None
        workflow = routed.recommendation.workflow
        if choice.action is RouteAction.WORKFLOW and workflow is not None:
            confidence = workflow.confidence
        # A command that was named without arguments gets none.
        bare = workflow is not None and workflow.arguments == ""
        # What the user took out of the task must not go along as "the user's words".
        edited = bool(choice.task) and choice.task != routed.recommendation.intent
        try:
            delegation = self._stage.secretary.delegation(
                choice.agent,
                choice.task if edited else routed.recommendation.request,
                choice.task or ("" if bare else request),
                context=context,
                confidence=confidence,
            )
        except AgentNotFoundError as error:  # The file went away while the panel was open.
            self._stage.show_event(Notice(str(error), "warning"))
            return None
        return dataclasses.replace(delegation, engine=choice.engine)
