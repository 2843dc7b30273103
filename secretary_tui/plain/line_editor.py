"""The prompt of a terminal: readline, with the history of the screen, and no escape sequences.

What readline still sends is what moving in a line takes; bracketed paste and the rest are off.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType

_SETTINGS = (
    "set enable-bracketed-paste off",
    "set enable-meta-key off",
    "set enable-active-region off",
    "set show-mode-in-prompt off",
    "set blink-matching-paren off",
    "set page-completions off",
    "set completion-query-items -1",
)
Complete = Callable[[str], Sequence[str]]
"""Gives what the word under the cursor may become."""


class LineEditor:
    """Python's `input`, with readline where there is one."""

    def __init__(self, history: Iterable[str], complete: Complete) -> None:
        self._readline = _load_readline()
        self._complete = complete
        self._offers: Sequence[str] = ()
        if self._readline is None:
            return
        for setting in _SETTINGS:
            if "libedit" not in (self._readline.__doc__ or ""):
                self._readline.parse_and_bind(setting)
        self._readline.parse_and_bind("tab: complete")
        self._readline.set_completer_delims(" \t\n")
        self._readline.set_completer(self._offer)
        self._readline.set_auto_history(False)
        for request in history:
            self.remember(request)

    @property
    def can_edit(self) -> bool:
        """Whether a draft can stand in the line when it is asked for."""
        return self._readline is not None

    def read(self, prompt: str, draft: str) -> str:
        """Ask for a line, the draft standing in it.

        Raises:
            EOFError: the input ended, or Ctrl+D on an empty line.
            KeyboardInterrupt: Ctrl+C; `typed` has what stood in the line.
        """
        readline = self._readline
        if readline is None or not draft:
            return input(prompt)
        readline.set_startup_hook(lambda: readline.insert_text(draft))
        try:
            return input(prompt)
        finally:
            readline.set_startup_hook(None)

    @property
    def typed(self) -> str:
        """What stands in the line that is being asked for."""
        return "" if self._readline is None else str(self._readline.get_line_buffer())

    def remember(self, text: str) -> None:
        """Offer a text with the up key, on one line."""
        if self._readline is not None and text.strip():
            self._readline.add_history(re.sub(r"\s*\n\s*", " ", text.strip()))

    def _offer(self, word: str, place: int) -> str | None:
        if place == 0:
            # An exception here would be printed by readline into the line.
            with contextlib.suppress(Exception):
                self._offers = self._complete(word)
        return self._offers[place] if place < len(self._offers) else None


def _load_readline() -> ModuleType | None:
    try:
        import readline
    except ImportError:  # Python was built without it.
        return None
    return readline
