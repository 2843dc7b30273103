"""What the keys of readline (emacs) and of vi do in the request box.

Textual's text area has most keys of readline; here is what it lacks, and the kill ring. The keys
that the app itself has (Ctrl+N, Ctrl+P, Ctrl+O, Ctrl+S, Ctrl+T, Ctrl+G) stay the app's. What only
some keys need is imported with the first of them: the box is part of the first paint.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual import events
from textual.document._document import Location, Selection
from textual.message import Message
from textual.reactive import var

from secretary_tui.widgets.request.folding_area import FoldingArea

if TYPE_CHECKING:
    from secretary_tui.widgets.request.kill_ring import KillRing
    from secretary_tui.widgets.vi.vi_changes import ViChange
    from secretary_tui.widgets.vi.vi_keys import ViKeys, ViMode

_MOST_UNDONE = 1_000
_WORD_KEYS = ("alt+t", "alt+u", "alt+l", "alt+c")
_AS_LETTERS = {
    **{"left": "h", "right": "l", "up": "k", "down": "j", "home": "0", "end": "$"},
    "backspace": "h",
}
"""What these keys are in visual mode; the last one in normal mode, too."""


class EditingKeys(FoldingArea):
    """A text area with the keys of readline, or of vi."""

    editing = var("emacs")
    """Whose keys they are: `emacs` or `vi`."""

    class ModeChanged(Message):
        """The letters of vi mean something else now."""

    def __init__(self, *, id: str | None = None, placeholder: str = "") -> None:
        super().__init__(id=id, placeholder=placeholder)
        self._after_kill: tuple[str, Location] | None = None
        """How the last key, a kill, left text and cursor."""
        self._yanked: tuple[Location, Location] | None = None
        """Where the text stands that the last key put back."""
        self._vi_selection = Selection()
        """What visual mode has selected; another selection ends it."""
        self._moves: dict[str, Callable[[], None]] = {
            "ctrl+b": self.action_cursor_left,
            "ctrl+f": self.action_cursor_right,
            "alt+b": self.action_cursor_word_left,
            "alt+f": self._to_word_end,
            "ctrl+y": self._yank,
            "alt+y": self._yank_older,
            "ctrl+underscore": self.action_undo,
            "alt+z": self.action_redo,
            **{key: partial(self._change_words, key) for key in _WORD_KEYS},
        }
        self._kills: dict[str, tuple[Callable[[], None], bool]] = {
            "ctrl+k": (self._kill_to_line_end, True),
            "ctrl+u": (self.action_delete_to_start_of_line, False),
            "ctrl+w": (self.action_delete_word_left, False),
            "alt+backspace": (self.action_delete_word_left, False),
            "alt+d": (self.action_delete_word_right, True),
        }
        """What they do, and whether that takes what is behind the cursor."""

    @cached_property
    def _ring(self) -> KillRing:
        from secretary_tui.widgets.request.kill_ring import KillRing

        return KillRing()

    @cached_property
    def _vi_keys(self) -> ViKeys:
        from secretary_tui.widgets.vi.vi_keys import ViKeys

        return ViKeys()

    @property
    def _vi(self) -> ViKeys | None:
        """The keys of vi; None where they are those of readline."""
        return self._vi_keys if self.editing == "vi" else None

    @property
    def vi_mode(self) -> ViMode | None:
        """What letters do, None without vi's keys."""
        return self._vi.mode if self._vi is not None else None

    @property
    def vi_pending(self) -> str:
        """What was typed of an unfinished vi command."""
        return self._vi.pending if self._vi is not None else ""

    @property
    def types_letters(self) -> bool:
        """Whether a letter is typed, and is no command of vi."""
        return self._vi is None or self._vi.is_inserting

    @property
    def awaits_command(self) -> bool:
        """Whether a letter begins a command of vi's normal mode."""
        return self._vi is not None and self._vi.is_normal and not self._vi.pending

    def begin_insert(self) -> None:
        """Type letters from now on."""
        if self._vi is not None and (not self._vi.is_inserting or self._vi.pending):
            self._vi.begin_insert()
            self.post_message(self.ModeChanged())

    def watch_editing(self) -> None:
        """Other keys: begin by typing."""
        self.begin_insert()

    def take_editing_key(self, event: events.Key) -> bool:
        """Do what a key means for editing; False leaves it to the text area."""
        if self._vi is not None and self._take_vi_key(self._vi, event):
            return True
        key = event.key
        after_kill, self._after_kill = self._after_kill, None
        if key in self._kills:
            self._kill(*self._kills[key], joins=after_kill == (self.shown, self.cursor_location))
        elif key in self._moves:
            self._moves[key]()
        if key not in ("ctrl+y", "alt+y"):
            self._yanked = None
        return key in self._kills or key in self._moves

    def redo_in_normal_mode(self) -> bool:
        """Ctrl+R where vi means redo by it; whether it did."""
        vi = self._vi
        if vi is None or not vi.is_normal or not self.has_focus:
            return False
        self._carry_out(vi, vi.press("ctrl+r", self.shown, 0))
        return True

    # -------------------------------------------------------------------- readline

    def _kill(self, delete: Callable[[], None], forward: bool, *, joins: bool) -> None:
        self.replaced = ""
        delete()
        self._ring.kill(self.replaced, forward=forward, joins=joins)
        self._after_kill = (self.shown, self.cursor_location)

    def _yank(self) -> None:
        if self._ring.current:
            self._put_back(*self.selection)

    def _yank_older(self) -> None:
        """Put what was killed before in the place of what was just put back."""
        yanked = self._yanked
        if yanked is not None and self.get_text_range(*yanked) == self._ring.current:
            self._ring.turn()
            self._put_back(*yanked)

    def _put_back(self, start: Location, end: Location) -> None:
        self.history.checkpoint()
        start, end = sorted((start, end))
        result = self.replace(self._ring.current, start, end, maintain_selection_offset=False)
        self.move_cursor(result.end_location)
        self._yanked = (start, result.end_location)

    def _change_words(self, key: str) -> None:
        """Carry out what readline does to words, if there are any."""
        from secretary_tui.widgets.vi.word_changes import WORD_CHANGES

        changed = WORD_CHANGES[key](self.shown, self.offset_of(self.cursor_location))
        if changed is not None:
            self._edit(changed)
            self.move_cursor(self.location_of(changed.cursor))

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

    def _take_vi_key(self, vi: ViKeys, event: events.Key) -> bool:
        if vi.is_visual and self.selection != self._vi_selection:
            vi.leave_visual()  # The mouse, or another text: nobody selected that.
        text, at = self.shown, self.offset_of(self.cursor_location)
        if event.key == "escape":
            # An empty box has nothing to command: there Esc means what it means to the app.
            if vi.is_inserting and not text:
                return False
            return self._carry_out(vi, vi.escape(text, at))
        if event.key.startswith("alt+") and event.character and event.is_printable:
            # Esc and a key right behind it: to a terminal they are Alt and the key, to vi never.
            self._carry_out(vi, vi.escape(text, at))
            return self._take_vi_key(vi, events.Key(event.character, event.character))
        if vi.is_inserting:
            return False
        key = event.character if event.character and event.is_printable else ""
        if event.key in _AS_LETTERS:
            key = _AS_LETTERS[event.key] if vi.is_visual or event.key == "backspace" else ""
        if not key or "+" in event.key:
            return False
        return self._carry_out(vi, vi.press(key, text, at))

    def _carry_out(self, vi: ViKeys, change: ViChange | None) -> bool:
        if change is None:
            return False
        if change.undo:
            self._undo(change.undo)
        else:
            taken = self._edit(change) if change.edits else ""
            if change.kept and len(taken) > change.end - change.start:
                vi.took(taken)
            self._select(vi, change)
        self.post_message(self.ModeChanged())
        return True

    def _undo(self, count: int) -> None:
        """Undo so many changes, or below 0 make them again; nothing is selected by it."""
        from secretary_tui.widgets.vi.vi_motions import on_character

        for _ in range(min(abs(count), _MOST_UNDONE)):
            self.undo() if count > 0 else self.redo()
        at = self.offset_of(min(self.selection))
        self.move_cursor(self.location_of(on_character(self.shown, at)))

    def _edit(self, change: ViChange) -> str:
        """Change the text; gives what was taken away, a label that was cut as a whole."""
        start, end = self.location_of(change.start), self.location_of(change.end)
        old = self.get_text_range(start, end)
        new = self.with_labels_of(old, change.insert)
        if new == old:
            return ""  # A label would go for nothing.
        self.history.checkpoint()
        self.replace(new, start, end, maintain_selection_offset=False)
        return self.replaced

    def _select(self, vi: ViKeys, change: ViChange) -> None:
        cursor = self.location_of(change.cursor)
        if change.anchor is None:
            self.move_cursor(cursor)
            return
        self.selection = Selection(self.location_of(change.anchor), cursor)
        self._vi_selection = self.selection
        vi.head_is_at(self.offset_of(self.cursor_location))
