"""The list of agents: one line-API widget, so 10,000 rows cost what the visible ones cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from secretary_tui.widgets.library.index_rows import IndexRow, RowKind, ShownRows
from secretary_tui.widgets.library.row_painter import RowPainter
from secretary_tui.widgets.lists.cursor_list import CursorList

if TYPE_CHECKING:
    from secretary_tui.registry.agent_index import AgentIndex
    from secretary_tui.registry.unlisted import Unlisted


class AgentList(CursorList):
    """Shows the library grouped by source; rows are patched, the highlight is kept by key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "fold(True)", "Fold", show=False),
        Binding("right,l", "fold(False)", "Unfold", show=False),
        Binding("space", "fold", "Fold or unfold", show=False),
        Binding("x", "want('switch')", "Switch on or off", show=False),
        Binding("e", "want('edit')", "Open in the editor", show=False),
        Binding("c", "want('copy_path')", "Copy the path", show=False),
        Binding("w", "want('twin')", "What shadows it", show=False),
        Binding("a", "want('add')", "Add the agents that are not listed", show=False),
    ]
    STYLES = "agent-list"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "agent-list--row",
        "agent-list--group",
        "agent-list--muted",
        "agent-list--match",
        "agent-list--warning",
        "agent-list--error",
        "agent-list--cursor",
        "agent-list--cursor-blurred",
    }

    @dataclass
    class Highlighted(Message):
        """The cursor is on another row (None when the list is empty)."""

        row: IndexRow | None

    @dataclass
    class Chosen(Message):
        """Enter or a second click on an agent."""

        row: IndexRow

    @dataclass
    class Wanted(Message):
        """A letter was pressed: do `what` with the row (switch, edit, copy_path, twin, add)."""

        row: IndexRow
        what: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.shown = ShownRows()
        """The rows, and what decides which there are."""
        self._painter = RowPainter(self)
        self._expected: Path | None = None
        """A file just written, to be highlighted once it is read."""

    # ------------------------------------------------------------------- data

    def show_index(self, index: AgentIndex) -> None:
        """Take a new state of the library; only rows that changed are painted again."""
        self.shown.take(index)
        self._relayout()
        self.highlight_when_there(self._expected)
        self._prepare_filter()

    def show_unlisted(self, unlisted: Unlisted | None) -> None:
        """Say on the first row that there are such agents, or no longer say so.

        The cursor goes there unless somebody is using the list, so that the details tell more.
        """
        if not self.shown.take_unlisted(unlisted):
            return
        self._relayout()
        if unlisted is not None and not self.has_focus and not self.shown.query:
            self.go_to(0)

    @work(exclusive=True, group="prepare-filter")
    async def _prepare_filter(self) -> None:
        """So that the first letter of a filter is as quick as the others."""
        for _ in self.shown.prepare():
            await asyncio.sleep(0.005)

    def set_filter(self, query: str) -> None:
        """Show only what fits; the highlight goes to the best hit."""
        if query == self.shown.query:
            return
        self.shown.query = query
        self._relayout(to_first=bool(query.strip()))

    @property
    def highlighted(self) -> IndexRow | None:
        """The row under the cursor."""
        return self.shown.rows[self._cursor] if self.shown.rows else None

    def _relayout(self, *, to_first: bool = False) -> None:
        before, old, cursor = self.highlighted, self.shown.rows, self._cursor
        if not self.shown.lay_out():
            return
        self.row_count = len(self.shown.rows)
        self.virtual_size = Size(1, self.row_count)
        wanted = None if to_first else before
        self._cursor = self.shown.position_of(wanted, cursor)
        self._patch(old, cursor)
        self.follow_cursor()
        if self.highlighted != before:
            self._tell()

    def _patch(self, old: Sequence[IndexRow], old_cursor: int) -> None:
        """Repaint the visible lines whose content changed."""
        top, rows = self.scroll_offset.y, self.shown.rows
        changed = [
            y
            for y in range(self.size.height)
            if (old[top + y] if top + y < len(old) else None)
            != (rows[top + y] if top + y < len(rows) else None)
            or (top + y == old_cursor) != (top + y == self._cursor)
        ]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        """Paint one visible line."""
        width = self.size.width
        position = self.scroll_offset.y + y
        base = self._painter.style("row")
        if position >= self.row_count:
            return Strip.blank(width, base)
        segments = self._painter.segments(self.shown.rows[position], width, self.shown.query)
        strip = Strip(segments).adjust_cell_length(width, base)
        return self.under_cursor(strip, width) if position == self._cursor else strip

    # ----------------------------------------------------------------- actions

    def action_fold(self, folded: bool | None = None) -> None:
        """Fold or unfold the group of the row under the cursor; None for the other way round."""
        row = self.highlighted
        if row is None or not self.shown.fold(row, folded):
            return
        if row.group in self.shown.folded:
            self.go_to(self.shown.header_of(row))
        self._relayout()

    def action_choose(self) -> None:
        """Choose the agent under the cursor; on a header, fold."""
        row = self.highlighted
        if row is None:
            return
        if row.kind is RowKind.GROUP:
            self.action_fold()
        elif row.kind is RowKind.UNLISTED:
            self.action_want("add")
        elif row.kind is RowKind.AGENT:
            self.post_message(self.Chosen(row))

    def action_want(self, what: str) -> None:
        """Ask the screen to do something with the row under the cursor.

        What is to be added is the agents that are not listed, wherever the cursor is.
        """
        row = self.shown.unlisted_row if what == "add" else self.highlighted
        if row is not None:
            self.post_message(self.Wanted(row, what))

    def highlight_path(self, path: Path) -> bool:
        """Put the cursor on the agent of a file; whether it is shown."""
        position = self.shown.position_of_path(path)
        if position is not None:
            self.go_to(position)
        return position is not None

    def highlight_when_there(self, path: Path | None) -> None:
        """Put the cursor on the agent of a file now, or as soon as the library has it."""
        self._expected = None if path is None or self.highlight_path(path) else path

    def go_to(self, row: int) -> None:
        """Put the cursor on a row, or on the nearest there is."""
        self._expected = None
        position = max(0, min(row, self.row_count - 1))
        if position == self._cursor or not self.row_count:
            return
        top = self.scroll_offset.y
        for line in (self._cursor - top, position - top):
            self.refresh(Region(0, line, self.size.width, 1))
        self._cursor = position
        self.follow_cursor()
        self._tell()

    def _tell(self) -> None:
        # A message made while an ancestor handles something counts as that ancestor's own and
        # would stop there instead of reaching the screen.
        self.post_message(self.Highlighted(self.highlighted).set_sender(self))

    def follow_cursor(self) -> None:
        """Scroll as little as shows the row under the cursor and one on each side of it."""
        self.scroll_to_region(
            Region(0, max(0, self._cursor - 1), 1, 3), animate=False, force=True, immediate=True
        )

    # ------------------------------------------------------------------ events

    def on_click(self, event: events.Click) -> None:
        """One click highlights, a click on the highlighted row chooses."""
        position = event.y + self.scroll_offset.y
        if position >= self.row_count:
            return
        if position == self._cursor:
            self.action_choose()
        else:
            self.go_to(position)
            if self.shown.rows[position].kind is RowKind.GROUP:
                self.action_fold()
