"""The seam between callers of a model and the engine that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from secretary_tui.events import Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


HOSTED_LOOKUP_TOKENS = 2_000
"""What is looked up for a task, at most, where reading is fast and paid by the token."""


class EngineError(Exception):
    """An engine can't answer; the message says what happened, `suggestion` what to do next."""

    def __init__(self, message: str, suggestion: str = "") -> None:
        super().__init__(message)
        self.suggestion = suggestion
        self.usage = Usage()
        """Tokens of an answer that came and can't be used."""
        self.cost_usd: float | None = 0.0
        """What they cost; None when the price is unknown."""


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """The model that will answer, and a warning when it isn't the one that was asked for."""

    id: str
    warning: str = ""


@dataclass(frozen=True, slots=True)
class StructuredAnswer:
    """A model's answer that follows a JSON schema (checked as JSON, not against the schema)."""

    data: Mapping[str, Any]
    usage: Usage
    model: str
    cost_usd: float | None


class WireProtocol(StrEnum):
    """What is spoken with an engine, and so who carries its runs out."""

    MESSAGES = "messages"
    """Anthropic's Messages API: a model answers, the loop around it is ours."""
    COMPLETIONS = "completions"
    """llama.cpp's completions, bound by grammars: a small model, asked one thing at a time."""
    ACP = "acp"
    """The Agent Client Protocol: an agent with a loop of its own."""


@dataclass(frozen=True, slots=True)
class StructuredOutput:
    """How an engine is asked for JSON by a schema, as far as engines differ in it."""

    speaker: str
    """Who answers, at the beginning of a sentence."""
    schema_in_prompt: bool = False
    """Whether the schema must stand in the instructions, as the server ignores it elsewhere."""
    slow_hint: str = ""
    """What helps when no answer came in time."""


class Engine(Protocol):
    """Where a model answers. One instance serves the whole session."""

    wire_protocol: WireProtocol
    name: str
    """`anthropic`, `local`, or the name of a profile."""
    label: str
    """What the status bar shows, such as `Claude API` or `local · Qwen2.5-Coder 1.5B`."""
    is_local: bool
    """Whether it runs on this machine: answers cost nothing, and no data leaves it."""
    supports_threads: bool
    """Whether the server can hold the conversation; a run sends it whole each turn, whatever this
    says: only what is sent can be shortened, forked and taken up again anywhere."""
    max_tokens: int
    """How many tokens one answer may have."""
    takes_media: bool
    """Whether its models read pictures and PDFs."""
    server_tools: bool
    """Whether the server itself searches the web for its models."""
    runs_agents: bool
    """Whether it is an agent itself: it runs definitions and answers no other questions."""
    lookup_tokens: int
    """How much of a project, in tokens, is given to it with a task."""
    limits: tuple[str, ...]
    """What it can't do, in a few words each; the user reads them before a run."""
    structured_output: StructuredOutput

    async def prepare(self) -> None:
        """Find out what must be known before its models can be named; most know it.

        Raises:
            EngineError: it can't be reached.
        """
        ...

    def resolve_model(self, wanted: str | None) -> ResolvedModel:
        """Find the model for an agent's `model` field (alias, full id, `inherit` or None)."""
        ...

    async def client(self) -> AsyncAnthropic:
        """Give a client that is ready to use: `max_retries=0`, no redirects, `read` time-out 60 s.

        Starts what must be started (the local server), once.

        Raises:
            EngineError: it can't be reached or started.
        """
        ...

    def price(self, model: str, usage: Usage) -> float | None:
        """The cost in US dollars; None when the price is unknown, 0.0 for a local model."""
        ...

    async def aclose(self) -> None:
        """Stop what was started."""
        ...


@runtime_checkable
class WarmsUp(Protocol):
    """An engine whose model must be brought into memory first, by a process of our own."""

    @property
    def is_up(self) -> bool:
        """Whether the model is there and can answer at once."""
        ...

    async def warm_up(self, system: str, message: str = "") -> None:
        """Bring it into memory, and read what a prompt to come begins with.

        Args:
            system: The system prompt.
            message: The first message behind it, where it is known.

        Raises:
            EngineError, httpx2.HTTPError, ValueError: it can't be started, or doesn't answer.
        """
        ...
