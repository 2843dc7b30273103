"""How a run asks: named where several share the screen, and until its terminal has vanished.

Then nobody answers, so it is no. Below that, what is asked where a run can't begin or has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from dataclasses import replace
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from secretary_tui.events import RunFailed
from secretary_tui.people import (
    SAFE,
    Answer,
    Choice,
    People,
    Question,
    Recommendation,
    RouteAction,
    RouteChoice,
    ToolAnswer,
    ToolDecision,
    ToolRequest,
)

Reply = TypeVar("Reply")

NOBODY = "The user's terminal is gone: nobody can be asked. Do without it."
"""What the agent reads about a call that was denied."""


class Asker(Protocol):
    """The tab whose run asks."""

    number: int

    def asking(self, what: str) -> AbstractContextManager[None]:
        """Let it be seen, and heard, that the user is asked something."""
        ...


class RunPeople(People):
    """Names the run in each question when there are several; else it is the screen's own."""

    def __init__(self, asker: Asker, people: People, is_shared: Callable[[], bool]) -> None:
        self._asker = asker
        self._people = people
        self._is_shared = is_shared

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask through the question panel."""
        name = next((q.asker for q in questions if q.asker), "the agent")
        with self._asker.asking(f"{name} has a question"):
            named = tuple(replace(q, asker=self._named(q.asker)) for q in questions)
            return await self._people.ask_questions(named)

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Ask through the match panel."""
        return await self._people.confirm_route(recommendation)

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Ask through the permission panel."""
        with self._asker.asking(f"{request.agent} asks to use {request.tool}"):
            named = replace(request, agent=self._named(request.agent))
            return await self._people.allow_tool(named)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Ask through the choice panel."""
        with self._asker.asking(title):
            shared = f"Run {self._asker.number}: {title}" if self._is_shared() else title
            return await self._people.choose(shared, text, choices)

    def _named(self, agent: str) -> str:
        return f"{agent} (run {self._asker.number})" if self._is_shared() and agent else agent


class PeopleUntilHangup(People):
    """Asks until the terminal vanishes; then, and for what is open then, takes the safe answer.

    Args:
        people: Who is asked.
        hung_up: Set once nobody is there any more.
    """

    def __init__(self, people: People, hung_up: asyncio.Event) -> None:
        self._people = people
        self._hung_up = hung_up

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask; all are skipped when nobody is there."""
        return await self._or_safe(self._people.ask_questions(questions), ())

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Ask; nothing is delegated when nobody is there."""
        nothing = RouteChoice(RouteAction.CANCEL)
        return await self._or_safe(self._people.confirm_route(recommendation), nothing)

    async def allow_tool(self, request: ToolRequest) -> ToolAnswer:
        """Ask; the call is denied when nobody is there."""
        denied = ToolAnswer(ToolDecision.DENY, NOBODY, from_user=False)
        return await self._or_safe(self._people.allow_tool(request), denied)

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        """Ask; what changes nothing is chosen when nobody is there."""
        return await self._or_safe(self._people.choose(title, text, choices), SAFE)

    async def _or_safe(self, asking: Coroutine[Any, Any, Reply], safe: Reply) -> Reply:
        if self._hung_up.is_set():
            asking.close()
            return safe
        asked = asyncio.ensure_future(asking)
        hangup = asyncio.ensure_future(self._hung_up.wait())
        try:
            await asyncio.wait((asked, hangup), return_when=asyncio.FIRST_COMPLETED)
            return asked.result() if asked.done() else safe
        finally:
            hangup.cancel()
            asked.cancel()


class WayOut(StrEnum):
    """What the user wants; the value is the key."""

    RETRY = "r"
    ANOTHER_AGENT = "c"
    LEAVE = SAFE


class WithoutEngine(StrEnum):
    """What the user wants where there is no model; the value is the key."""

    CHOOSE_MODEL = "m"
    COPY_TASK = "c"
    LEAVE = SAFE


async def after_failure(people: People, agent: str, failed: RunFailed) -> WayOut:
    """Ask what shall follow a run of `agent` that failed."""
    key = await people.choose(
        f"{agent} failed: {failed.error}",
        failed.suggestion,
        (
            Choice(WayOut.RETRY, "Retry"),
            Choice(WayOut.ANOTHER_AGENT, "Choose another agent"),
            Choice(WayOut.LEAVE, "Cancel"),
        ),
    )
    return WayOut(key)


async def without_engine(people: People, agent: str, how_to_get_one: str) -> WithoutEngine:
    """Ask what to do with an agent that was chosen though no model can run it."""
    key = await people.choose(
        f"{agent} is chosen, but there is no model to run it.",
        how_to_get_one,
        (
            Choice(WithoutEngine.CHOOSE_MODEL, "Choose a model"),
            Choice(WithoutEngine.COPY_TASK, "Copy the task, to run it elsewhere"),
            Choice(WithoutEngine.LEAVE, "Cancel"),
        ),
    )
    return WithoutEngine(key)
