"""Panels that ask something, inline above the request box.

The contract of all of them: a key typed before the panel was visible, or while somebody is in
the middle of typing, never answers it; a key either acts or is typed into the request box, and
is never lost; a letter that another one follows at once begins a word and is no answer; no answer
comes from focus or from time passing; Esc is always the safe way out.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.content import Content
from textual.keys import key_to_character
from textual.message import Message
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget

from secretary_tui.widgets.key_bar import KeyHint

Reply = TypeVar("Reply")
LEFT_BUTTON = 1
_CLICKED = "panel_key"
"""What a place that can be clicked has in its style."""


class Panel(Widget, Generic[Reply], can_focus=True):
    """Base of the panels: shown while a question waits, answered exactly once."""

    GRACE_S: ClassVar[float] = 0.5
    """Seconds without a key before a panel accepts one."""

    WORD_S: ClassVar[float] = 0.15
    """Seconds a letter waits before it answers: one that follows makes both of them text."""

    SEVERAL: ClassVar[frozenset[str]] = frozenset()
    """Keys that are pressed one right after the other, and begin no word."""

    class Opened(Message):
        """The panel began to wait for an answer."""

    class Closed(Message):
        """The panel was answered or withdrawn."""

    @dataclass
    class Typed(Message):
        """Somebody was typing when the panel took the focus: this belongs to the request box."""

        character: str

    @dataclass
    class Pasted(Message):
        """This was pasted while the panel had the focus: it belongs to the request box."""

        text: str

    class Changed(Message):
        """The keys that work here changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False
        self._reply: asyncio.Future[Reply] | None = None
        self._quiet_since = 0.0
        self._letter = ""
        """A letter that answers unless another one follows."""
        self._waiting: Timer | None = None
        self._arming: Timer | None = None

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
                self._type(self.release())
                self.post_message(self.Closed())

    def answer(self, reply: Reply) -> None:
        """Give the answer; later ones are ignored."""
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(reply)

    def restart_grace(self) -> None:
        """Start the pause in which keys do not count; the hints follow when it is over."""
        self._quiet_since = time.monotonic()
        if self._arming is not None:
            self._arming.stop()
        if self.GRACE_S > 0:
            self._arming = self.set_timer(self.GRACE_S, self._say_changed)
            self._say_changed()

    def _say_changed(self) -> None:
        self.post_message(self.Changed())

    def end_grace(self) -> None:
        """Let keys count at once: nobody can have meant them for something else."""
        self._quiet_since = float("-inf")

    @property
    def armed(self) -> bool:
        """Whether a key may answer now."""
        return self.is_open and time.monotonic() - self._quiet_since >= self.GRACE_S

    def offer_key(self, key: str) -> bool:
        """Take a key if it counts and means something here; False leaves it to others.

        After False the text that goes before it is to be taken from `release`.
        """
        if not self.armed:
            return False
        if self._letter and key != self._letter:
            if is_text(key) and not {key, self._letter} <= self.SEVERAL:
                return False
            self._act()
            if not self.is_open or self.typing:
                return True
        elif self._letter:
            self._act()
        if len(key) != 1 or not key.isalnum() or self.WORD_S <= 0:
            return self.take_key(key)
        if not self.acts_on(key):
            return False
        self._letter = key
        self._waiting = self.set_timer(self.WORD_S, self._act)
        return True

    def on_click(self, event: events.Click) -> None:
        """A click on a choice is its key: it counts when a key would, and not before."""
        key = event.style.meta.get(_CLICKED)
        if not self.is_open or self.typing or event.button != LEFT_BUTTON:
            return  # The others paste in a terminal.
        if not self.armed:
            self.restart_grace()  # As for a key: the rest of a double click comes right behind it.
            return
        if key is None:
            return
        event.stop()
        self._type(self.release())  # What was typed right before is no answer any more.
        if self.armed:
            self.take_click(key)

    def take_click(self, key: str) -> None:
        """Act on a click on what is marked as `clickable`."""
        self.take_key(key)

    def acts_on(self, letter: str) -> bool:
        """Whether a letter or digit may mean something here."""
        return True

    def release(self) -> str:
        """Give back the letter that waited, for it was the beginning of a word."""
        letter, self._letter = self._letter, ""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        return letter

    def _act(self) -> None:
        """The letter stands alone: it answers."""
        letter = self.release()
        if letter and not (self.is_open and not self.typing and self.take_key(letter)):
            self._type(letter)

    def _type(self, text: str) -> None:
        if not text:
            return
        self.post_message(self.Typed(text))
        if self.is_open:
            # The rest of the word may still come here, before the request box has the focus.
            self.restart_grace()

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
        else:
            armed = self.armed
            taken = self.offer_key(event.key)
            if not armed:
                self.restart_grace()
            if not taken and event.is_printable and event.character is not None:
                self._type(self.release() + event.character)
                taken = True
            taken = taken or not armed
        if taken:
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """A paste answers nothing and is not lost; an open input has taken its own."""
        if self.is_open and not self.typing:
            event.stop()
            self._type(self.release())
            self.post_message(self.Pasted(event.text))
            self.restart_grace()


def clickable(content: Content, key: str) -> Content:
    """A choice of a panel that a click takes as its key would."""
    return content.stylize(Style.from_meta({_CLICKED: key}))


def is_text(key: str) -> bool:
    """Whether a key, by its name, writes a character."""
    character = key if len(key) == 1 else key_to_character(key)
    return character is not None and character.isprintable()
