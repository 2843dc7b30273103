"""Streamed text in whole sentences: four characters at a time make a screen reader stutter."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from secretary_tui.plain.line_writer import QUOTE, LineWriter
from secretary_tui.sanitize import clean

PAUSE_S = 1.5
"""Seconds without anything new after which the words that are there are said."""
LONGEST = 2_000
"""Characters without an end of a sentence after which what is there is said."""
_END = re.compile(r"\n|[。！？]|[.!?:;…][)\]\"'”’*_`]*(?=\s)")
_BLANK = re.compile(r"\s")


class Timer(Protocol):
    """Something that happens later, unless it is cancelled."""

    def cancel(self) -> None:
        """Don't let it happen."""
        ...


class Speech:
    """Holds streamed text back until a line or a sentence is whole, or the stream pauses.

    Each of its lines begins with `QUOTE`, as none of ours does: what a model says can't pass for a
    question, a result or a prompt.

    Args:
        writer: Where it is said.
        later: Calls a function after some seconds, as an event loop does.
    """

    def __init__(
        self, writer: LineWriter, later: Callable[[float, Callable[[], None]], Timer]
    ) -> None:
        self._writer = writer
        self._later = later
        self._held = ""
        self._begins_line = True
        self._timer: Timer | None = None

    def say(self, piece: str) -> None:
        """Take the next piece of the stream."""
        self._held += piece
        self._say(whole_until(self._held))
        if len(self._held) > LONGEST:
            self._say_words()
        if len(self._held) > LONGEST:  # No blank anywhere: looking for one again takes ever longer.
            self._say(len(self._held))
        self._stop_timer()
        if self._held:
            self._timer = self._later(PAUSE_S, self._say_words)

    def make_way(self) -> None:
        """Say the rest, and end its line."""
        self.end()

    def finish(self, answer: str) -> None:
        """Say the rest, and end its line: the answer was said as it came."""
        del answer
        self.end()

    def end(self) -> None:
        """Say the rest, and end its line."""
        self._stop_timer()
        self._say(len(self._held))
        self._begins_line = True
        self._writer.end_line()

    def drop(self) -> None:
        """Forget what was not said."""
        self._stop_timer()
        self._held = ""

    def _say_words(self) -> None:
        blanks = [found.end() for found in _BLANK.finditer(self._held)]
        self._say(blanks[-1] if blanks else 0)

    def _say(self, length: int) -> None:
        text, self._held = clean(self._held[:length]), self._held[length:]
        if not text:
            return
        quote, end = QUOTE * self._begins_line, "\n" * text.endswith("\n")
        self._begins_line = bool(end)
        self._writer.write(quote + text.removesuffix("\n").replace("\n", f"\n{QUOTE}") + end)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def whole_until(text: str) -> int:
    """Say up to where a text consists of whole lines and sentences; 0 when it has none yet."""
    ends = [found.end() for found in _END.finditer(text)]
    return ends[-1] if ends else 0
