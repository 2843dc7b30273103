"""A request on its way to an agent: routed in a task of its own, and started in its tab."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic

from secretary_tui.coordinator.dispatch_values import Replied, Step
from secretary_tui.events import Notice
from secretary_tui.flow.frontend import Frontend, ViewT
from secretary_tui.flow.routed import Routed
from secretary_tui.flow.routing_controller import RouteOutcome, RoutingController, ToTheAgent
from secretary_tui.flow.run_controller import RunController
from secretary_tui.registry.agent_index import AgentNotFoundError

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation


@dataclass(frozen=True, slots=True)
class _Sent(Generic[ViewT]):
    """A request, the tab that it is for, and the step to go on from where it was left at one."""

    tab: RunController[ViewT]
    request: str
    context: tuple[str, ...]
    step: Step | None


class RequestRouting(Generic[ViewT]):
    """Routes one request at a time, and takes note of answers between them.

    Args:
        frontend: Where its outcome is shown.
        route: Decides with the user.
        show: Puts the tab on the screen whose run begins.
    """

    def __init__(
        self,
        frontend: Frontend[ViewT],
        route: RoutingController,
        show: Callable[[RunController[ViewT]], None],
    ) -> None:
        self._frontend = frontend
        self._route = route
        self._show = show
        self._task: asyncio.Task[None] | None = None
        self._tab: RunController[ViewT] | None = None
        """The tab whose request is routed."""
        self._conversation = asyncio.Lock()
        """The coordinator follows one request, or takes note of one answer, at a time."""
        self._notes: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether an agent is being found and chosen."""
        return self._task is not None and not self._task.done()

    def is_for(self, tab: RunController[ViewT]) -> bool:
        """Whether the request that is routed belongs to a tab."""
        return tab is self._tab

    def begin(
        self,
        tab: RunController[ViewT],
        request: str,
        *,
        context: tuple[str, ...] = (),
        step: Step | None = None,
    ) -> None:
        """Find the agent for a request of a tab, from a step on where it was left at one."""
        self.drop()
        self._tab = tab
        sent = _Sent(tab, request, context, step)
        self._task = asyncio.create_task(self._serve(sent), name="dispatch")
        self._task.add_done_callback(self._ended)
        self._frontend.flow_changed()

    def drop(self) -> None:
        """Turn away from the request that is routed, if there is one."""
        if self._task is not None and self.busy:
            self._frontend.secretary.coordinator.abandon()
            self._task.cancel()

    def answered(self, text: str, agent: str) -> None:
        """Let the coordinator know what an agent answered, once it follows no request."""
        task = asyncio.create_task(self._note_answer(text, agent), name="note")
        self._notes.add(task)
        task.add_done_callback(self._noted)

    async def aclose(self) -> None:
        """End the routing; the question that is open stays for the next start."""
        if self._task is not None and self.busy:
            await _end(self._task)

    async def close_notes(self) -> None:
        """Drop the answers that were not noted yet."""
        for note in tuple(self._notes):
            await _end(note)

    async def _note_answer(self, text: str, agent: str) -> None:
        async with self._conversation:
            await self._frontend.secretary.coordinator.note_answer(text, agent)

    def _noted(self, task: asyncio.Task[None]) -> None:
        self._notes.discard(task)
        self._report(task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task is self._task:
            self._tab = None
        self._report(task)
        self._frontend.flow_changed()

    def _report(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._frontend.report(error)

    async def _serve(self, sent: _Sent[ViewT]) -> None:
        try:
            is_served = await self._start(sent)
        except asyncio.CancelledError:
            if self._task is asyncio.current_task():  # Else another request took its place.
                self._frontend.give_back(sent.request)
            raise
        except Exception:  # `_report` says what it was; the text stays for another try.
            self._frontend.give_back(sent.request)
            raise
        if not is_served:
            self._frontend.give_back(sent.request)

    async def _start(self, sent: _Sent[ViewT]) -> bool:
        """Decide, and start what was decided; whether something was."""
        async with self._conversation:
            reply_to = sent.tab.progress.run_agent if not sent.context else ""
            outcome = await self._decide(sent, reply_to)
            while isinstance(outcome, Routed):
                delegation = self._delegation(outcome, sent)
                if delegation is not None:
                    self._show(sent.tab)
                    sent.tab.begin(delegation, outcome.choice, sent.request)
                    return True
                outcome = await self._decide(replace(sent, step=None))
        if isinstance(outcome, ToTheAgent) and sent.tab.progress.run_id:
            self._show(sent.tab)
            sent.tab.reply(sent.request)
            return True
        if isinstance(outcome, Replied):
            self._show(sent.tab)
            self._frontend.reply(sent.request, outcome)
            return True
        return False

    async def _decide(self, sent: _Sent[ViewT], reply_to: str = "") -> RouteOutcome:
        if sent.step is not None:
            return await self._route.play(sent.step)
        try:
            return await self._route.decide(sent.request, reply_to)
        except AgentNotFoundError as error:  # Nobody else takes its place.
            self._frontend.show_event(Notice(str(error), "warning"))
            return None

    def _delegation(self, routed: Routed, sent: _Sent[ViewT]) -> Delegation | None:
        secretary = self._frontend.secretary
        context = sent.context or secretary.coordinator.said_before
        try:
            return routed.delegation(secretary, sent.request, context=context)
        except AgentNotFoundError as error:  # The file went away while the panel was open.
            self._frontend.show_event(Notice(str(error), "warning"))
            return None


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait for its end."""
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await task
