"""Questions of a run that goes on after its terminal has vanished: nobody answers, so it is no."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

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
