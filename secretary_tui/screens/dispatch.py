"""From a sent text to a finished run: choose, delegate, and the ways out of each step.

The controller of the main screen's one flow. It owns no widget: it talks to the panels through
the `Stage`, and to everything below through the `Secretary`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Coroutine
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

from secretary_tui.coordinator.values import Replied, Step
from secretary_tui.delegation.trust import UntrustedError
from secretary_tui.events import (
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    UsageAdded,
    UserMessage,
)
from secretary_tui.people import Choice, RouteAction
from secretary_tui.registry.index import AgentNotFoundError
from secretary_tui.screens.flow import Routed, Spent, Stage
from secretary_tui.screens.route_flow import RouteFlow
from secretary_tui.secretary import NoEngineError
from secretary_tui.sessions.errors import SessionError

if TYPE_CHECKING:
    from secretary_tui.delegation.run import RunControl
    from secretary_tui.delegation.values import Delegation


class Dispatch:
    """One request at a time; what is typed during a run reaches its agent at the next turn."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.route = RouteFlow(stage)
        self._task: asyncio.Task[None] | None = None
        self._control: RunControl | None = None
        self._late: tuple[str, ...] = ()
        """Messages that came when the run had just ended; they become a reply."""
        self._started_at = 0.0
        self.agent = ""
        """The agent at work, empty between runs."""
        self.run_id = ""
        """The run on the screen, which a reply continues."""
        self.run_agent = ""
        """The agent of that run."""
        self.last_answer = ""
        """The final answer of the last run, in markdown."""
        self.spent = Spent()

    # ------------------------------------------------------------------- state

    @property
    def busy(self) -> bool:
        """Whether a request is on its way."""
        return self._task is not None and not self._task.done()

    @property
    def running(self) -> bool:
        """Whether an agent is at work."""
        return self._control is not None

    @property
    def asking(self) -> bool:
        """Whether the agent at work waits for the user."""
        return self.running and self._stage.waits > 0

    @property
    def holding(self) -> bool:
        """Whether the choice can still be taken back."""
        return self.route.holding

    @property
    def elapsed_s(self) -> float:
        """Seconds since the agent began."""
        return time.monotonic() - self._started_at if self.running else 0.0

    @property
    def waiting(self) -> tuple[str, ...]:
        """Messages that the agent at work was not told yet."""
        return self._control.waiting if self._control is not None else ()

    # ------------------------------------------------------------------- verbs

    def submit(self, text: str, *, reply: bool = False, context: tuple[str, ...] = ()) -> None:
        """Take what the user sent: a new request, a reply, or a message to the agent at work.

        `context` goes along with a new request, as lines of the delegation's context.
        """
        if self._control is not None:
            self._control.say(text)
            self._stage.flow_changed()
            return
        if self.busy:
            self.cancel()
        reply = reply and bool(self.run_id)
        self._begin(self._continue(text) if reply else self._serve(text, context=context))

    def step_back(self) -> bool:
        """Esc: take the choice back, or interrupt the run; whether there was something to do."""
        if self.route.take_back():
            return True
        if self._control is not None:
            self._stop(self._control)
            return True
        return False

    def restore(self, request: str, step: Step) -> None:
        """Show the panel again that was open when the last session ended."""
        self._begin(self._serve(request, step))

    def cancel(self) -> None:
        """Drop what waits for an answer; a run that goes on is interrupted."""
        if self._task is not None:
            self._stage.secretary.coordinator.abandon()
            self._task.cancel()

    async def aclose(self) -> None:
        """End what goes on and wait until it is logged."""
        if self._task is None or self._task.done():
            return
        if self._control is not None:
            self._stop(self._control)
            with suppress(TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(asyncio.shield(self._task), 2)
        self._task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._task

    def show_run(self, run_id: str, agent: str, answer: str) -> None:
        """Make a run from the history the one that a reply continues."""
        self.run_id, self.run_agent, self.last_answer = run_id, agent, answer

    def forget_run(self) -> None:
        """Put the run aside: the next request is a new one."""
        self.run_id = self.run_agent = ""

    def _stop(self, control: RunControl) -> None:
        """End a run; what its agent was not told goes back to the request box."""
        self._stage.return_messages(control.withdraw())
        control.interrupt()
        self._stage.flow_changed()

    def _begin(self, flow: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.create_task(flow, name="dispatch")
        self._task.add_done_callback(self._ended)
        self._stage.flow_changed()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._control = None
        self.agent = ""
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._stage.report(error)
        self._stage.flow_changed()
        late, self._late = self._late, ()
        if late and not task.cancelled():
            self.submit("\n\n".join(late), reply=True)

    # -------------------------------------------------------------------- flow

    async def _serve(
        self, request: str, step: Step | None = None, context: tuple[str, ...] = ()
    ) -> None:
        try:
            decided = await (self.route.decide(request) if step is None else self.route.play(step))
            while isinstance(decided, Routed):
                if not await self._delegate(request, decided, context):
                    return
                decided = await self.route.decide(request)
            if isinstance(decided, Replied):
                self._stage.reply(request, decided)
                return
        except asyncio.CancelledError:
            if self._task is asyncio.current_task():  # Else another request took its place.
                self._stage.give_back(request)
            raise
        self._stage.give_back(request)

    # --------------------------------------------------------------------- run

    async def _delegate(self, request: str, routed: Routed, context: tuple[str, ...]) -> bool:
        """Run the chosen agent; whether the user wants to choose again."""
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
        secretary = self._stage.secretary
        # What the user took out of the task must not go along as "the user's words".
        edited = bool(choice.task) and choice.task != routed.recommendation.intent
        try:
            delegation = secretary.delegation(
                choice.agent,
                choice.task if edited else routed.recommendation.request,
                choice.task or ("" if bare else request),
                context=context,
                confidence=confidence,
            )
        except AgentNotFoundError as error:  # The file went away while the panel was open.
            self._stage.show_event(Notice(str(error), "warning"))
            return True
        delegation = dataclasses.replace(delegation, engine=choice.engine)
        if secretary.engine_named(delegation.engine).engine is None:
            return await self._without_engine(delegation)
        admitted = await self._admit(delegation)
        if admitted is None:
            return False
        secretary.coordinator.ran(choice, delegation.run_id)
        self._stage.begin_run(request)
        return await self._attempts(admitted)

    async def _admit(self, delegation: Delegation) -> Delegation | None:
        """Ask about the folder before the first run in it; None gives the text back."""
        try:
            return await self._stage.secretary.admit(delegation, self._stage)
        except UntrustedError as error:
            self._stage.show_event(Notice(str(error), "warning"))
            self._stage.give_back(delegation.follow_up or delegation.request)
            return None

    async def _attempts(self, delegation: Delegation) -> bool:
        said: tuple[str, ...] = ()
        while True:
            failed, said = await self._run(delegation, said)
            if failed is None:
                self._late = said
                return False
            self.agent = ""
            self._stage.flow_changed()
            key = await self._stage.choose(
                f"{delegation.agent.id} failed: {failed.error}",
                failed.suggestion,
                (
                    Choice("r", "Retry"),
                    Choice("c", "Choose another agent"),
                    Choice("escape", "Cancel"),
                ),
            )
            if key == "escape":
                request = delegation.follow_up or delegation.request
                self._stage.give_back("\n\n".join((request, *said)))
                return False
            if key == "c":
                return True
            if not delegation.messages:
                from secretary_tui.sessions.store import new_run_id

                delegation = dataclasses.replace(delegation, run_id=new_run_id())

    async def _run(
        self, delegation: Delegation, said: tuple[str, ...]
    ) -> tuple[RunFailed | None, tuple[str, ...]]:
        """Stream one run, in which the user has `said` something already.

        Gives the failure if it ended with one, and what a next one must be told: all of it after a
        failure, else what came too late.
        """
        from secretary_tui.delegation.run import RunControl

        control = self._control = RunControl()
        for message in said:
            control.say(message)
        self.agent = self.run_agent = delegation.agent.id
        self._started_at = time.monotonic()
        failed: RunFailed | None = None
        self._stage.flow_changed()
        try:
            events = self._stage.secretary.run(delegation, self._stage, self._control)
            async with aclosing(events):
                async for event in events:
                    failed = event if isinstance(event, RunFailed) else failed
                    self._note(event)
                    self._stage.show_event(event)
        except (SessionError, NoEngineError) as error:
            self._stage.show_event(Notice(str(error), "warning"))
        finally:
            self._control = None
        if failed is None and self.last_answer:
            await self._stage.secretary.coordinator.note_answer(self.last_answer)
        return failed, control.said if failed is not None else control.withdraw()

    def _note(self, event: RunEvent) -> None:
        if isinstance(event, RunStarted):
            self.run_id = event.run_id
        elif isinstance(event, RunFinished):
            self.last_answer = event.text
            if event.outcome is not Outcome.INTERRUPTED:
                self._stage.ring(f"{self.agent} is done", self.elapsed_s)
        elif isinstance(event, RunFailed):
            self._stage.ring(f"{self.agent} failed", self.elapsed_s)
        elif isinstance(event, UsageAdded):
            self.spent = self.spent.plus(event)
        if isinstance(event, RunStarted | UsageAdded | UserMessage | RunFinished | RunFailed):
            self._stage.flow_changed()

    async def _continue(self, text: str) -> None:
        """Send a reply to the agent of the run on the screen."""
        try:
            delegation = self._stage.secretary.resume(self.run_id, text)
        except (SessionError, AgentNotFoundError) as error:
            self._stage.show_event(Notice(str(error), "warning"))
            self._stage.give_back(text)
            return
        if self._stage.secretary.engine_named(delegation.engine).engine is None:
            await self._without_engine(delegation)
            self._stage.give_back(text)
            return
        admitted = await self._admit(delegation)
        if admitted is not None:
            await self._attempts(admitted)

    async def _without_engine(self, delegation: Delegation) -> bool:
        key = await self._stage.choose(
            f"{delegation.agent.id} is chosen, but there is no model to run it.",
            self._stage.secretary.no_engine,
            (
                Choice("m", "Choose a model"),
                Choice("c", "Copy the task, to run it elsewhere"),
                Choice("escape", "Cancel"),
            ),
        )
        if key == "m":
            self._stage.open_setup()
            self._stage.give_back(delegation.follow_up or delegation.request)
        elif key == "c":
            self._stage.copy_task(delegation)
        else:
            self._stage.give_back(delegation.follow_up or delegation.request)
        return False
