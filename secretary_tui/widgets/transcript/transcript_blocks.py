"""What a transcript shows: one frozen value per block, in the order of the conversation.

A block holds source text, never rendered lines. Text may come from anywhere: the transcript cleans
it when a block enters (`cleaned`).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from secretary_tui.sanitize import clean, clean_line


@dataclass(frozen=True, slots=True)
class Block:
    """Base of all blocks."""

    @property
    def source(self) -> str:
        """What a user who copies the block wants to have."""
        return ""

    @property
    def foldable(self) -> bool:
        """Whether it has a line that unfolds."""
        return False

    @property
    def ticks(self) -> bool:
        """Whether it shows a time that passes."""
        return False

    def cleaned(self) -> Self:
        """Give a copy that is safe to print."""
        changes = {
            field.name: clean(value)
            for field in dataclasses.fields(self)
            if type(value := getattr(self, field.name)) is str
        }
        return dataclasses.replace(self, **changes)


LONG_LINES, LONG_CHARACTERS = 12, 1_200
"""A request with more of either is folded at first."""


@dataclass(frozen=True, slots=True)
class UserMessageBlock(Block):
    """What the user said."""

    text: str

    @property
    def source(self) -> str:
        """The message."""
        return self.text

    @property
    def foldable(self) -> bool:
        """Only a long one folds, such as one with a paste in it."""
        return len(self.text) > LONG_CHARACTERS or self.text.count("\n") >= LONG_LINES


@dataclass(frozen=True, slots=True)
class AnswerBlock(Block):
    """What the model said, in Markdown."""

    text: str
    discarded: str = ""
    """Why this text does not count; such an answer is struck out and folded."""

    @property
    def source(self) -> str:
        """The Markdown."""
        return self.text

    @property
    def foldable(self) -> bool:
        """Only a discarded answer folds."""
        return bool(self.discarded)


@dataclass(frozen=True, slots=True)
class Thinking(Block):
    """What the model thought, folded to one line at first."""

    text: str
    discarded: str = ""

    @property
    def source(self) -> str:
        """The thoughts."""
        return self.text

    @property
    def foldable(self) -> bool:
        """Always."""
        return True


class ToolState(StrEnum):
    """Where a tool call stands."""

    RUNNING = "running"
    WAITING = "waiting for you"
    DONE = "done"
    FAILED = "error"
    DENIED = "denied"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class ToolCallBlock(Block):
    """One tool call, folded to one line at first."""

    name: str
    summary: str
    state: ToolState = ToolState.RUNNING
    input: str = ""
    """The input as lines of `name: value`."""
    diff: str = ""
    """The unified diff that the call makes, shown instead of the input."""
    output: str = ""
    elapsed_s: float | None = None
    started: float | None = None
    """`time.monotonic()` when it began; None when it isn't live, so that no time passes."""
    inside: str = ""
    """What an agent did that the call started, a line for each step."""
    note: str = ""
    """A few words more: why it was denied, which rule allowed it."""
    discarded: str = ""

    @property
    def source(self) -> str:
        """Name and summary, what went in and what came out."""
        head = f"{self.name} {self.summary}"
        parts = (head, self.diff or self.input, self.inside, self.output)
        return "\n\n".join(part for part in parts if part.strip())

    @property
    def foldable(self) -> bool:
        """Always."""
        return True

    @property
    def ticks(self) -> bool:
        """While it runs."""
        return self.state is ToolState.RUNNING and self.started is not None


@dataclass(frozen=True, slots=True)
class StepBlock:
    """One item of a checklist."""

    text: str
    state: str
    """pending, in_progress or completed."""


@dataclass(frozen=True, slots=True)
class Checklist(Block):
    """The agent's list of steps, with what is done of it."""

    steps: tuple[StepBlock, ...]

    @property
    def source(self) -> str:
        """The list in Markdown."""
        return "\n".join(
            f"- [{'x' if step.state == 'completed' else ' '}] {step.text}" for step in self.steps
        )

    def cleaned(self) -> Self:
        """Give a copy that is safe to print."""
        steps = tuple(StepBlock(clean_line(step.text), step.state) for step in self.steps)
        return dataclasses.replace(self, steps=steps)


@dataclass(frozen=True, slots=True)
class Diff(Block):
    """A unified diff that stands for itself."""

    text: str
    title: str = ""

    @property
    def source(self) -> str:
        """The diff."""
        return self.text


class NoticeLevel(StrEnum):
    """How much a notice matters."""

    INFO = "info"
    SUCCESS = "success"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class NoticeBlock(Block):
    """A calm sentence, with what to do next if there is something."""

    text: str
    level: NoticeLevel = NoticeLevel.INFO
    suggestion: str = ""

    @property
    def source(self) -> str:
        """Both sentences."""
        return f"{self.text}\n{self.suggestion}".strip()


@dataclass(frozen=True, slots=True)
class Countdown(Block):
    """A wait that is shown while it lasts: `retrying in 4 s (2/5): overloaded`."""

    reason: str
    attempt: int
    max_attempts: int
    until: float | None = None
    """`time.monotonic()` at which it ends; None when it is over."""

    @property
    def source(self) -> str:
        """The reason."""
        return self.reason

    @property
    def ticks(self) -> bool:
        """While it lasts."""
        return self.until is not None


@dataclass(frozen=True, slots=True)
class RuleBlock(Block):
    """A line across, with a label: a turn, a resumed run, the summary of a finished one."""

    label: str = ""
    level: NoticeLevel = NoticeLevel.INFO

    @property
    def source(self) -> str:
        """The label."""
        return self.label


@dataclass(frozen=True, slots=True)
class RunHeader(Block):
    """Who works, where and with which model."""

    agent: str
    engine: str
    model: str
    note: str = ""
    color: str = ""
    """The colour that the agent's file names."""

    @property
    def source(self) -> str:
        """All of it, on one line."""
        return " · ".join(part for part in (self.agent, self.engine, self.model, self.note) if part)
