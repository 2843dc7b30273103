"""One line from the user at the terminal, without stopping the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

from secretary_tui.sanitize import clean_line


def somebody_is_there() -> bool:
    """Whether a question can be asked: a terminal to read from and one to show it on."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def ask_line(prompt: str) -> str | None:
    """Show a prompt on the error output and wait for a line; None when the input ends.

    What was typed before the prompt was visible is thrown away: it answers nothing. Cancelling
    the task withdraws the question (a reading thread could not be stopped).
    """
    _forget_what_was_typed()
    sys.stdout.flush()
    sys.stderr.write(prompt)
    sys.stderr.flush()
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[bytes] = loop.create_future()
    descriptor = sys.stdin.fileno()

    def read() -> None:
        # The terminal hands over whole lines, so this neither blocks nor gives half an answer.
        if not ready.done():
            ready.set_result(os.read(descriptor, 4096))

    loop.add_reader(descriptor, read)
    try:
        line = await ready
    finally:
        loop.remove_reader(descriptor)
    if not line:
        sys.stderr.write("\n")
        return None
    return clean_line(line.decode(errors="replace"))


def _forget_what_was_typed() -> None:
    import termios

    with contextlib.suppress(termios.error):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
