"""What a terminal may do and what it is told; the only place that reaches into Textual's driver."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from textual.app import App
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread

from secretary_tui.terminal.background import QUERY, AnswerParser, understands_the_question


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
    app then waits for ever for room in that thread's queue. The thread that reads shows a traceback
    to nobody.
    """
    linux_driver.WriterThread = _PatientWriter  # type: ignore[attr-defined]
    linux_driver.LinuxDriver.run_input_thread = _read_until_gone  # type: ignore[assignment,method-assign]


def stop_reading_once() -> None:
    """Leave what is typed after the screen closed to the shell.

    Textual (8.2.8, pinned) stops its reading twice, and throws away what was typed each time; by
    the second one the terminal shows the shell again.
    """
    linux_driver.LinuxDriver.disable_input = _stop_reading  # type: ignore[assignment,method-assign]


def write_to_terminal(app: App[Any], sequence: str) -> None:
    """Send a whole control sequence, between two frames; nowhere when there is no terminal."""
    driver = app._driver
    if driver is not None and app.is_running and not app._exit:
        driver.write(sequence)


def ask_background(app: App[Any], environ: Mapping[str, str]) -> None:
    """Ask the terminal for its background; the app gets `BackgroundReported` if it answers."""
    if understands_the_question(environ):
        write_to_terminal(app, QUERY)


def frames_waiting(app: App[Any]) -> int:
    """How many writes the terminal has not taken yet; at 30 Textual would stand still."""
    writer = getattr(app._driver, "_writer_thread", None)
    return writer._queue.qsize() if isinstance(writer, WriterThread) else 0


@contextmanager
def not_reading(app: App[Any]) -> Iterator[None]:
    """Read no keys: a terminal that is gone is ready to be read for ever, and holds none."""
    driver = app._driver
    if isinstance(driver, linux_driver.LinuxDriver):
        driver.exit_event.set()
    try:
        yield
    finally:
        if isinstance(driver, linux_driver.LinuxDriver):
            driver.exit_event.clear()  # Else it takes itself for ended, and restores nothing.


def _read_until_gone(driver: linux_driver.LinuxDriver) -> None:
    try:
        _READ_INPUT(driver)
    except OSError:  # Before the signal that says the same, or in place of it.
        hang_up = getattr(driver._app, "hang_up", None)
        if hang_up is None:
            raise
        driver._app.call_later(hang_up)


def _stop_reading(driver: linux_driver.LinuxDriver) -> None:
    if driver._key_thread is not None and driver._key_thread.is_alive():
        _DISABLE_INPUT(driver)


_READ_INPUT = linux_driver.LinuxDriver.run_input_thread
_DISABLE_INPUT = linux_driver.LinuxDriver.disable_input


class _PatientWriter(WriterThread):
    """Throws away what can't be written any more."""

    def run(self) -> None:
        try:
            super().run()
        except OSError:
            while self._queue.get() is not None:
                pass
