"""Where requests are typed: several lines, history, and nothing is ever lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from secretary_tui.widgets.request.editing_keys import EditingKeys
from secretary_tui.widgets.request.folding_area import FoldingArea

REQUEST = "What should be done?"
"""What stands in the empty box."""
NEW_LINE = ("ctrl+j", "shift+enter", "alt+enter")
"""Keys that start a new line instead of sending."""
HASTE_S = 0.02
"""Seconds within which nobody presses Enter after a key: what comes so fast was pasted."""
PAGING = frozenset({"cursor_page_up", "cursor_page_down"})
_BROWSE = {"up": "up", "down": "down"}
_BROWSE_IN_VI = {**_BROWSE, "k": "up", "j": "down"}


class SentRequests:
    """The requests sent before, walked through from the newest; the unsent text waits below it."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        """Oldest first."""
        self._at: int | None = None
        self._unsent = ""

    def load(self, texts: Sequence[str]) -> None:
        """Take those of earlier, oldest first."""
        self.texts = list(texts)
        self._at = None

    def add(self, text: str) -> None:
        """Add a request that was just sent."""
        if not self.texts or self.texts[-1] != text:
            self.texts.append(text)
        self._at = None

    def older(self, unsent: str) -> str | None:
        """Go to the one before, None if there is none; `unsent` is kept for the way back."""
        if not self.texts or self._at == 0:
            return None
        if self._at is None:
            self._unsent, self._at = unsent, len(self.texts)
        self._at -= 1
        return self.texts[self._at]

    def newer(self) -> str | None:
        """Go to the one after, at last to the unsent text; None below that."""
        if self._at is None:
            return None
        self._at += 1
        if self._at < len(self.texts):
            return self.texts[self._at]
        self._at = None
        return self._unsent


class RequestBox(FoldingArea):
    """A text area that sends on Enter and grows with its text."""

    @dataclass
    class Submitted(Message):
        """Enter was pressed on a text that is not blank."""

        text: str
        is_shell_line: bool
        """Whether it was written as a `!` line: see `RequestBox.is_shell_line`."""

    @dataclass
    class Doubted(Message):
        """A shell line and its Enter came in one go, so it was not sent: nobody has read it."""

    @dataclass
    class KeyTyped(Message):
        """A key went into the box: panels wait until the typing pauses."""

    class ModeChanged(Message):
        """The letters of vi mean something else now."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, placeholder=REQUEST)
        self.keys = EditingKeys(self, lambda: self.post_message(self.ModeChanged()))
        """Those of readline, or of vi."""
        self.sent = SentRequests()
        self.offer_first: Callable[[events.Key], bool] = lambda event: False
        """Asked before all else, such as while earlier requests are searched."""
        self.offer_key: Callable[[str], bool] = lambda key: False
        """Asked first while the box is empty; True when the key was used elsewhere."""
        self.offer_menu_key: Callable[[str], bool] = lambda key: False
        """Asked before a key acts on a text; True when the menu of completions used it."""
        self.after_key: Callable[[], None] = lambda: None
        """Called when a key has been typed, before the next one is looked at."""
        self.was_typed = False
        """Whether the text is as the user typed it, and was not put there."""
        self._touched = 0.0
        """When the last key or paste came."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the page keys to the screen, which scrolls the transcript with them."""
        return action not in PAGING and super().check_action(action, parameters)

    # ------------------------------------------------------------------- data

    def replace_text(self, text: str) -> None:
        """Put a text into the box, cursor at its end; undo brings the old one back."""
        self.was_typed = False
        self.clear()
        self.insert(self.pasted.shorten(text))

    @property
    def text_before_cursor(self) -> str:
        """What stands before the cursor."""
        return self.get_text_range((0, 0), self.cursor_location)

    def replace_word(self, start: int, word: str) -> None:
        """Put a word in the place of what stands between a character of the text and the cursor."""
        before = self.text_before_cursor
        lines = before[:start].split("\n")
        begin = (len(lines) - 1, len(lines[-1]))
        row, column = self.cursor_location
        follows = self.document[row][column : column + 1]
        text = word.rstrip() if follows.isspace() else word
        self.replace(text, begin, self.cursor_location, maintain_selection_offset=False)
        self.move_cursor((begin[0], begin[1] + len(text)))

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to send."""
        return not self.text.strip()

    @property
    def is_shell_line(self) -> bool:
        """Whether a `!` of the user's own stands before it all.

        A paste that is folded is none, nor is a Markdown image.
        """
        shown = self.shown
        return shown.startswith("!") and not shown.startswith("![") and bool(shown[1:].strip())

    # ------------------------------------------------------------------ events

    async def _on_paste(self, event: events.Paste) -> None:
        self._touched = event.time
        await super()._on_paste(event)

    async def _on_key(self, event: events.Key) -> None:
        if self._used(event):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)
        self.after_key()

    def _used(self, event: events.Key) -> bool:
        """Whether a key was used before it could be typed."""
        # Terminals that don't mark a paste send it as keys, and a mark can be forged in it.
        in_haste, self._touched = event.time - self._touched < HASTE_S, event.time
        # Not by bindings: those act when the key has bubbled up, behind what was typed since.
        if self.offer_first(event):
            self.post_message(self.KeyTyped())
            return True
        if not self.text and self.offer_key(event.key):
            return True
        self.post_message(self.KeyTyped())
        if self.text and self.offer_menu_key(event.key):
            return True
        self.was_typed = True
        if event.key in ("enter", *NEW_LINE):
            if event.key == "enter":
                self._enter(in_haste=in_haste)
            else:
                self.insert("\n")
            return True
        if self._browse(event.key):
            return True
        if not self.keys.take(event):
            return False
        self.after_key()
        return True

    def _enter(self, *, in_haste: bool) -> None:
        row, column = self.cursor_location
        line = self.document[row]
        if column == len(line) and line.endswith("\\"):
            self.action_delete_left()
            self.insert("\n")
        elif in_haste and self.is_shell_line:
            self.post_message(self.Doubted())
        elif not self.is_blank:
            self.post_message(self.Submitted(self.text.strip(), self.is_shell_line))

    def _browse(self, key: str) -> bool:
        """Walk through the requests sent before, from the first and from the last line."""
        if not self.keys.types_letters and not self.keys.awaits_command:
            return False
        step = (_BROWSE if self.keys.types_letters else _BROWSE_IN_VI).get(key)
        row, text = self.cursor_location[0], None
        if step == "up" and row == 0:
            text = self.sent.older(self.text)
        elif step == "down" and row == self.document.line_count - 1:
            text = self.sent.newer()
        if text is not None:
            self.replace_text(text)
        return text is not None
