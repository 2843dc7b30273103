"""Carries out in a text area what the keys of vi say (`widgets/vi`)."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.document._document import Selection

from secretary_tui.widgets.request.folding_area import FoldingArea
from secretary_tui.widgets.vi.vi_changes import ViChange
from secretary_tui.widgets.vi.vi_keys import ViKeys
from secretary_tui.widgets.vi.vi_motions import on_character

_MOST_UNDONE = 1_000
_AS_LETTERS = {
    **{"left": "h", "right": "l", "up": "k", "down": "j", "home": "0", "end": "$"},
    "backspace": "h",
}
"""What these keys are in visual mode; the last one in normal mode, too."""


class ViEditing:
    """Edits an area as vi does.

    Args:
        area: What is edited.
        mode_changed: Called when the letters may mean something else.
    """

    def __init__(self, area: FoldingArea, mode_changed: Callable[[], object]) -> None:
        self._area = area
        self._mode_changed = mode_changed
        self.keys = ViKeys()
        """Mode, unfinished command and register."""
        self._selected = Selection()
        """What visual mode has selected; another selection ends it."""

    def begin_insert(self) -> None:
        """Type letters from now on."""
        if not self.keys.is_inserting or self.keys.pending:
            self.keys.begin_insert()
            self._mode_changed()

    def take(self, event: events.Key) -> bool:
        """Do what a key means; False leaves it to others."""
        keys, area = self.keys, self._area
        if keys.is_visual and area.selection != self._selected:
            keys.leave_visual()  # The mouse, or another text: nobody selected that.
        text, at = area.shown, area.offset_of(area.cursor_location)
        if event.key == "escape":
            # An empty box has nothing to command: there Esc means what it means to the app.
            if keys.is_inserting and not text:
                return False
            return self._carry_out(keys.escape(text, at))
        if event.key.startswith("alt+") and event.character and event.is_printable:
            # Esc and a key right behind it: to a terminal they are Alt and the key, to vi never.
            self._carry_out(keys.escape(text, at))
            return self.take(events.Key(event.character, event.character))
        if keys.is_inserting:
            return False
        key = event.character if event.character and event.is_printable else ""
        if event.key in _AS_LETTERS:
            key = _AS_LETTERS[event.key] if keys.is_visual or event.key == "backspace" else ""
        if not key or "+" in event.key:
            return False
        return self._carry_out(keys.press(key, text, at))

    def redo(self) -> bool:
        """Ctrl+R in normal mode; whether it meant that."""
        if not self.keys.is_normal or not self._area.has_focus:
            return False
        self._carry_out(self.keys.press("ctrl+r", self._area.shown, 0))
        return True

    def _carry_out(self, change: ViChange | None) -> bool:
        if change is None:
            return False
        if change.undo:
            self._undo(change.undo)
        else:
            taken = ""
            if change.edits:
                taken = self._area.exchange(change.start, change.end, change.insert)
            if change.kept and len(taken) > change.end - change.start:
                self.keys.took(taken)
            self._select(change)
        self._mode_changed()
        return True

    def _undo(self, count: int) -> None:
        """Undo so many changes, or below 0 make them again; nothing is selected by it."""
        area = self._area
        for _ in range(min(abs(count), _MOST_UNDONE)):
            area.undo() if count > 0 else area.redo()
        at = area.offset_of(min(area.selection))
        area.move_cursor(area.location_of(on_character(area.shown, at)))

    def _select(self, change: ViChange) -> None:
        area = self._area
        cursor = area.location_of(change.cursor)
        if change.anchor is None:
            area.move_cursor(cursor)
            return
        area.selection = Selection(area.location_of(change.anchor), cursor)
        self._selected = area.selection
        self.keys.head_is_at(area.offset_of(area.cursor_location))
