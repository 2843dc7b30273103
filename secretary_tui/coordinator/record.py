"""What the coordinator writes down of each request: the decision, then the choice (seed 001)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from secretary_tui.coordinator.dispatch_values import AgentState
from secretary_tui.people import Intent, Recommendation, RouteAction, RouteChoice
from secretary_tui.sessions.decisions import Decision, DecisionLog, new_decision


class Record:
    """The log of one conversation's decisions."""

    def __init__(self, project: Path, conversation: str) -> None:
        self._log = DecisionLog.of(project)
        self._conversation = conversation
        self._decision: Decision | None = None
        self._not_begun: dict[RouteChoice, str] = {}
        """Choices whose run did not begin yet, with the ids of their decisions."""

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
            intent=state.get("original_intent", recommendation.intent),
            intent_confidence=state.get("confidence", 1.0),
            reasoning=_why(state, recommendation),
            tokens_used=recommendation.tokens,
            cost_usd=recommendation.cost_usd,
        )
        if again and self._decision is not None:
            decision = replace(decision, id=self._decision.id, at=self._decision.at)
        self._decision = decision
        self._log.add(decision)

    def reopened(self, state: AgentState, recommendation: Recommendation) -> None:
        """Go on with the decision that an earlier process wrote down of an open panel."""
        written = [
            decision
            for decision in self._log.load()
            if decision.conversation == self._conversation and decision.action is None
        ]
        self._decision = written[-1] if written else None
        self.routed(state, recommendation, again=True)

    def chose(self, choice: RouteChoice) -> None:
        """Write down what the user chose: cancelled, until what was chosen begins.

        A run may be given up when there is no model or the folder isn't trusted: nothing is
        learnt from a choice that led to nothing.
        """
        if self._decision is not None:
            self._log.choose(self._decision.id, RouteChoice(RouteAction.CANCEL))
            self._not_begun[choice] = self._decision.id

    def began(self, choice: RouteChoice, run_id: str) -> None:
        """Write down that a choice was carried out, and by which run."""
        current = self._decision.id if self._decision is not None else ""
        if decision_id := self._not_begun.pop(choice, current):
            self._log.choose(decision_id, choice, run_id)


def _why(state: AgentState, recommendation: Recommendation) -> str:
    """What decided: a model's words, or for a plain request those that the best agent shares."""
    intent = state.get("original_intent", recommendation.intent)
    if recommendation.engine == "local" and intent == Intent.DELEGATE and recommendation.matches:
        best, *_ = recommendation.matches
        return f"{best.agent}: {best.reason}"
    return state.get("reasoning", "")
