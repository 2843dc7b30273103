"""What the plain face is written through: the protocols of text and of JSON."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from secretary_tui.lines.line_face import LineFace
from secretary_tui.plain.keyboard import Keyboard


class Writer(Protocol):
    """Writes what is said, each thing once."""

    @property
    def reader_left(self) -> bool:
        """Whether nobody reads it any more."""
        ...

    def line(self, text: str = "") -> None:
        """Say something on a line of its own."""
        ...

    def quote(self, text: str) -> None:
        """Say the whole of what a model has written."""
        ...

    def end_line(self) -> None:
        """End the line if one is open."""
        ...

    def end_turn(self) -> None:
        """Note that the turn has ended."""
        ...

    def ring(self) -> None:
        """Ring the bell."""
        ...

    def printing(self) -> AbstractContextManager[object]:
        """Take what is printed meanwhile: a verb of the command line is called."""
        ...


class RunText(Protocol):
    """Says the streamed text of a run."""

    def say(self, piece: str) -> None:
        """Take the next piece."""
        ...

    def make_way(self) -> None:
        """Let something else be said in between."""
        ...

    def end(self) -> None:
        """Say what is there: a part is whole."""
        ...

    def finish(self, answer: str) -> None:
        """Say the rest: the run has ended with this answer."""
        ...

    def drop(self) -> None:
        """Forget what was not said."""
        ...


@dataclass(frozen=True, slots=True)
class Channel:
    """How a plain conversation is written and read."""

    writer: Writer
    keyboard: Keyboard
    face: LineFace
    new_run_text: Callable[[], RunText]
