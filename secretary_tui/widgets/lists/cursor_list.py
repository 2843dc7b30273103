"""What lists that are drawn line by line have in common: a cursor, and the keys that move it."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.scroll_view import ScrollView
from textual.strip import Strip


class CursorList(ScrollView, can_focus=True):
    """Rows of one height with a cursor on one of them.

    A list sets how many rows it has (`row_count`), and says what going to one means (`go_to`) and
    what Enter does (`action_choose`).
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(-1)", "First", show=False),
        Binding("end,G", "edge(1)", "Last", show=False),
        Binding("enter", "choose", "Choose", show=False),
    ]
    STYLES: ClassVar[str] = ""
    """What the list's component classes begin with: `NAME--cursor`, `NAME--cursor-blurred`."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.row_count = 0
        """How many rows there are."""
        self._cursor = 0
        self._height = 1
        """Lines of each row."""
        self._seen = 0
        """Lines that were on the screen before its size changed."""

    def go_to(self, row: int) -> None:
        """Put the cursor on a row, or on the nearest there is."""
        raise NotImplementedError

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        raise NotImplementedError

    def action_move(self, step: int) -> None:
        """Move the cursor by rows."""
        self.go_to(self._cursor + step)

    def action_page(self, direction: int) -> None:
        """Move the cursor by a screenful."""
        self.go_to(self._cursor + direction * max(1, self.size.height // self._height - 1))

    def action_edge(self, direction: int) -> None:
        """Move the cursor to the first or the last row."""
        self.go_to(0 if direction < 0 else self.row_count - 1)

    def under_cursor(self, strip: Strip, width: int) -> Strip:
        """A line of the row under the cursor, as the theme marks it."""
        name = "cursor" if self.has_focus else "cursor-blurred"
        cursor = self.get_component_rich_style(f"{self.STYLES}--{name}")
        over = Style(bgcolor=cursor.bgcolor, bold=cursor.bold, reverse=cursor.reverse)
        return Strip(Segment.apply_style(strip, post_style=over), width)

    def follow_cursor(self) -> None:
        """Scroll as little as shows the row under the cursor."""
        raise NotImplementedError

    def on_resize(self) -> None:
        """Keep the row under the cursor on the screen, if it was there."""
        row, top = self._cursor * self._height, self.scroll_offset.y
        if top <= row < top + self._seen:
            self.follow_cursor()
        self._seen = self.size.height

    def on_focus(self) -> None:
        """The cursor looks different."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor looks different."""
        self.refresh()
