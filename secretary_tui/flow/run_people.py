"""How a run asks: through the panels of the screen, which it may share with other runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol

from secretary_tui.people import (
    Answer,
    Choice,
    People,
    Question,
    Recommendation,
    RouteChoice,
    ToolAnswer,
    ToolRequest,
)


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
