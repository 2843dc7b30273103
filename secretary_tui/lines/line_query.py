"""What is asked in lines, as a value: for a face that writes text, and one that writes JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from secretary_tui.lines.line_source import never
from secretary_tui.people import QuestionAbout

_INDENT = " " * 5


class QueryType(StrEnum):
    """What kind of answer is wanted."""

    OFFER = "offer"
    """Who shall do it."""
    QUESTION = "question"
    PERMISSION = "permission"
    """Whether a tool may be used."""


class OptionAction(StrEnum):
    """What follows from an option."""

    CONTINUE = "continue"
    """A run goes on."""
    RUN = "run"
    """An agent, a command or a skill is run."""
    ANSWER = "answer"
    CANCEL = "cancel"
    """Nothing is done."""


@dataclass(frozen=True, slots=True)
class LineOption:
    """One answer that is offered."""

    key: str
    """What is typed for it."""
    label: str
    action: OptionAction = OptionAction.ANSWER
    facts: tuple[str, ...] = ()
    """What helps to choose, a half sentence each."""
    agent: str | None = None
    """Id of the agent, or `/id`, that it runs."""
    run: str | None = None
    """Id of the run that it goes on with."""
    confidence: int | None = None
    """0-100."""
    fallback: bool | None = None
    """Whether it is a generalist; None where no agent is meant."""
    listed: bool = True
    """Whether text has a line for it; the others stand in the prompt."""

    @property
    def sentence(self) -> str:
        """Label and facts in one line."""
        if not self.facts:
            return self.label
        return ". ".join([self.label, *(fact[:1].upper() + fact[1:] for fact in self.facts)]) + "."

    def lines(self, *, spoken: bool) -> list[str]:
        """Say it with its key: one line to be read aloud, else a block where there are facts."""
        if spoken or not self.facts:
            return [f"{self.key}: {self.sentence}"]
        return [f"  {self.key}  {self.label}", *(_INDENT + fact for fact in self.facts)]


CANCEL_OPTION = LineOption("cancel", "Cancel", OptionAction.CANCEL, listed=False)


def is_cancel(line: str) -> bool:
    """Whether a line cancels whatever is asked."""
    return line.lower() == CANCEL_OPTION.key


@dataclass(frozen=True, slots=True)
class LineQuery:
    """One thing that is asked, and what may answer it."""

    type: QueryType
    text: tuple[str, ...]
    prompt: str
    """What text ends with, before the answer."""
    options: tuple[LineOption, ...] = ()
    lead: str = ""
    """What text begins with, and JSON says by the type."""
    after: tuple[str, ...] = ()
    """What is said behind the options."""
    about: QuestionAbout | None = None
    names_it: Callable[[str], bool] = never
    """Which lines can only be meant for this, whenever they were written."""
    may_come_early: Callable[[str], bool] = never
    """Which lines a program may have written before it was asked."""


def listed_lines(options: Iterable[LineOption], *, spoken: bool) -> list[str]:
    """The lines of the options that have some."""
    return [line for o in options if o.listed for line in o.lines(spoken=spoken)]
