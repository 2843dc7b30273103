"""What happens in a run: the one vocabulary of events.

Everything that shows, stores, counts or traces a run consumes this stream; a new consumer changes
no producer. Events are values of JSON types only, so a line of a session log, a line of
`--output-format stream-json` and an event in memory are the same thing: `to_json` and `from_json`
are inverse to each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from secretary_tui.codec import UnknownTypeError, Variants


class Outcome(StrEnum):
    """How a run ended."""

    DONE = "done"
    PARTIAL = "partial"
    """Ended early with something to show: the turn or token limit, a refusal in the middle."""
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model answers."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    web_searches: int = 0
    """Searches that the server made; each is paid for."""

    def __add__(self, other: Usage) -> Usage:
        """Sum, field by field."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.web_searches + other.web_searches,
        )

    @property
    def prompt_tokens(self) -> int:
        """What the models read, from the cache or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total(self) -> int:
        """All tokens, read or written."""
        return self.prompt_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Base of all events; `type` is the class name in snake_case."""

    type: ClassVar[str]


@dataclass(frozen=True, slots=True)
class RunStarted(RunEvent):
    """A run begins (or goes on: `resumed`). Holds all that is needed to show it again."""

    run_id: str
    agent: str
    agent_path: str
    agent_hash: str
    """sha256 of the definition as it was read, so that a resume can say that it changed."""
    request: str
    """What the user typed."""
    task: str
    """The delegation prompt as sent (seed 000 Interface 5)."""
    system: str
    engine: str
    model: str
    tools: tuple[str, ...]
    permission_mode: str
    project: str
    started_at: str
    """UTC, ISO 8601."""
    confidence: int | None = None
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class UserMessage(RunEvent):
    """A follow-up that the user sent to the same agent."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnStarted(RunEvent):
    """A request goes to the model; `turn` counts from 1."""

    turn: int


@dataclass(frozen=True, slots=True)
class ModelStarting(RunEvent):
    """A model on this machine is brought into memory, which takes seconds.

    A passing state: it is shown and not logged.
    """

    model: str


@dataclass(frozen=True, slots=True)
class PromptRead(RunEvent):
    """How far a model on this machine has read the prompt, before the first word of its answer.

    A passing state: it is shown and not logged.
    """

    tokens: int
    total: int
    elapsed_s: float
    left_s: float | None = None
    """How long it still takes at this speed; None when that isn't known yet."""

    @property
    def percent(self) -> int:
        """The part that was read; 100 only when all of it was."""
        return 100 * self.tokens // self.total if self.total else 100


@dataclass(frozen=True, slots=True)
class TextDelta(RunEvent):
    """A piece of the answer, in markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta(RunEvent):
    """A piece of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted(RunEvent):
    """The model called a tool; it may still be waiting for permission."""

    tool_use_id: str
    name: str
    """Canonical name, such as `Read`."""
    summary: str
    """One line: the path, pattern or command."""
    input: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Todo:
    """One item of an agent's list of steps."""

    content: str
    status: str = "pending"
    """pending, in_progress or completed."""
    active_form: str = ""
    """The step as it is said while it is done, such as `Running the tests`."""


@dataclass(frozen=True, slots=True)
class TodosChanged(RunEvent):
    """The agent wrote its list of steps anew (TodoWrite); it replaces the one before."""

    todos: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class SubagentEvent(RunEvent):
    """Something happened in the run of an agent that this run's agent called."""

    tool_use_id: str
    """The call of the Agent tool that started it."""
    agent: str
    """Id of the agent that was called."""
    event: Mapping[str, Any]
    """The event itself, as `to_json` writes it."""


@dataclass(frozen=True, slots=True)
class PermissionAsked(RunEvent):
    """The run waits for the user."""

    tool_use_id: str
    name: str
    summary: str
    detail: str
    """The unified diff or the whole command."""


@dataclass(frozen=True, slots=True)
class PermissionAnswered(RunEvent):
    """The user (or a stored rule, or the mode) answered."""

    tool_use_id: str
    decision: str
    """once, run, always or deny."""
    by: str
    """`user`, `rule` or `mode`; `nobody` where no user could be asked."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ToolFinished(RunEvent):
    """A tool call ended; `output` is what the model reads."""

    tool_use_id: str
    name: str
    output: str
    is_error: bool
    elapsed_s: float
    """Without the time in which the user was asked."""


@dataclass(frozen=True, slots=True)
class MessageAdded(RunEvent):
    """A whole message entered the conversation, in API form: what a resume starts from."""

    role: str
    content: Any
    """A string or a list of content blocks, JSON types only."""


@dataclass(frozen=True, slots=True)
class MessagesReplaced(RunEvent):
    """The conversation was shortened: from here on it is this, in API form."""

    messages: Any
    """A list of messages, each with `role` and `content`, JSON types only."""


@dataclass(frozen=True, slots=True)
class UsageAdded(RunEvent):
    """One model answer was paid for."""

    usage: Usage
    cost_usd: float | None
    """None when the price is unknown; 0.0 for a local model."""


@dataclass(frozen=True, slots=True)
class Retrying(RunEvent):
    """A fault that passes; the next attempt starts in `delay_s` seconds."""

    attempt: int
    """The attempt that comes, from 2."""
    max_attempts: int
    reason: str
    delay_s: float


@dataclass(frozen=True, slots=True)
class TurnDiscarded(RunEvent):
    """What the current turn streamed so far does not count; it will be asked again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Notice(RunEvent):
    """One calm sentence for the user (a tool that is not available, a limit reached)."""

    text: str
    severity: str = "info"
    """info or warning."""


@dataclass(frozen=True, slots=True)
class RunFinished(RunEvent):
    """The last event of a run that ended in order."""

    outcome: Outcome
    stop_reason: str
    text: str
    """The final answer."""
    usage: Usage
    cost_usd: float | None
    turns: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class RunFailed(RunEvent):
    """The last event of a run that failed (seed 000, Delegation Failure)."""

    error: str
    """What happened, in a sentence."""
    suggestion: str
    """What to do next, in a sentence."""
    retryable: bool
    usage: Usage
    cost_usd: float | None
    elapsed_s: float


PASSING = (ModelStarting, PromptRead)
"""Events that are shown while they last, and neither logged nor passed on by a called agent."""


for _cls in RunEvent.__subclasses__():
    _cls.type = re.sub(r"(?<!^)(?=[A-Z])", "_", _cls.__name__).lower()
_EVENTS: Variants[RunEvent] = Variants(RunEvent.__subclasses__())


def to_json(event: RunEvent) -> dict[str, Any]:
    """Give the event as a JSON object, `type` first; Usage becomes an object, Outcome a string."""
    return _EVENTS.to_json(event)


def from_json(data: Mapping[str, Any]) -> RunEvent | None:
    """Rebuild an event. None for a type this version does not know; extra keys are ignored.

    Raises:
        ValueError: a known type lacks a field that it needs, or a field has another type.
    """
    try:
        return _EVENTS.from_json(data)
    except UnknownTypeError:
        return None
    except ValueError as error:
        raise ValueError(f"event {data.get('type')!r} can't be read: {error}") from None
