"""Reads all descriptions before a program ranks once, and says how far it is."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

from secretary_tui.lines.output import amount, note
from secretary_tui.lines.plain_mode import prefers_lines

if TYPE_CHECKING:
    from secretary_tui.library_service import LibraryService

_QUIET_S = 2.0
"""Seconds until how far it is is said; in a log each further line waits twice as long."""


def learn_sentences(library: LibraryService) -> None:
    """Let the library rank by the meaning of sentences; where the model for it is here.

    Blocking until every description is read, which takes seconds once for each text; what is read
    is said on the error output, and how far it is where that takes long.
    """
    line = _ReadingLine()
    try:
        library.learn_sentences(math.inf, line.show)
    finally:
        line.close()


class _ReadingLine:
    """How far the reading is: a line that renews itself, a few lines in a log."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty() and not prefers_lines()
        self._told = time.monotonic()
        self._first: tuple[float, int] | None = None
        self._wait = _QUIET_S
        self._is_open = False

    def show(self, left: int, of: int) -> None:
        """Take the next look at the reading."""
        now = time.monotonic()
        done = of - left
        if not done:
            what = amount(of, "agent's description", "agents' descriptions")
            note(f"Reading {what} for their meaning; each is read once.")
        elif self._first is None:  # The model is brought into memory with the first few.
            self._first = (now, done)
        elif left and now - self._told > self._wait:
            started, before = self._first
            seconds = (now - started) / (done - before) * left
            said = f"{done} of {of} read, about {max(1, round(seconds))} s left"
            self._told = now
            if self._on_terminal:
                self._wait = 0.2
                sys.stderr.write(f"\r{said}  ")
                sys.stderr.flush()
                self._is_open = True
            else:
                self._wait *= 2
                note(f"{said}.")

    def close(self) -> None:
        """End the line, so that what follows begins on one of its own."""
        if self._is_open:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._is_open = False
