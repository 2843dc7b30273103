"""From a request to a choice that stands: route, ask, confirm, and hold for a moment."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress

from secretary_tui.events import Notice
from secretary_tui.people import Answer, Recommendation, RouteChoice
from secretary_tui.registry.index import AgentNotFoundError
from secretary_tui.screens.flow import Routed, Stage, Unclear
from secretary_tui.screens.mentions import split_named
from secretary_tui.widgets.match_panel import named_agent

SKIPPED = "You skipped the questions, so this is a best effort."


class RouteFlow:
    """Decides about one request at a time; nothing is sent to an agent from here."""

    HOLD_S = 0.7
    """Seconds after the choice in which Esc still takes it back."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._taken_back: asyncio.Event | None = None
        self.chosen = ""
        """The agent that was chosen a moment ago, while the choice can be taken back."""

    @property
    def holding(self) -> bool:
        """Whether the choice can still be taken back."""
        return self._taken_back is not None

    def take_back(self) -> bool:
        """Take the choice back; whether there was one."""
        if self._taken_back is None:
            return False
        self._taken_back.set()
        return True

    async def decide(self, request: str) -> Routed | None:
        """Route, ask, confirm, and hold; None when the user cancelled."""
        routed = await self._route(request)
        while routed.choice.agent is not None:
            if not await self._hold(routed.choice.agent):
                return routed
            recommendation = routed.recommendation
            self._stage.present(recommendation, refining=False)
            routed = Routed(await self._stage.confirm_route(recommendation), recommendation)
        return None

    async def _route(self, request: str) -> Routed:
        named = self._named(request)
        if named is not None:
            self._stage.present(named, refining=False)
            return Routed(await self._stage.confirm_route(named), named)
        answers: tuple[Answer, ...] = ()
        asked = False
        while True:
            outcome = await self._route_once(request, answers, asked)
            if isinstance(outcome, Routed):
                return outcome
            answers, asked = await self._stage.ask_questions(outcome.questions), True

    async def _route_once(
        self, request: str, answers: tuple[Answer, ...], asked: bool
    ) -> Routed | Unclear:
        """Give the user's choice, or the questions that must be answered first."""
        secretary = self._stage.secretary
        async with aclosing(secretary.route(request, answers)) as updates:
            current = await anext(updates)
            refining = secretary.can_refine and bool(current.ranking)
            if current.questions and not refining and not asked:
                return Unclear(current.questions)
            skipped = asked and not any(not answer.skipped for answer in answers)
            current = _settled(current, skipped)
            self._stage.present(current, refining=refining)
            choice = asyncio.create_task(self._stage.confirm_route(current))
            try:
                if refining:
                    refined = await self._refined(updates, choice)
                    if refined is not None and refined.questions and not asked:
                        return Unclear(refined.questions)
                    if refined is not None:
                        current = _settled(refined, skipped)
                        self._stage.refine(current)
                return Routed(await choice, current)
            finally:
                choice.cancel()
                with suppress(asyncio.CancelledError):
                    await choice

    async def _refined(
        self, updates: AsyncIterator[Recommendation], choice: asyncio.Task[RouteChoice]
    ) -> Recommendation | None:
        """Wait for the model's view, but not longer than for the user."""

        async def following() -> Recommendation | None:
            return await anext(updates, None)

        model = asyncio.create_task(following())
        try:
            await asyncio.wait({choice, model}, return_when=asyncio.FIRST_COMPLETED)
            return None if choice.done() else model.result()
        finally:
            model.cancel()
            with suppress(asyncio.CancelledError):
                await model

    def _named(self, request: str) -> Recommendation | None:
        """The agent that a request beginning with `@` names; None without, or when unknown."""
        reference, task = split_named(request)
        if not reference:
            return None
        try:
            spec = self._stage.secretary.index.choose(reference)
        except AgentNotFoundError as error:
            self._stage.show_event(Notice(str(error), "warning"))
            return None
        return named_agent(spec.id, str(spec.path), task.strip() or request)

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


def _settled(recommendation: Recommendation, skipped: bool) -> Recommendation:
    """The recommendation without questions, saying so when they were skipped."""
    notice = " ".join(filter(None, (SKIPPED if skipped else "", recommendation.notice)))
    return dataclasses.replace(recommendation, questions=(), notice=notice)
