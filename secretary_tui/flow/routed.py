"""What the user chose for a request, and the delegation that it becomes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from secretary_tui.people import Answer, Recommendation, RouteAction, RouteChoice

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.delegation.permissions.permission_mode import PermissionMode
    from secretary_tui.secretary import Secretary


@dataclass(frozen=True, slots=True)
class Routed:
    """What the user chose, from what, and what they answered before."""

    choice: RouteChoice
    recommendation: Recommendation
    answers: tuple[Answer, ...] = ()
    """The answers to clarifying questions, skipped ones included."""

    @property
    def goes_on(self) -> bool:
        """Whether the run before goes on, rather than that a new one begins."""
        return self.choice.action is RouteAction.CONTINUE

    @property
    def message(self) -> str:
        """What the agent of the run before is told: the request, or what the user made of it."""
        return self.choice.task or self.recommendation.request

    @property
    def confidence(self) -> int | None:
        """How well what was chosen fits, 0-100; None for one named by hand or a generalist."""
        choice, workflow = self.choice, self.recommendation.workflow
        if choice.action is RouteAction.OTHER:
            return None
        if choice.action is RouteAction.WORKFLOW and workflow is not None:
            return workflow.confidence
        ranking = self.recommendation.ranking
        return next(
            (m.confidence for m in ranking if m.agent == choice.agent and not m.fallback), None
        )

    def delegation(
        self,
        secretary: Secretary,
        request: str,
        *,
        context: Sequence[str] = (),
        permission_mode: PermissionMode | None = None,
        model: str | None = None,
    ) -> Delegation:
        """Make the delegation of a choice that names an agent; `request` is what was typed.

        Raises:
            AgentNotFoundError: the agent went away since it was ranked.
        """
        choice, found = self.choice, self.recommendation
        assert choice.agent is not None
        # A command that was named without arguments gets none.
        bare = found.workflow is not None and found.workflow.arguments == ""
        # What the user took out of the task must not go along as "the user's words".
        edited = bool(choice.task) and choice.task != found.task
        delegation = secretary.delegation(
            choice.agent,
            choice.task if edited else found.request,
            choice.task or ("" if bare else request),
            context=context,
            confidence=self.confidence,
            permission_mode=permission_mode,
            model=model,
        )
        return dataclasses.replace(delegation, engine=choice.engine, looks_up=choice.looks_up)
