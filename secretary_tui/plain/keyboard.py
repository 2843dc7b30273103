"""Where lines come from: a user at a terminal, or whatever writes into a pipe."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

Heard = Callable[[str], None]
"""Takes a line that was typed while nothing was asked."""


class Keyboard(Protocol):
    """Gives requests while nothing goes on, and answers while something does.

    Nothing that was there before a question was shown may answer it.
    """

    someone_types: bool
    """Whether a user types: what was not sent comes back to them."""
    refused: bool
    """Whether a question got the safe answer because a line did not name it."""

    def read(self, prompt: str, draft: str) -> str:
        """Wait for a text, the draft standing there already; blocks.

        Raises:
            EOFError: there is nothing more to come.
            KeyboardInterrupt: the user pressed Ctrl+C.
        """
        ...

    def listening(self, heard: Heard, ended: Callable[[], None]) -> AbstractContextManager[None]:
        """Take lines while the event loop runs; `ended` is called when no more can come."""
        ...

    async def answer(self, prompt: str, names_it: Callable[[str], bool]) -> str | None:
        """Ask, and give the line that answers; None when the input ended, nobody sees the
        question any more, or the line doesn't.

        `names_it` says which lines can only be meant for this question, whenever they were written.
        Cancelling withdraws the question.
        """
        ...

    def take_kept(self) -> str:
        """Give what was typed while a question appeared, which answered nothing."""
        ...


def never(line: str) -> bool:
    """Say of every line that it doesn't name its question."""
    del line
    return False
