"""How far the local model has read the prompt: one line on a terminal that wipes itself."""

from __future__ import annotations

import shutil
import sys

from secretary_tui.events import PromptRead
from secretary_tui.verbs.output import shorten


class ReadingLine:
    """Shows `PromptRead` on the error output, and nothing where that is no terminal."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._length = 0

    def show(self, event: PromptRead) -> None:
        """Take the next look."""
        if not self._on_terminal:
            return
        left = f", about {event.left_s:.0f} s left" if event.left_s is not None else ""
        text = f"Reading the prompt: {event.percent} % after {event.elapsed_s:.0f} s{left}"
        line = shorten(text, shutil.get_terminal_size().columns - 1)
        sys.stdout.flush()
        sys.stderr.write(f"\r{line.ljust(self._length)}")
        sys.stderr.flush()
        self._length = len(line)

    def wipe(self) -> None:
        """Leave no trace of it, before something else is written."""
        if self._length:
            sys.stderr.write(f"\r{' ' * self._length}\r")
            sys.stderr.flush()
            self._length = 0
