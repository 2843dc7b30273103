"""Panels that ask something, inline above the request box.

The contract of all of them: a key typed before the panel was visible, or while somebody is in
the middle of typing, never answers it; a key either acts or is typed into the request box, and
is never lost; a letter that another one follows at once begins a word and is no answer; no answer
comes from focus or from time passing; Esc is always the safe way out.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widget import Widget

from secretary_tui.widgets.key_bar import KeyHint
from secretary_tui.widgets.panels.key_guard import KeyGuard

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
        self.guard = KeyGuard(self, self, changed=lambda: self.post_message(self.Changed()))
        """Decides which keys count."""

    @property
    def is_open(self) -> bool:
        """Whether a question waits."""
        return self._reply is not None and not self._reply.done()

    @property
    def typing(self) -> bool:
        """Whether an input of the panel itself is open, so that keys are text."""
        return False

    @property
    def hints(self) -> tuple[KeyHint, ...]:
        """The keys that answer, for the key bar."""
        return ()

    async def wait(self) -> Reply:
        """Show the panel until it is answered; cancelling hides it again."""
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._reply = reply
        self.guard.restart()
        self.display = True
        self.post_message(self.Opened())
        try:
            return await reply
        finally:
            if self._reply is reply:  # Else a newer question has taken the panel over.
                self._reply = None
                self.display = False
                self.type_on(self.guard.release())
                self.post_message(self.Closed())

    def answer(self, reply: Reply) -> None:
        """Give the answer; later ones are ignored."""
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(reply)

    def take_key(self, key: str) -> bool:
        """Act on a key that counts; whether it meant something."""
        raise NotImplementedError

    def take_click(self, key: str) -> None:
        """Act on a click on what is marked as `clickable`."""
        self.take_key(key)

    def acts_on(self, letter: str) -> bool:
        """Whether a letter or digit may mean something here."""
        return True

    def take_typing_key(self, key: str) -> bool:
        """Act on a key that the open input leaves over; whether it meant something."""
        return False

    def type_on(self, text: str) -> None:
        """Let a text go to the request box: whoever typed it meant that."""
        if not text:
            return
        self.post_message(self.Typed(text))
        if self.is_open:
            # The rest of the word may still come here, before the request box has the focus.
            self.guard.restart()

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
            armed = self.guard.armed
            taken = self.guard.offer(event.key)
            if not armed:
                self.guard.restart()
            if not taken and event.is_printable and event.character is not None:
                self.type_on(self.guard.release() + event.character)
                taken = True
            taken = taken or not armed
        if taken:
            event.stop()
            event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        """A click on a choice is its key: it counts when a key would, and not before."""
        key = event.style.meta.get(_CLICKED)
        if not self.is_open or self.typing or event.button != LEFT_BUTTON:
            return  # The others paste in a terminal.
        if not self.guard.armed:
            self.guard.restart()  # As for a key: the rest of a double click comes right behind it.
            return
        if key is None:
            return
        event.stop()
        self.type_on(self.guard.release())  # What was typed right before is no answer any more.
        if self.guard.armed:
            self.take_click(key)

    def on_paste(self, event: events.Paste) -> None:
        """A paste answers nothing and is not lost; an open input has taken its own."""
        if self.is_open and not self.typing:
            event.stop()
            self.type_on(self.guard.release())
            self.post_message(self.Pasted(event.text))
            self.guard.restart()


def clickable(content: Content, key: str) -> Content:
    """A choice of a panel that a click takes as its key would."""
    return content.stylize(Style.from_meta({_CLICKED: key}))
