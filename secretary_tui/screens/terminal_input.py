"""What a terminal may do and what it is told; the only place that reaches into Textual's driver."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread

from secretary_tui.screens.terminal_background import AnswerParser


def accept_any_byte() -> None:
    """Let a byte that is not UTF-8 become U+FFFD instead of ending the app.

    A pasted Latin-1 text and the mouse reports of old terminals hold such bytes; Textual (8.2.8,
    pinned) decodes its input strictly.
    """
    strict = codecs.getincrementaldecoder

    def lenient(encoding: str) -> Callable[..., codecs.IncrementalDecoder]:
        return lambda errors="replace": strict(encoding)("replace")

    linux_driver.getincrementaldecoder = lenient  # type: ignore[attr-defined,assignment]


def take_answers_out() -> None:
    """Keep what the terminal answers about its background from being read as typed text.

    Textual (8.2.8, pinned) gives the app every sequence that it doesn't know as keys.
    """
    linux_driver.XTermParser = AnswerParser  # type: ignore[attr-defined]


def outlive_the_terminal() -> None:
    """Let the app end in order when its terminal is gone.

    Textual (8.2.8, pinned) writes from a thread, which dies of the first write that fails; the
    app then waits for ever for room in that thread's queue.
    """
    linux_driver.WriterThread = _PatientWriter  # type: ignore[attr-defined]


def write_to_terminal(app: App[Any], sequence: str) -> None:
    """Send a whole control sequence, between two frames; nowhere when there is no terminal."""
    driver = app._driver
    if driver is not None and app.is_running and not app._exit:
        driver.write(sequence)


class _PatientWriter(WriterThread):
    """Throws away what can't be written any more."""

    def run(self) -> None:
        try:
            super().run()
        except OSError:
            while self._queue.get() is not None:
                pass
