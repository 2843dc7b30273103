"""A list of a few choices, with the letters that move in all our lists."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import OptionList


class ChoiceList(OptionList):
    """Textual's list of options, in which j and k move as well. For many rows: `RowList`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]
