"""Why a run ends, in plain words: what each stop reason of the API means for the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from secretary_tui.engines.faults import Fault, FaultKind
from secretary_tui.events import Outcome
from secretary_tui.sanitize import clean_line

MAX_TURNS = "max_turns"
"""Our own stop reason: the agent's `maxTurns`, or the default, is used up."""
MAX_COST = "max_cost"
"""Our own stop reason: the money that the run may cost is used up."""
CONTEXT_FULL = "model_context_window_exceeded"
"""The API's stop reason for an answer that didn't fit behind its conversation."""
BUDGET_SPENT = "budget_spent"
"""Our own stop reason: an agent that was called by another one used up its tokens."""
INTERRUPTED = "interrupted"
"""Our own stop reason: the user ended the run."""
SAME_CALL = "same_call"
"""Our own stop reason: one call failed again and again."""

_GO_ON = "Send a follow-up to let the agent go on."
_PARTIAL: Mapping[str, tuple[str, str]] = {
    MAX_TURNS: ("The agent used all of its turns, so it may not be finished.", _GO_ON),
    MAX_COST: ("The run stopped at its cost cap.", "Send a follow-up to let the agent go on."),
    BUDGET_SPENT: ("The agent used all tokens it had for this call.", "Give it a smaller task."),
    SAME_CALL: (
        "The agent made the same failing call five times without anything else that worked.",
        "Say what it should do instead, choose another agent, or a larger model.",
    ),
    "max_tokens": ("The answer was cut off: it reached the longest one answer may be.", _GO_ON),
    "pause_turn": ("The service paused the answer too often, so it is incomplete.", _GO_ON),
    CONTEXT_FULL: (
        "The conversation no longer fits into the model's context, so the answer is incomplete.",
        "Start a new run with a shorter task.",
    ),
}
_DONE = frozenset(("end_turn", "stop_sequence", "tool_use"))


class RunFault(Exception):
    """The run can't go on; carries the fault in words."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.sentence)
        self.fault = fault


def plain_fault(sentence: str, suggestion: str) -> Fault:
    """Give a fault that a retry does not mend, in words of our own."""
    return Fault(FaultKind.ENGINE, sentence, suggestion, False)


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How a run ends, what happened and what to do next (both empty when all is well)."""

    outcome: Outcome
    sentence: str = ""
    suggestion: str = ""

    @property
    def words(self) -> str:
        """Both together; empty when all is well."""
        return f"{self.sentence} {self.suggestion}".strip()


def ending(stop_reason: str | None, details: Mapping[str, Any]) -> RunEnding:
    """Explain a stop reason, the API's or one of ours."""
    if stop_reason is None or stop_reason in _DONE:
        return RunEnding(Outcome.DONE)
    if stop_reason == "refusal":
        category = clean_line(str(details.get("category") or ""))
        about = f" ({category})" if category else ""
        return RunEnding(
            Outcome.PARTIAL,
            f"The model declined to go on{about}.",
            "Rephrase the task or choose another agent.",
        )
    if stop_reason in _PARTIAL:
        return RunEnding(Outcome.PARTIAL, *_PARTIAL[stop_reason])
    name = clean_line(stop_reason)[:60]
    return RunEnding(
        Outcome.PARTIAL,
        f"The answer ended for a reason unknown here ({name}), so it may be incomplete.",
        _GO_ON,
    )
