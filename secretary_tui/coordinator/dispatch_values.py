"""The values of the coordinator: intents, the steps a face plays, and the state of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    reply_to: str = ""
    """The agent that answered last, when it is asked whether the message is for it: the answer
    is then one of the labels of `for_whom`."""


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
    messages: list[dict[str, Any]]
    """The conversation, oldest first: `role`, `text` and perhaps `data` (`StructuredData`)."""
    answered_by: str
    """The agent whose answer was the last; empty before the first."""
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
    suggestions: list[dict[str, str]]
    """`text` and perhaps `intent_hint`: what could be typed next."""
    error: str
    metadata: dict[str, Any]
    """Notes on the way: the threshold, the answers given, who named the agent."""
    recommendation: dict[str, Any] | None
    reply: str
    choice: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation."""

    role: str
    """user or secretary."""
    text: str
    data: Mapping[str, Any] | None = field(default=None)
    """The `StructuredData` that came with it, in JSON form."""
