"""From a request to a choice that stands: the coordinator's steps, played with panels."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from secretary_tui.coordinator.dispatch_values import Asking, Confirming, Replied, Step
from secretary_tui.coordinator.nodes import REPLY
from secretary_tui.events import Notice
from secretary_tui.flow.frontend import Frontend, Routed
from secretary_tui.people import RouteChoice
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.routing.recommend.named import named_agent, named_route

if TYPE_CHECKING:
    from secretary_tui.coordinator.coordinator import Coordinator

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ToTheAgent:
    """The message is a reply to the agent that answered just before."""


Outcome = Routed | Replied | ToTheAgent | None
"""How a request was decided; None when the user cancelled."""


class RoutingController:
    """Decides about one request at a time; nothing is sent to an agent from here."""

    HOLD_S = 0.7
    """Seconds after the choice in which Esc still takes it back."""

    def __init__(self, stage: Frontend[Any]) -> None:
        self._stage = stage
        self._taken_back: asyncio.Event | None = None
        self.chosen = ""
        """The agent that was chosen a moment ago, while the choice can be taken back."""

    @property
    def holding(self) -> bool:
        """Whether the choice can still be taken back."""
        return self._taken_back is not None

    @property
    def _coordinator(self) -> Coordinator:
        return self._stage.secretary.coordinator

    def take_back(self) -> bool:
        """Take the choice back; whether there was one."""
        if self._taken_back is None:
            return False
        self._taken_back.set()
        return True

    async def decide(self, request: str, reply_to: str = "") -> Outcome:
        """Find out what is meant, ask, confirm, and hold; None when the user cancelled."""
        pointed = self._coordinator.pointed_at(request)
        secretary = self._stage.secretary
        try:
            named = named_route(secretary.index, request, secretary.project)
        except AgentNotFoundError as error:  # Nobody else takes its place.
            self._stage.show_event(Notice(str(error), "warning"))
            return None
        if pointed is not None:
            request = self._coordinator.request
            named = named_agent(pointed.agent, pointed.path, request)
        return await self.play(await self._coordinator.begin(request, named, reply_to))

    async def play(self, step: Step) -> Outcome:
        """Play the steps of a request from one on, until the user chose, cancelled or was told."""
        while True:
            match step:
                case Replied():
                    return step
                case Asking(questions=questions, reply_to=agent):
                    answers = await self._stage.ask_questions(questions)
                    if not agent:
                        step = await self._coordinator.answer(answers)
                    elif any(label.startswith(REPLY) for a in answers for label in a.labels):
                        self._coordinator.abandon()
                        return ToTheAgent()
                    else:
                        step = await self._coordinator.new_task()
                case Confirming():
                    decided = await self._confirm(step)
                    if not isinstance(decided, Routed):
                        step = decided
                        continue
                    if decided.choice.agent is None:
                        await self._coordinator.choose(decided.choice)
                        return None
                    if not await self._hold(decided.choice.agent):
                        await self._coordinator.choose(decided.choice)
                        return decided
                    step = Confirming(decided.recommendation)
                case _:
                    return None

    async def _confirm(self, step: Confirming) -> Routed | Step:
        """Show who fits and wait for the user; a model refines it in place meanwhile.

        Gives another step when the model finds that something else must come first.
        """
        self._stage.present(step.recommendation, refining=step.refining)
        choice = asyncio.create_task(self._stage.confirm_route(step.recommendation))
        current = step.recommendation
        try:
            if step.refining:
                refined = await _unless_done(choice, self._coordinator.refine())
                if isinstance(refined, Confirming):
                    current = refined.recommendation
                    self._stage.paid(current.tokens, current.cost_usd)
                    self._stage.refine(current)
                elif refined is not None:
                    return refined
            return Routed(await choice, current)
        finally:
            choice.cancel()
            with suppress(asyncio.CancelledError):
                await choice

    async def _hold(self, agent: str) -> bool:
        """Wait a moment before anything is sent; whether the choice was taken back."""
        self._taken_back = asyncio.Event()
        self.chosen = agent
        self._stage.flow_changed()
        try:
            await asyncio.wait_for(self._taken_back.wait(), self.HOLD_S)
        except TimeoutError:
            return False
        finally:
            self._taken_back = None
            self.chosen = ""
            self._stage.flow_changed()
        return True


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
