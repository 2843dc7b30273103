"""Answers from the user at the terminal of the command line, without stopping the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable

from secretary_tui.lines.line_source import never
from secretary_tui.sanitize import clean_line


def somebody_is_there() -> bool:
    """Whether a question can be asked: a terminal to read from and one to show it on."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class TerminalLines:
    """Asks on the error output and reads the terminal (`line_source.LineSource`)."""

    async def answer(self, prompt: str, names_it: Callable[[str], bool] = never) -> str | None:
        """Show a prompt and wait for a line; None when the input ends.

        What was typed before the prompt was visible is thrown away: it answers nothing. Cancelling
        the task withdraws the question (a reading thread could not be stopped).
        """
        del names_it  # Whatever came before is no answer here.
        _forget_what_was_typed()
        sys.stdout.flush()
        sys.stderr.write(prompt)
        sys.stderr.flush()
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[bytes] = loop.create_future()
        descriptor = sys.stdin.fileno()

        def read() -> None:
            # The terminal hands over whole lines: this neither blocks nor gives half an answer.
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


def is_confirmed(prompt: str) -> bool:
    """Ask a question while no event loop runs; whether the answer was yes."""
    answer = asyncio.run(TerminalLines().answer(prompt)) or ""
    return answer.strip().lower() in ("y", "yes")


def _forget_what_was_typed() -> None:
    import termios

    with contextlib.suppress(termios.error):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
