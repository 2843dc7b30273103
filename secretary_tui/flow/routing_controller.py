"""From a request to a choice that stands: the coordinator's steps, put to the user one by one.

The one walk of every face: the screen and `--plain` hold a choice for a moment, the command line
takes it at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from secretary_tui.coordinator.dispatch_values import Asking, Confirming, Replied, Step
from secretary_tui.flow.choice_hold import ChoiceHold
from secretary_tui.flow.frontend import RouteAsker
from secretary_tui.flow.routed import Routed
from secretary_tui.people import Answer, RouteChoice
from secretary_tui.routing.recommend.named import named_agent, named_route

if TYPE_CHECKING:
    from secretary_tui.coordinator.conversation import Conversation
    from secretary_tui.coordinator.coordinator import Coordinator

Result = TypeVar("Result")


RouteOutcome = Routed | Replied | None
"""How a request was decided; None when the user cancelled."""


class RoutingController:
    """Decides about one request at a time; nothing is sent to an agent from here.

    Args:
        asker: Whom the questions are put to.
        hold: Lets a choice be taken back for a moment; without one it stands at once.
    """

    def __init__(self, asker: RouteAsker, hold: ChoiceHold | None = None) -> None:
        self._asker = asker
        self._hold = hold

    @property
    def holding(self) -> bool:
        """Whether the choice can still be taken back."""
        return self._hold is not None and self._hold.is_open

    @property
    def chosen(self) -> str:
        """The agent that was chosen a moment ago, while the choice can be taken back."""
        return self._hold.chosen if self._hold is not None else ""

    @property
    def _coordinator(self) -> Coordinator:
        return self._asker.secretary.coordinator

    def take_back(self) -> bool:
        """Take the choice back; whether there was one."""
        return self._hold is not None and self._hold.take_back()

    async def decide(self, request: str, conversation: Conversation | None = None) -> RouteOutcome:
        """Find out what is meant, ask, confirm, and hold.

        `conversation` is what was said before, in the tab that it is sent from.

        Raises:
            AgentNotFoundError: an agent is named that there is not; nobody else takes its place.
        """
        pointed = self._coordinator.pointed_at(request)
        secretary = self._asker.secretary
        named = named_route(secretary.index, request, secretary.project)
        if pointed is not None:
            request = self._coordinator.request
            named = named_agent(pointed.agent, pointed.path, request)
        return await self.play(await self._coordinator.begin(request, named, conversation))

    async def play(self, step: Step) -> RouteOutcome:
        """Play the steps of a request from one on, until the user chose, cancelled or was told."""
        answers: tuple[Answer, ...] = ()
        while True:
            match step:
                case Replied():
                    return step
                case Asking(questions=questions):
                    answers = await self._asker.ask_questions(questions)
                    step = await self._coordinator.answer(answers)
                case Confirming():
                    decided = await self._confirm(step, answers)
                    if not isinstance(decided, Routed):
                        step = decided
                    elif await self._stands(decided.choice):
                        await self._coordinator.choose(decided.choice)
                        return decided if decided.choice.agent is not None else None
                    else:
                        step = Confirming(decided.recommendation)
                case _:
                    return None

    async def _stands(self, choice: RouteChoice) -> bool:
        if choice.agent is None or self._hold is None:
            return True
        return await self._hold.stands(choice.agent)

    async def _confirm(self, step: Confirming, answers: tuple[Answer, ...]) -> Routed | Step:
        """Show who fits and wait for the user; a model refines it in place meanwhile.

        Gives another step when the model finds that something else must come first.
        """
        self._asker.present(step.recommendation, refining=step.refining)
        choice = asyncio.create_task(self._asker.confirm_route(step.recommendation))
        current = step.recommendation
        try:
            if step.refining:
                refined = await _unless_done(choice, self._coordinator.refine())
                if isinstance(refined, Confirming):
                    current = refined.recommendation
                    self._asker.paid(current.tokens, current.cost_usd)
                    self._asker.refine(current)
                elif refined is not None:
                    return refined
            return Routed(await choice, current, answers)
        finally:
            choice.cancel()
            with suppress(asyncio.CancelledError):
                await choice


async def _unless_done(
    choice: asyncio.Task[RouteChoice], looking: Coroutine[Any, Any, Result]
) -> Result | None:
    """Wait for the model's view, but not longer than for the user."""
    model = asyncio.create_task(looking)
    try:
        await asyncio.wait({choice, model}, return_when=asyncio.FIRST_COMPLETED)
        return None if choice.done() else model.result()
    finally:
        model.cancel()
        with suppress(asyncio.CancelledError):
            await model
