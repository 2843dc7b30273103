"""Routing as the coordinator needs it: local ranking, a model's judgement, small talk, their cost.

What is heavy is imported where it is used: `match --offline` comes through here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secretary_tui.coordinator.conversation import Conversation
    from secretary_tui.engine_service import EngineService
    from secretary_tui.library_service import LibraryService
    from secretary_tui.people import Answer, Recommendation


class RoutingService:
    """Finds who fits a request, over one library and the engines of a session."""

    def __init__(self, library: LibraryService, engines: EngineService) -> None:
        self._library = library
        self._engines = engines
        self.on_screen = False
        """Whether the user sits at the screen, and not at a command line."""

    @property
    def project(self) -> Path:
        """The project's folder."""
        return self._library.project

    @property
    def threshold(self) -> float:
        """How sure an intent must be, 0–1; a changed setting counts from the next message on."""
        return self._library.config.intent_threshold

    @property
    def agents(self) -> int:
        """How many agents can be chosen."""
        return len(self._library.index.active)

    @property
    def can_refine(self) -> bool:
        """Whether a model is asked after the local ranking."""
        return self._engines.can_refine

    def route_local(
        self, request: str, answers: Sequence[Answer] = (), typed: str = ""
    ) -> Recommendation:
        """Rank on this machine alone: milliseconds, no network."""
        return self._library.route_local(request, answers, typed)

    def can_go_on(self, conversation: Conversation, request: str) -> bool:
        """Whether the last run of a conversation can go on with a request.

        Its agent and its log must be there, and who only reads must not be asked to change a thing.
        """
        from secretary_tui.registry.agent_index import AgentNotFoundError
        from secretary_tui.routing.match.reranker import is_able
        from secretary_tui.sessions.errors import SessionError
        from secretary_tui.sessions.store import find_run

        try:
            agent = self._library.definition(conversation.agent)
            find_run(conversation.run)
        except (AgentNotFoundError, SessionError):
            return False
        return is_able(agent, request)

    async def refine(self, local: Recommendation, answers: Sequence[Answer] = ()) -> Recommendation:
        """Judge a local ranking by the model; on a fault the local one stands, with a notice."""
        engine = self._engines.engine
        if engine is None or not self.can_refine:
            return local
        from secretary_tui.routing.recommend.model_stage import refine

        library = self._library
        found = await refine(engine, local, library.index.active, library.config, answers=answers)
        self._pay(found.tokens, found.cost_usd)
        return found

    async def reply(self, request: str) -> str:
        """Answer small talk by the model; empty when it can't, which is no reason to fail."""
        engine = self._engines.engine
        if engine is None:
            return ""
        from secretary_tui.coordinator.companion import reply

        text, answer = await reply(engine, request, self._library.config)
        if answer is not None:
            self._pay(answer.usage.total, answer.cost_usd)
        return text

    def _pay(self, tokens: int, cost_usd: float | None) -> None:
        if tokens:
            from secretary_tui.sessions.statistics.spend_file import note_spent

            note_spent("routing", self.project, tokens, cost_usd)
            self._engines.session_budget.pay(cost_usd)
