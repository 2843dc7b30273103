"""What the coordinator writes down of each request: the decision, then the choice (seed 001)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from secretary_tui.coordinator.values import AgentState
from secretary_tui.people import Recommendation, RouteChoice
from secretary_tui.sessions.decisions import Decision, DecisionLog, new_decision


class Record:
    """The log of one conversation's decisions."""

    def __init__(self, project: Path, conversation: str) -> None:
        self._log = DecisionLog.of(project)
        self._conversation = conversation
        self._decision: Decision | None = None

    @property
    def decision_id(self) -> str:
        """The decision about the current request, empty before the first."""
        return self._decision.id if self._decision is not None else ""

    def routed(
        self, state: AgentState, recommendation: Recommendation, *, again: bool = False
    ) -> None:
        """Write down how a request was routed; `again` replaces what was written before."""
        decision = new_decision(
            recommendation,
            conversation=self._conversation,
            kind=state.get("original_intent", recommendation.kind),
            kind_confidence=state.get("confidence", 1.0),
            reasoning=state.get("reasoning", ""),
            tokens_used=recommendation.tokens,
            cost_usd=recommendation.cost_usd,
        )
        if again and self._decision is not None:
            decision = replace(decision, id=self._decision.id, at=self._decision.at)
        self._decision = decision
        self._log.add(decision)

    def chose(self, choice: RouteChoice, run_id: str = "") -> None:
        """Write down what the user chose, and the run that followed once there is one."""
        if self._decision is not None:
            self._log.choose(self._decision.id, choice, run_id)
