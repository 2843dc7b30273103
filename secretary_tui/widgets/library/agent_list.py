"""The list of agents: one line-API widget, so 10,000 rows cost what the visible ones cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events, work
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from secretary_tui.registry.definition.spec import AgentStatus, Severity
from secretary_tui.widgets.cells import fit
from secretary_tui.widgets.library.index_filter import marked
from secretary_tui.widgets.library.index_rows import (
    FOLDED_AT_START,
    IndexRow,
    LibraryRows,
    RowKind,
)
from secretary_tui.widgets.lists.cursor_list import CursorList
from secretary_tui.widgets.themes import AGENT_COLORS, mark_style

if TYPE_CHECKING:
    from secretary_tui.registry.agent_index import AgentIndex
    from secretary_tui.registry.unlisted import Unlisted


class AgentIndexView(CursorList):
    """Shows the library grouped by source; rows are patched, the highlight is kept by key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "fold(True)", "Fold", show=False),
        Binding("right,l", "fold(False)", "Unfold", show=False),
        Binding("space", "toggle_fold", "Fold or unfold", show=False),
        Binding("x", "want('switch')", "Switch on or off", show=False),
        Binding("e", "want('edit')", "Open in the editor", show=False),
        Binding("c", "want('copy_path')", "Copy the path", show=False),
        Binding("w", "want('twin')", "What shadows it", show=False),
        Binding("a", "add", "Add the agents that are not listed", show=False),
    ]
    STYLES = "agent-index"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "agent-index--row",
        "agent-index--group",
        "agent-index--muted",
        "agent-index--match",
        "agent-index--warning",
        "agent-index--error",
        "agent-index--cursor",
        "agent-index--cursor-blurred",
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
        self._library: LibraryRows | None = None
        self._query = ""
        self._folded: set[str] = set(FOLDED_AT_START)
        self._rows: tuple[IndexRow, ...] = ()
        self._expected: Path | None = None
        """A file just written, to be highlighted once it is read."""

    # ------------------------------------------------------------------- data

    def show_index(self, index: AgentIndex) -> None:
        """Take a new state of the library; only rows that changed are painted again."""
        if self._library is None:
            self._library = LibraryRows(index)
        else:
            self._library.renew(index)
        self._relayout()
        self.highlight_when_there(self._expected)
        self._prepare_filter()

    @property
    def unlisted(self) -> Unlisted | None:
        """The agents in the project's folder that no source leads to."""
        return self._library.unlisted if self._library else None

    def show_unlisted(self, unlisted: Unlisted | None) -> None:
        """Say on the first row that there are such agents, or no longer say so.

        The cursor goes there unless somebody is using the list, so that the details tell more.
        """
        if self._library is None or self._library.unlisted == unlisted:
            return
        self._library.unlisted = unlisted
        self._relayout()
        if unlisted is not None and not self.has_focus and not self._query:
            self.go_to(0)

    @work(exclusive=True, group="prepare-filter")
    async def _prepare_filter(self) -> None:
        """So that the first letter of a filter is as quick as the others."""
        for _ in self._library.prepare() if self._library else ():
            await asyncio.sleep(0.005)

    def set_filter(self, query: str) -> None:
        """Show only what fits; the highlight goes to the best hit."""
        if query == self._query:
            return
        self._query = query
        self._relayout(to_first=bool(query.strip()))

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    @property
    def highlighted(self) -> IndexRow | None:
        """The row under the cursor."""
        return self._rows[self._cursor] if self._rows else None

    def _relayout(self, *, to_first: bool = False) -> None:
        if self._library is None:
            return
        before, old, cursor = self.highlighted, self._rows, self._cursor
        self._rows = self._library.rows(self._query, self._folded)
        self.virtual_size = Size(1, len(self._rows))
        if to_first:
            self._cursor = self._first_agent()
        else:
            self._cursor = self._position(before, cursor)
        self._patch(old, cursor)
        self.follow_cursor()
        if self.highlighted != before:
            self._tell()

    def _position(self, row: IndexRow | None, fallback: int) -> int:
        if row is None:
            return self._first_agent()
        for position, candidate in enumerate(self._rows):
            if candidate.key == row.key:
                return position
        return max(0, min(fallback, len(self._rows) - 1))

    def _first_agent(self) -> int:
        return next((i for i, row in enumerate(self._rows) if row.kind is not RowKind.GROUP), 0)

    def _patch(self, old: Sequence[IndexRow], old_cursor: int) -> None:
        """Repaint the visible lines whose content changed."""
        top = self.scroll_offset.y
        changed = [
            y
            for y in range(self.size.height)
            if (old[top + y] if top + y < len(old) else None)
            != (self._rows[top + y] if top + y < len(self._rows) else None)
            or (top + y == old_cursor) != (top + y == self._cursor)
        ]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    # ---------------------------------------------------------------- painting

    def render_line(self, y: int) -> Strip:
        """Paint one visible line."""
        width = self.size.width
        position = self.scroll_offset.y + y
        base = self.get_component_rich_style("agent-index--row")
        if position >= len(self._rows):
            return Strip.blank(width, base)
        row = self._rows[position]
        strip = Strip(self._segments(row, width, base)).adjust_cell_length(width, base)
        if position == self._cursor:
            strip = self.under_cursor(strip, width)
        return strip

    def _segments(self, row: IndexRow, width: int, base: Style) -> list[Segment]:
        muted = self.get_component_rich_style("agent-index--muted")
        if row.kind is RowKind.UNLISTED:
            style = self.get_component_rich_style("agent-index--warning")
            return [Segment("+ ", style), Segment(fit(row.label, width - 3), style)]
        if row.kind is RowKind.GROUP:
            style = self.get_component_rich_style("agent-index--group")
            glyph = "▸ " if row.folded else "▾ "
            count = f" {row.count} "
            label = fit(row.label, width - 2 - len(count))
            return [Segment(glyph, muted), Segment(label, style), Segment(count, muted)]
        if row.problem is not None:
            error = self.get_component_rich_style("agent-index--error")
            return [Segment("  ✗ ", error), Segment(fit(row.label, width - 5), base)]
        entry = row.entry
        if entry is None:
            return [Segment("  ◦ ", muted), Segment(fit(row.label, width - 5), muted)]
        mark, mark_style = self._mark(row)
        shown = muted if entry.status is not AgentStatus.ACTIVE else base
        name = fit(row.label, width - 4 - len(mark))
        gap = " " * max(0, width - 4 - cell_len(name) - len(mark))
        glyph = "  • " if entry.status is AgentStatus.ACTIVE else "  ◦ "
        return [
            Segment(glyph, self._dot(entry.spec.color, muted)),
            *self._named(name, shown),
            Segment(gap, base),
            Segment(mark, mark_style),
        ]

    def _dot(self, color: str | None, muted: Style) -> Style:
        return muted + mark_style(self.app, color) if color in AGENT_COLORS else muted

    def _named(self, name: str, style: Style) -> list[Segment]:
        """The name, with the letters that fit the filter in their own colour."""
        fitting = set(marked(name, self._query)) if self._query else ()
        if not fitting:
            return [Segment(name, style)]
        over = style + self.get_component_rich_style("agent-index--match", partial=True)
        runs = groupby(enumerate(name), key=lambda letter: letter[0] in fitting)
        return [
            Segment("".join(char for _, char in run), over if fits else style) for fits, run in runs
        ]

    def _mark(self, row: IndexRow) -> tuple[str, Style]:
        entry = row.entry
        assert entry is not None
        if entry.status is not AgentStatus.ACTIVE:
            return f" {entry.status} ", self.get_component_rich_style("agent-index--muted")
        if entry.stale is not None:
            return " stale ", self.get_component_rich_style("agent-index--error")
        found = [f for f in entry.spec.findings if f.severity is not Severity.NOTE]
        if found:
            worst = any(f.severity is Severity.ERROR for f in found)
            name = "agent-index--error" if worst else "agent-index--warning"
            return f" !{len(found)} ", self.get_component_rich_style(name)
        return " ", self.get_component_rich_style("agent-index--row")

    # ----------------------------------------------------------------- actions

    @property
    def can_fold(self) -> bool:
        """Whether groups fold: not those of a filter."""
        return not self._query

    def action_fold(self, folded: bool) -> None:
        """Fold or unfold the group of the row under the cursor."""
        row = self.highlighted
        if row is None or row.kind is RowKind.UNLISTED or self._query:
            return
        if (row.group in self._folded) == folded:
            return
        if folded:
            self._folded.add(row.group)
            header = next(i for i, r in enumerate(self._rows) if r.key == f"group:{row.group}")
            self.go_to(header)
        else:
            self._folded.discard(row.group)
        self._relayout()

    def action_toggle_fold(self) -> None:
        """Fold what is unfolded and the other way round."""
        row = self.highlighted
        if row is not None:
            self.action_fold(row.group not in self._folded)

    def action_choose(self) -> None:
        """Choose the agent under the cursor; on a header, fold."""
        row = self.highlighted
        if row is None:
            return
        if row.kind is RowKind.GROUP:
            self.action_toggle_fold()
        elif row.kind is RowKind.UNLISTED:
            self.action_want("add")
        elif row.kind is RowKind.AGENT:
            self.post_message(self.Chosen(row))

    def action_want(self, what: str) -> None:
        """Ask the screen to do something with the row under the cursor."""
        if self.highlighted is not None:
            self.post_message(self.Wanted(self.highlighted, what))

    def action_add(self) -> None:
        """Ask the screen to list the agents that are not listed, wherever the cursor is."""
        row = next((row for row in self._rows if row.kind is RowKind.UNLISTED), None)
        if row is not None:
            self.post_message(self.Wanted(row, "add"))

    def highlight_path(self, path: Path) -> bool:
        """Put the cursor on the agent of a file; whether it is shown."""
        for position, row in enumerate(self._rows):
            if row.entry is not None and row.entry.spec.path == path:
                self.go_to(position)
                return True
        return False

    def highlight_when_there(self, path: Path | None) -> None:
        """Put the cursor on the agent of a file now, or as soon as the library has it."""
        self._expected = None if path is None or self.highlight_path(path) else path

    def go_to(self, row: int) -> None:
        """Put the cursor on a row, or on the nearest there is."""
        self._expected = None
        position = max(0, min(row, len(self._rows) - 1))
        if position == self._cursor or not self._rows:
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
        if position >= len(self._rows):
            return
        if position == self._cursor:
            self.action_choose()
        else:
            self.go_to(position)
            if self._rows[position].kind is RowKind.GROUP:
                self.action_toggle_fold()
