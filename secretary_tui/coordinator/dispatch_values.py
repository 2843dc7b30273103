"""The values of the coordinator: intents, the steps a face plays, and the state of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from secretary_tui.people import Intent, Option, Question, Recommendation, RouteChoice


@dataclass(frozen=True, slots=True)
class IntentClassification:
    """An intent, how sure it is, and why."""

    intent: Intent
    confidence: float
    """0–1; below the threshold the intent is overridden by *clarify*."""
    reasoning: str
    """One sentence, for the log and for the user."""


@dataclass(frozen=True, slots=True)
class Confirming:
    """The match panel waits for the user."""

    recommendation: Recommendation
    refining: bool = False
    """Whether a model may be asked to look at it (`Coordinator.refine`)."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Questions must be answered first."""

    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Replied:
    """The secretary answers itself; nothing is delegated."""

    text: str
    suggestions: tuple[Option, ...] = ()
    """What could be typed next."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The user chose, or cancelled; the flow of this request is over."""

    choice: RouteChoice
    recommendation: Recommendation


Step = Confirming | Asking | Replied | Decided
"""What a face plays next."""


class AgentState(TypedDict, total=False):
    """The state of the graph (seed 001): JSON types only, since it is checkpointed to disk."""

    request: str
    """As typed."""
    conversation: dict[str, Any]
    """What was said and answered before, and the run that can go on (`Conversation`)."""
    asked_at: float
    """When the request was sent, in seconds since the epoch."""
    intent: str
    original_intent: str
    """What was classified before a low confidence made it *clarify*."""
    confidence: float
    reasoning: str
    structured_data: dict[str, Any] | None
    """What "it" and "the second one" refer to; a `StructuredData` or None."""
    conversation_id: str
    context_summary: str
    """The request with what it refers to filled in; what is routed."""
    continuation: dict[str, Any] | None
    """The run that the message goes on with (`Continuation`), or None."""
    suggestions: list[dict[str, str]]
    """`text` and perhaps `intent_hint`: what could be typed next."""
    error: str
    metadata: dict[str, Any]
    """Notes on the way: the threshold, the answers given, who named the agent."""
    recommendation: dict[str, Any] | None
    reply: str
    choice: dict[str, Any] | None
