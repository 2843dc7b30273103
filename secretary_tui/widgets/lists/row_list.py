"""A list whose rows all have the same height: 10,000 of them cost what the visible ones cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.visual import Visual

from secretary_tui.widgets.lists.cursor_list import CursorList

_MOST_DRAWN = 500
"""Rows that are kept as they were drawn."""


class RowList(CursorList):
    """Draws rows when they are seen; `describe` gives one, a line of content for each of its lines.

    `set_rows` says how many there are and how high each is; the cursor stays where it was.
    """

    STYLES = "row-list"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--row",
        "row-list--cursor",
        "row-list--cursor-blurred",
    }

    @dataclass
    class Chosen(Message):
        """Enter or a second click on a row."""

        row: int

    def __init__(self, describe: Callable[[int], Content], *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._describe = describe
        self._drawn: dict[int, list[Strip]] = {}
        self._drawn_width = 0

    @property
    def highlighted(self) -> int | None:
        """The row under the cursor."""
        return self._cursor if self.row_count else None

    def set_rows(self, count: int, height: int, *, cursor: int | None = None) -> None:
        """Show so many rows of that many lines each, the cursor on one of them."""
        self.row_count, self._height = count, height
        self._drawn.clear()
        self._cursor = max(0, min(self._cursor if cursor is None else cursor, count - 1))
        self.virtual_size = Size(1, count * height)
        if cursor is not None:
            self.follow_cursor()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint one visible line."""
        width = self.size.width
        base = self.get_component_rich_style("row-list--row")
        row, line = divmod(self.scroll_offset.y + y, self._height)
        if row >= self.row_count:
            return Strip.blank(width, base)
        lines = self._lines(row, width)
        strip = lines[line] if line < len(lines) else Strip.blank(width, base)
        if row == self._cursor:
            strip = self.under_cursor(strip, width)
        return strip

    def _lines(self, row: int, width: int) -> list[Strip]:
        if self._drawn_width != width or len(self._drawn) > _MOST_DRAWN:
            self._drawn.clear()
            self._drawn_width = width
        lines = self._drawn.get(row)
        if lines is None:
            cut = (line.truncate(width, ellipsis=True) for line in self._describe(row).split("\n"))
            style = self.get_visual_style("row-list--row")
            lines = Visual.to_strips(self, Content("\n").join(cut), width, None, style, pad=True)
            self._drawn[row] = lines
        return lines

    def notify_style_update(self) -> None:
        """Other colours: draw again."""
        super().notify_style_update()
        self._drawn.clear()

    def on_click(self, event: events.Click) -> None:
        """The first click moves the cursor, one on the cursor chooses."""
        row = (self.scroll_offset.y + event.y) // self._height
        if row >= self.row_count:
            return
        if row == self._cursor:
            self.action_choose()
        else:
            self.go_to(row)

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.row_count:
            self.post_message(self.Chosen(self._cursor))

    def go_to(self, row: int) -> None:
        """Put the cursor on a row, or on the nearest there is."""
        self._cursor = max(0, min(row, self.row_count - 1))
        self.follow_cursor()
        self.refresh()

    def follow_cursor(self) -> None:
        """Scroll as little as shows the whole row."""
        top = self._cursor * self._height
        offset, height = self.scroll_offset.y, self.size.height
        if top < offset:
            self.scroll_to(y=top, animate=False, force=True)
        elif top + self._height > offset + height > 0:
            self.scroll_to(y=top + self._height - height, animate=False, force=True)
