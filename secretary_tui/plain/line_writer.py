"""What was said stays said: lines on the standard output, none of them painted over."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext

from secretary_tui.sanitize import clean

QUOTE = "| "
"""Before each line that a model has written; no other line begins with it."""


class LineWriter:
    """Writes lines, cleaned, each once. Knows whether the last one is still open."""

    def __init__(self) -> None:
        self._is_open = False
        self._stream = sys.stdout
        self.reader_left = False
        """Whether nobody reads it any more: the terminal or the reader of the pipe went away."""

    def line(self, text: str = "") -> None:
        """Say something on a line of its own."""
        self._put(("\n" if self._is_open else "") + clean(text).rstrip("\n") + "\n")

    def quote(self, text: str) -> None:
        """Say what a model has written, on lines of its own."""
        self.line("\n".join(QUOTE + line for line in clean(text).rstrip("\n").split("\n")))

    def write(self, text: str) -> None:
        """Say a piece that more may follow on the same line, such as a prompt or a sentence."""
        if text:
            self._put(clean(text))

    def end_line(self) -> None:
        """End the line if one is open."""
        if self._is_open:
            self._put("\n")

    def end_turn(self) -> None:
        """Nothing: the prompt says it."""

    def printing(self) -> AbstractContextManager[object]:
        """Nothing: what is printed stands among the lines."""
        return nullcontext()

    def ring(self) -> None:
        """Ring the terminal's bell."""
        if not self.reader_left and self._stream.isatty():
            self._send("\x07")

    def entered(self) -> None:
        """Know that the terminal has ended the line itself: it echoed Enter."""
        self._is_open = False

    def _put(self, text: str) -> None:
        if not self.reader_left:
            self._send(text)
        self._is_open = not text.endswith("\n")

    def _send(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # EPIPE, or EIO from a terminal that was closed.
            self.reader_left = True
            # The interpreter flushes once more when it ends; that must not fail a second time.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
