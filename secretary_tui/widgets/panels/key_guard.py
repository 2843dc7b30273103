"""Which keys answer a panel: none while somebody may be typing, no letter that begins a word."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, Protocol

from textual.keys import key_to_character
from textual.message_pump import MessagePump
from textual.timer import Timer

_HELD = frozenset({"enter", "escape", "up", "down"})
"""Keys that are nobody else's in the pause: they are ignored, and begin it anew."""


class GuardedPanel(Protocol):
    """What the guard must know of a panel, and what it lets through to it."""

    GRACE_S: ClassVar[float]
    WORD_S: ClassVar[float]
    SEVERAL: ClassVar[frozenset[str]]

    @property
    def is_open(self) -> bool:
        """Whether a question waits."""
        ...

    @property
    def typing(self) -> bool:
        """Whether an input of the panel itself is open, so that keys are text."""
        ...

    def acts_on(self, letter: str) -> bool:
        """Whether a letter or digit may mean something."""
        ...

    def take_key(self, key: str) -> bool:
        """Act on a key that counts; whether it meant something."""
        ...

    def type_on(self, text: str) -> None:
        """Give a text to whom it was meant for."""
        ...


class KeyGuard:
    """Stands between the keys and a panel.

    Args:
        panel: Gets the keys that count.
        timers: Has the timers of the pause and of the letter that waits.
        changed: Called when the pause begins and ends.
    """

    def __init__(
        self, panel: GuardedPanel, timers: MessagePump, changed: Callable[[], object]
    ) -> None:
        self._panel = panel
        self._timers = timers
        self._changed = changed
        self.quiet_since = 0.0
        """`time.monotonic()` of the last key in the pause."""
        self._pause: Timer | None = None
        self._letter = ""
        """A letter that answers unless another one follows."""
        self._waiting: Timer | None = None
        self.last_letter = ""
        """The letter taken last, for somebody who was only typing; empty after another key."""

    @property
    def armed(self) -> bool:
        """Whether a key may answer now: a question waits, and the pause is over."""
        return self._panel.is_open and time.monotonic() - self.quiet_since >= self._panel.GRACE_S

    def restart(self) -> None:
        """Begin the pause in which keys do not count."""
        self.quiet_since = time.monotonic()
        if self._pause is not None:
            self._pause.stop()
        if self._panel.GRACE_S > 0:
            self._pause = self._timers.set_timer(self._panel.GRACE_S, self._changed)
            self._changed()

    def end(self) -> None:
        """Let keys count at once: nobody can have meant them for something else."""
        self.quiet_since = float("-inf")

    def offer(self, key: str) -> bool:
        """Take a key if it counts and means something; False leaves it to others.

        After False the text that goes before it is to be taken from `release`.
        """
        if not self.armed:
            is_held = self._panel.is_open and key in _HELD
            if is_held:
                self.restart()  # A key that is held down never answers.
            return is_held
        taken = self._take(key)
        self.last_letter = key if taken and len(key) == 1 else ""
        return taken

    def release(self) -> str:
        """Give back the letter that waited, for it was the beginning of a word."""
        letter, self._letter = self._letter, ""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        return letter

    def _take(self, key: str) -> bool:
        panel, letter = self._panel, self._letter
        if letter:
            if key != letter and is_text(key) and not {key, letter} <= panel.SEVERAL:
                return False
            self._act()
            if key != letter and (not panel.is_open or panel.typing):
                return True
        if len(key) != 1 or not key.isalnum() or panel.WORD_S <= 0:
            return panel.take_key(key)
        if not panel.acts_on(key):
            return False
        self._letter = key
        self._waiting = self._timers.set_timer(panel.WORD_S, self._act)
        return True

    def _act(self) -> None:
        """The letter stands alone: it answers."""
        letter, panel = self.release(), self._panel
        if letter and not (panel.is_open and not panel.typing and panel.take_key(letter)):
            panel.type_on(letter)


def is_text(key: str) -> bool:
    """Whether a key, by its name, writes a character."""
    character = key if len(key) == 1 else key_to_character(key)
    return character is not None and character.isprintable()
