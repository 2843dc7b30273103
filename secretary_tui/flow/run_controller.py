"""One tab of the main screen: one run after the other in one transcript, each with its ways out.

The controller of what follows a choice: ask about the folder, run, retry, take replies and
messages. The `TabController` starts it and knows the other tabs; questions go to the user through
`RunPeople`.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from secretary_tui.delegation.permissions.folder_trust import UntrustedError
from secretary_tui.engine_service import NoEngineError
from secretary_tui.events import (
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    ToolFinished,
    ToolStarted,
    UsageAdded,
    UserMessage,
)
from secretary_tui.flow.frontend import Frontend, ViewT
from secretary_tui.flow.run_people import (
    PeopleUntilHangup,
    RunPeople,
    WayOut,
    WithoutEngine,
    after_failure,
    without_engine,
)
from secretary_tui.flow.run_progress import RunProgress, RunState
from secretary_tui.flow.tab_tree import TabTree
from secretary_tui.flow.watched_run import STILL_WRITTEN, WatchedRun
from secretary_tui.people import RouteChoice
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.sessions.errors import SessionError

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.delegation.run_delegation import RunControl


@dataclass(frozen=True, slots=True)
class Neighbours(Generic[ViewT]):
    """What a tab needs of those beside it."""

    hung_up: asyncio.Event
    """Set once nobody can be asked any more."""
    are_several: Callable[[], bool]
    """Whether there is more than one tab, so that each must be named."""
    is_shown: Callable[[RunController[ViewT]], bool]
    """Whether a tab is the one on the screen."""
    paid: Callable[[UsageAdded], None]
    """Counts one model answer of a run."""
    choose_again: Callable[[RunController[ViewT], str, tuple[str, ...]], None]
    """Finds another agent for a request whose run failed; the tuple is its context."""


class RunController(Generic[ViewT]):
    """At most one run at a time; what is typed during it reaches its agent at the next turn."""

    def __init__(
        self,
        number: int,
        frontend: Frontend[ViewT],
        view: ViewT,
        neighbours: Neighbours[ViewT],
    ) -> None:
        self.number = number
        """What the user calls this tab, from 1."""
        self.view = view
        """Where it is shown."""
        self._frontend = frontend
        self._neighbours = neighbours
        reachable = PeopleUntilHangup(frontend, neighbours.hung_up)
        self._people = RunPeople(self, reachable, neighbours.are_several)
        self._task: asyncio.Task[None] | None = None
        self._control: RunControl | None = None
        self._late: tuple[str, ...] = ()
        """Messages that came when the run had just ended; they become a reply."""
        self._replaced: asyncio.Task[None] | None = None
        """The task whose place another request took."""
        self._tree = TabTree(self._people, view.show, view.show_diff)
        self._questions = 0
        self.progress = RunProgress()
        """What is known of its runs."""
        self.watched = WatchedRun(self.progress, view.show, frontend.flow_changed, frontend.report)
        """The run of another window that is shown here, if one is."""

    # ------------------------------------------------------------------- state

    @property
    def state(self) -> RunState:
        """How far the last run of this tab is."""
        return RunState.ASKING if self._questions else self.progress.state

    @property
    def busy(self) -> bool:
        """Whether something is under way, if only a question after a run."""
        return self._task is not None and not self._task.done()

    @property
    def running(self) -> bool:
        """Whether an agent is at work."""
        return self._control is not None

    @property
    def stopping(self) -> bool:
        """Whether the run was told to end."""
        return self._control is not None and self._control.interrupted

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever run here, or it was put aside."""
        return not self.progress.run_id and not self.busy and self.view.is_empty

    @property
    def waiting(self) -> tuple[str, ...]:
        """Messages that the agent at work was not told yet."""
        return self._control.waiting if self._control is not None else ()

    # ------------------------------------------------------------------- verbs

    def say(self, text: str) -> None:
        """Have the agent at work told at its next turn."""
        if self._control is not None:
            self._control.say(text)
            self._frontend.flow_changed()

    def begin(self, delegation: Delegation, choice: RouteChoice, request: str) -> None:
        """Run what was chosen for a request."""
        self._start(request, self._new(delegation, choice, request))

    def reply(self, text: str, *, run_id: str = "", choice: RouteChoice | None = None) -> None:
        """Send a message to the agent of the run that ended.

        `run_id` is that run, where it may not be the one on the screen; `choice` is what the user
        chose to send it there.
        """
        if self.watched.goes_on:
            self._warn(STILL_WRITTEN)
            self._frontend.give_back(text)
            return
        self._start(text, self._continue(text, run_id or self.progress.run_id, choice))

    def stop(self) -> bool:
        """End the run; what its agent was not told goes back. Whether there was a run."""
        if self._control is None:
            return False
        self._frontend.return_messages(self._control.withdraw())
        self._control.interrupt()
        self._frontend.flow_changed()
        return True

    def cancel(self, *, replaced: bool = False) -> None:
        """Drop what waits for an answer; `replaced` is whether another request takes its place."""
        if self.busy and self._task is not None:
            if replaced:
                self._replaced = self._task
            self._task.cancel()

    async def finished(self) -> None:
        """Wait until nothing is under way."""
        while self._task is not None and not self._task.done():
            await asyncio.wait((self._task,))

    async def aclose(self) -> None:
        """End what goes on and wait until it is logged; what a tree holds becomes a branch."""
        self.watched.stop()
        if self._task is not None and not self._task.done():
            if self.stop():
                with suppress(TimeoutError, asyncio.CancelledError):
                    await asyncio.wait_for(asyncio.shield(self._task), 2)
            self._task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._task
        await self._tree.keep()

    def show_run(self, run_id: str, agent: str, events: Sequence[RunEvent]) -> None:
        """Make a run from the history the one that a reply continues."""
        self.progress.reopen(run_id, agent, events)

    def forget_run(self) -> None:
        """Put the run aside: the next request starts a new one."""
        self.watched.stop()
        self.progress.forget()
        self.view.clear()

    @contextmanager
    def asking(self, what: str) -> Iterator[None]:
        """Let it be seen, and heard, that the user is asked something."""
        self._frontend.ring(what, self.progress.elapsed_s if self.running else 0.0)
        self._questions += 1
        self._frontend.flow_changed()
        try:
            yield
        finally:
            self._questions -= 1
            self._frontend.flow_changed()

    # -------------------------------------------------------------------- task

    def _start(self, request: str, going: Coroutine[Any, Any, None]) -> None:
        self.watched.stop()
        self._task = asyncio.create_task(self._play(request, going), name="run")
        self._task.add_done_callback(self._ended)
        self._frontend.flow_changed()

    async def _play(self, request: str, going: Coroutine[Any, Any, None]) -> None:
        try:
            await going
        except asyncio.CancelledError:
            if asyncio.current_task() is not self._replaced:
                self._frontend.give_back(request)
            raise
        except Exception:  # `_ended` says what it was; the text stays for another try.
            self._frontend.give_back(request)
            raise

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task is not self._task:
            return
        self._control = None
        self.progress.put_down()
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._frontend.report(error)
        self._frontend.flow_changed()
        late, self._late = self._late, ()
        if late and self.progress.run_id and not task.cancelled():
            self.reply("\n\n".join(late))

    # --------------------------------------------------------------------- run

    async def _new(self, delegation: Delegation, choice: RouteChoice, request: str) -> None:
        secretary = self._frontend.secretary
        if secretary.engines.named(delegation.engine).engine is None:
            if await self._without_engine(delegation):
                secretary.coordinator.ran(choice)
            return
        await self._tree.keep()
        own_tree = await self._tree.is_wanted(delegation, choice.own_tree, self._warn)
        admitted = await self._admit(delegation, own_tree=own_tree)
        if admitted is not None and own_tree:
            admitted = await self._tree.open(admitted, self._warn)
            if admitted is None:
                self._frontend.give_back(request)
        if admitted is None:
            return
        secretary.coordinator.ran(choice, delegation.run_id)
        if self._neighbours.is_shown(self):
            self._frontend.begin_run()
        await self._attempts(admitted, request)

    async def _continue(self, text: str, run_id: str, choice: RouteChoice | None) -> None:
        """Send a reply to the agent of a run, perhaps to another engine than it had."""
        try:
            delegation = self._frontend.secretary.resume(run_id, text)
        except (SessionError, AgentNotFoundError) as error:
            self._warn(str(error))
            self._frontend.give_back(text)
            return
        if choice is not None:
            engine = choice.engine or delegation.engine
            delegation = dataclasses.replace(delegation, engine=engine, looks_up=choice.looks_up)
        if self._frontend.secretary.engines.named(delegation.engine).engine is None:
            await self._without_engine(delegation)
            self._frontend.give_back(text)
            return
        admitted = await self._admit(await self._tree.going_on(delegation))
        if admitted is not None:
            if choice is not None:
                self._frontend.secretary.coordinator.ran(choice, run_id)
            await self._attempts(admitted, text)

    async def _admit(self, delegation: Delegation, *, own_tree: bool = False) -> Delegation | None:
        """Ask about the folder before the first run in it; None gives the text back."""
        try:
            return await self._frontend.secretary.admit(delegation, self._people, own_tree=own_tree)
        except UntrustedError as error:
            self._warn(str(error))
            self._frontend.give_back(delegation.follow_up or delegation.request)
            return None

    def _warn(self, sentence: str) -> None:
        self._frontend.show_event(Notice(sentence, "warning"))

    async def _attempts(self, delegation: Delegation, request: str) -> None:
        said: tuple[str, ...] = ()
        while True:
            failed, said = await self._run(delegation, said)
            if failed is None:
                self._late = said
                if not said:
                    await self._tree.settle()
                return
            self.progress.put_down()
            self._frontend.flow_changed()
            way = await after_failure(self._people, delegation.agent.id, failed)
            if way is WayOut.LEAVE:
                unsent = delegation.follow_up or delegation.request
                self._frontend.give_back("\n\n".join((unsent, *said)))
                await self._tree.settle()
                return
            if way is WayOut.ANOTHER_AGENT:
                await self._tree.settle()
                self._neighbours.choose_again(
                    self, "\n\n".join((request, *said)), delegation.context
                )
                return
            if not delegation.messages:
                from secretary_tui.sessions.store import new_run_id

                delegation = dataclasses.replace(delegation, run_id=new_run_id())
                delegation = self._tree.again(delegation)

    async def _run(
        self, delegation: Delegation, said: tuple[str, ...]
    ) -> tuple[RunFailed | None, tuple[str, ...]]:
        """Stream one run, in which the user has `said` something already.

        Gives the failure if it ended with one, and what a next one must be told: all of it after a
        failure, else what came too late.
        """
        from secretary_tui.delegation.run_delegation import RunControl

        control = self._control = RunControl()
        for message in said:
            control.say(message)
        progress = self.progress
        progress.begin(delegation.agent.id)
        failed: RunFailed | None = None
        self._frontend.flow_changed()
        try:
            events = self._frontend.secretary.run(delegation, self._people, control)
            async with aclosing(events):
                async for event in events:
                    failed = event if isinstance(event, RunFailed) else failed
                    self._note(event)
                    self.view.show(event)
        except (SessionError, NoEngineError) as error:
            progress.fail()
            self.view.show(Notice(str(error), "warning"))
        finally:
            progress.end()
            self._control = None
        return failed, control.said if failed is not None else control.withdraw()

    def _note(self, event: RunEvent) -> None:
        progress = self.progress
        progress.take(event)
        if isinstance(event, RunFinished) and event.outcome is not Outcome.INTERRUPTED:
            self._frontend.ring(f"{progress.agent} is done", progress.elapsed_s)
        elif isinstance(event, RunFailed):
            self._frontend.ring(f"{progress.agent} failed", progress.elapsed_s)
        elif isinstance(event, UsageAdded):
            self._neighbours.paid(event)
        if isinstance(event, _SHOWN_IN_TABS):
            self._frontend.flow_changed()

    async def _without_engine(self, delegation: Delegation) -> bool:
        """Say that there is no model; whether the task was copied to be run elsewhere."""
        how = self._frontend.secretary.engines.get_a_model
        way = await without_engine(self._people, delegation.agent.id, how)
        if way is WithoutEngine.COPY_TASK:
            self._frontend.copy_task(delegation)
            return True
        if way is WithoutEngine.CHOOSE_MODEL:
            self._frontend.open_setup()
        self._frontend.give_back(delegation.follow_up or delegation.request)
        return False


_SHOWN_IN_TABS = (
    RunStarted,
    ToolStarted,
    ToolFinished,
    UsageAdded,
    UserMessage,
    RunFinished,
    RunFailed,
)
"""Events after which status line, keys and tabs may look different."""
