"""Whose keys edit the request: those of readline, or those of vi.

What only the keys of vi need is imported with the first of them: the box is part of the first
paint.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from textual import events

from secretary_tui.widgets.request.folding_area import FoldingArea
from secretary_tui.widgets.request.readline_keys import ReadlineKeys

if TYPE_CHECKING:
    from secretary_tui.widgets.request.vi_editing import ViEditing
    from secretary_tui.widgets.vi.vi_keys import ViMode


class EditingKeys:
    """The keys in force for a text area.

    Args:
        area: What they edit.
        mode_changed: Called when the letters of vi may mean something else.
    """

    def __init__(self, area: FoldingArea, mode_changed: Callable[[], object]) -> None:
        self._area = area
        self._mode_changed = mode_changed
        self._readline = ReadlineKeys(area)
        self._are_of_vi = False

    def use(self, editing: str) -> None:
        """Take the keys of `emacs` or `vi`; vi begins by typing."""
        are_of_vi = editing == "vi"
        if are_of_vi != self._are_of_vi:
            self._are_of_vi = are_of_vi
            self.begin_insert()

    @property
    def vi_mode(self) -> ViMode | None:
        """What letters do, None without vi's keys."""
        return self._vi.keys.mode if self._vi is not None else None

    @property
    def vi_pending(self) -> str:
        """What was typed of an unfinished vi command."""
        return self._vi.keys.pending if self._vi is not None else ""

    @property
    def types_letters(self) -> bool:
        """Whether a letter is typed, and is no command of vi."""
        return self._vi is None or self._vi.keys.is_inserting

    @property
    def awaits_command(self) -> bool:
        """Whether a letter begins a command of vi's normal mode."""
        return self._vi is not None and self._vi.keys.is_normal and not self._vi.keys.pending

    def begin_insert(self) -> None:
        """Type letters from now on."""
        if self._vi is not None:
            self._vi.begin_insert()

    def take(self, event: events.Key) -> bool:
        """Do what a key means for editing; False leaves it to the text area."""
        if self._vi is not None and self._vi.take(event):
            return True
        return self._readline.take(event.key)

    def redo_in_normal_mode(self) -> bool:
        """Ctrl+R where vi means redo by it; whether it did."""
        return self._vi is not None and self._vi.redo()

    @property
    def _vi(self) -> ViEditing | None:
        return self._vi_editing if self._are_of_vi else None

    @cached_property
    def _vi_editing(self) -> ViEditing:
        from secretary_tui.widgets.request.vi_editing import ViEditing

        return ViEditing(self._area, self._mode_changed)
