"""A list of a few choices, with the letters that move in all our lists."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.style import Style
from textual.widgets import OptionList


class ChoiceList(OptionList):
    """Textual's list of options, in which j and k move as well. For many rows: `RowList`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """A row's style; Textual (8.2.8) forgets `reverse`, by which some themes mark one."""
        style = super().get_visual_style(*component_classes, partial=partial)
        styles = map(self.get_component_styles, component_classes)
        return style + Style(reverse=True) if any(s.text_style.reverse for s in styles) else style
