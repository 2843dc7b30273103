"""What the keys of readline (emacs) and of vi do in the request box.

Textual's text area has most keys of readline; here is what it lacks, and one kill buffer. The keys
that the app itself has (Ctrl+N, Ctrl+P, Ctrl+O, Ctrl+S, Ctrl+T, Ctrl+G) stay the app's.
"""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.message import Message
from textual.reactive import var

from secretary_tui.widgets.folding_area import FoldingArea
from secretary_tui.widgets.vi_keys import Change, ViKeys, ViMode

_STAY_IN_NORMAL_MODE = frozenset({"up", "down", "left", "right", "home", "end", "backspace"})


class EditingKeys(FoldingArea):
    """A text area with the keys of readline, or of vi."""

    editing = var("emacs")
    """Whose keys they are: `emacs` or `vi`."""

    class ModeChanged(Message):
        """The letters of vi mean something else now."""

    def __init__(self, *, id: str | None = None, placeholder: str = "") -> None:
        super().__init__(id=id, placeholder=placeholder)
        self._killed = ""
        self._vi = ViKeys()
        self._moves: dict[str, Callable[[], None]] = {
            "ctrl+b": self.action_cursor_left,
            "ctrl+f": self.action_cursor_right,
            "alt+b": self.action_cursor_word_left,
            "alt+f": self._to_word_end,
            "ctrl+y": self._yank,
            "ctrl+underscore": self.action_undo,
            "alt+z": self.action_redo,
        }
        self._kills: dict[str, Callable[[], None]] = {
            "ctrl+k": self._kill_to_line_end,
            "ctrl+u": self.action_delete_to_start_of_line,
            "ctrl+w": self.action_delete_word_left,
            "alt+backspace": self.action_delete_word_left,
            "alt+d": self.action_delete_word_right,
        }

    @property
    def vi_mode(self) -> ViMode | None:
        """What letters do, None without vi's keys."""
        return self._vi.mode if self.editing == "vi" else None

    @property
    def vi_pending(self) -> str:
        """What was typed of an unfinished vi command."""
        return self._vi.pending

    def begin_insert(self) -> None:
        """Type letters from now on."""
        if self._vi.mode is not ViMode.INSERT or self._vi.pending:
            self._vi.begin_insert()
            self.post_message(self.ModeChanged())

    def watch_editing(self) -> None:
        """Other keys: begin by typing."""
        self.begin_insert()

    def take_editing_key(self, event: events.Key) -> bool:
        """Do what a key means for editing; False leaves it to the text area."""
        if self.editing == "vi" and self._take_vi_key(event):
            return True
        key = event.key
        if key in self._moves:
            self._moves[key]()
        elif key in self._kills:
            self.replaced = ""
            self._kills[key]()
            self._killed = self.replaced or self._killed
        else:
            return False
        return True

    def redo_in_normal_mode(self) -> bool:
        """Ctrl+R where vi means redo by it; whether it did."""
        if self.vi_mode is not ViMode.NORMAL or not self.has_focus:
            return False
        self._carry_out(self._vi.press("ctrl+r", self.shown, 0))
        return True

    # -------------------------------------------------------------------- readline

    def _yank(self) -> None:
        if self._killed:
            self.history.checkpoint()
            result = self.replace(self._killed, *self.selection, maintain_selection_offset=False)
            self.move_cursor(result.end_location)

    def _kill_to_line_end(self) -> None:
        if self.cursor_at_end_of_line:
            self.action_delete_right()
        else:
            self.action_delete_to_end_of_line()

    def _to_word_end(self) -> None:
        """To the end of the word, as readline does; the text area goes to the next one."""
        text, at = self.shown, self.offset_of(self.cursor_location)
        while at < len(text) and not text[at].isalnum():
            at += 1
        while at < len(text) and text[at].isalnum():
            at += 1
        self.move_cursor(self.location_of(at))

    # -------------------------------------------------------------------------- vi

    def _take_vi_key(self, event: events.Key) -> bool:
        text, at = self.shown, self.offset_of(self.cursor_location)
        if event.key == "escape":
            # An empty box has nothing to command: there Esc means what it means to the app.
            if self._vi.mode is ViMode.INSERT and not text:
                return False
            return self._carry_out(self._vi.escape(text, at))
        if self._vi.mode is ViMode.INSERT:
            return False
        if event.key in _STAY_IN_NORMAL_MODE or "+" in event.key:
            return False
        key = event.character if event.character and event.is_printable else ""
        if not key:
            return False
        change = self._vi.press("space" if key == " " else key, text, at)
        return self._carry_out(change)

    def _carry_out(self, change: Change | None) -> bool:
        if change is None:
            return False
        for _ in range(min(abs(change.undo), 100)):
            if change.undo > 0:
                self.undo()
            else:
                self.redo()
        if not change.undo:
            if change.end > change.start or change.insert:
                self.history.checkpoint()
                start, end = self.location_of(change.start), self.location_of(change.end)
                self.replace(change.insert, start, end, maintain_selection_offset=False)
            self.move_cursor(self.location_of(change.cursor))
        self.post_message(self.ModeChanged())
        return True
