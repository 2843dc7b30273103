"""A request on its way to an agent: routed in a task of its own, and run in its tab."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic

from secretary_tui.coordinator.conversation import Conversation
from secretary_tui.coordinator.dispatch_values import Replied, Step
from secretary_tui.events import Notice
from secretary_tui.flow.frontend import Frontend, ViewT
from secretary_tui.flow.routed import Routed
from secretary_tui.flow.routing_controller import RouteOutcome, RoutingController
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
    anew: bool = False
    """Whether it must not go to the agent of the run before."""

    @property
    def conversation(self) -> Conversation:
        """What was said before; without the run, where the request is not for its agent."""
        before = self.tab.progress.conversation.value
        return replace(before, run="") if self.anew or self.context else before


class RequestRouting(Generic[ViewT]):
    """Routes one request at a time.

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
        self._sent: _Sent[ViewT] | None = None
        """The request that is routed."""
        self._one_at_a_time = asyncio.Lock()
        """The coordinator follows one request at a time."""

    @property
    def busy(self) -> bool:
        """Whether an agent is being found and chosen."""
        return self._task is not None and not self._task.done()

    def is_for(self, tab: RunController[ViewT]) -> bool:
        """Whether the request that is routed belongs to a tab."""
        return self._sent is not None and tab is self._sent.tab

    def begin(
        self,
        tab: RunController[ViewT],
        request: str,
        *,
        context: tuple[str, ...] = (),
        step: Step | None = None,
        anew: bool = False,
    ) -> None:
        """Find the agent for a request of a tab, from a step on where it was left at one.

        With `anew` it isn't offered to the agent of the run before.
        """
        self.drop()
        self._sent = sent = _Sent(tab, request, context, step, anew)
        self._task = asyncio.create_task(self._serve(sent), name="dispatch")
        self._task.add_done_callback(self._ended)
        self._frontend.flow_changed()

    def drop(self, *, said: bool = False) -> None:
        """Turn away from the request that is routed, if there is one.

        What was `said` is still what a later message can refer to.
        """
        if self._task is not None and self.busy:
            if said and self._sent is not None:
                self._sent.tab.progress.conversation.say(self._sent.request)
            self._frontend.secretary.coordinator.abandon()
            self._task.cancel()

    async def aclose(self) -> None:
        """End the routing; the question that is open stays for the next start."""
        if self._task is not None and self.busy:
            await _end(self._task)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task is self._task:
            self._sent = None
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
        async with self._one_at_a_time:
            outcome = await self._decide(sent)
            while isinstance(outcome, Routed):
                if self._begin(outcome, sent):
                    self._show(sent.tab)
                    return True
                outcome = await self._decide(replace(sent, step=None, anew=True))
        if isinstance(outcome, Replied):
            self._show(sent.tab)
            self._frontend.reply(sent.request, outcome)
            return True
        return False

    def _begin(self, routed: Routed, sent: _Sent[ViewT]) -> bool:
        """Go on with the run before, or begin a new one; whether that was possible."""
        going_on = routed.recommendation.continuation
        if routed.goes_on and going_on is not None:
            sent.tab.reply(routed.message, run_id=going_on.run, choice=routed.choice)
            return True
        delegation = self._delegation(routed, sent)
        if delegation is None:
            return False
        sent.tab.progress.conversation.say(sent.request)
        sent.tab.begin(delegation, routed.choice, sent.request)
        return True

    async def _decide(self, sent: _Sent[ViewT]) -> RouteOutcome:
        if sent.step is not None:
            return await self._route.play(sent.step)
        try:
            return await self._route.decide(sent.request, sent.conversation)
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
