"""Panels that ask something, inline above the request box.

The contract of all of them: a key typed before the panel was visible, or while somebody is in
the middle of typing, never answers it (and what was being typed is not lost); no answer comes
from focus or from time passing; Esc is always the safe way out.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.message import Message
from textual.widget import Widget

from secretary_tui.widgets.key_bar import KeyHint

Reply = TypeVar("Reply")


class Panel(Widget, Generic[Reply], can_focus=True):
    """Base of the panels: shown while a question waits, answered exactly once."""

    GRACE_S: ClassVar[float] = 0.5
    """Seconds without a key before a panel accepts one."""

    class Opened(Message):
        """The panel began to wait for an answer."""

    class Closed(Message):
        """The panel was answered or withdrawn."""

    @dataclass
    class Typed(Message):
        """Somebody was typing when the panel took the focus: this belongs to the request box."""

        character: str

    class Changed(Message):
        """The keys that work here changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False
        self._reply: asyncio.Future[Reply] | None = None
        self._quiet_since = 0.0

    @property
    def is_open(self) -> bool:
        """Whether a question waits."""
        return self._reply is not None and not self._reply.done()

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """The keys that answer, for the key bar."""
        return ()

    async def wait(self) -> Reply:
        """Show the panel until it is answered; cancelling hides it again."""
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._reply = reply
        self.restart_grace()
        self.display = True
        self.post_message(self.Opened())
        try:
            return await reply
        finally:
            if self._reply is reply:  # Else a newer question has taken the panel over.
                self._reply = None
                self.display = False
                self.post_message(self.Closed())

    def answer(self, reply: Reply) -> None:
        """Give the answer; later ones are ignored."""
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(reply)

    def restart_grace(self) -> None:
        """Start the pause in which keys do not count."""
        self._quiet_since = time.monotonic()

    @property
    def armed(self) -> bool:
        """Whether a key may answer now."""
        return self.is_open and time.monotonic() - self._quiet_since >= self.GRACE_S

    def offer_key(self, key: str) -> bool:
        """Take a key if it counts and means something here; False leaves it to others."""
        return self.armed and self.take_key(key)

    def take_key(self, key: str) -> bool:
        """Act on a key that counts; whether it meant something."""
        raise NotImplementedError

    @property
    def typing(self) -> bool:
        """Whether an input of the panel itself is open, so that keys are text."""
        return False

    def take_typing_key(self, key: str) -> bool:
        """Act on a key that the open input leaves over; whether it meant something."""
        return False

    def on_key(self, event: events.Key) -> None:
        """Keys while the panel or its input has the focus; what comes too early goes to the box.

        Not to be overridden: Textual calls the `on_key` of each class, so the keys of an open
        input would reach this one all the same.
        """
        if not self.is_open:
            return
        if self.typing:
            taken = self.take_typing_key(event.key)
        elif self.armed:
            taken = self.take_key(event.key)
        else:
            taken = True
            self.restart_grace()
            if event.is_printable and event.character is not None:
                self.post_message(self.Typed(event.character))
        if taken:
            event.stop()
            event.prevent_default()
