"""Where requests and answers come from: a user at a terminal, or whatever writes into a pipe."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

LineHandler = Callable[[str], None]
"""Takes a line that was typed while nothing was asked."""


class Keyboard(Protocol):
    """Gives requests while nothing goes on, and other lines while something does."""

    is_interactive: bool
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

    def listening(
        self, handler: LineHandler, ended: Callable[[], None]
    ) -> AbstractContextManager[None]:
        """Take lines while the event loop runs; `ended` is called when no more can come."""
        ...

    def take_kept(self) -> str:
        """Give what was typed while a question appeared, which answered nothing."""
        ...
