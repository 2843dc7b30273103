"""The lines of a `LineIndex` in a scrolling widget: draws its rows and follows the end.

Textual's own scrolling needs exact sizes; here most heights may still be guesses. So this view
measures what it shows, keeps what the user reads in place, and lets the rest settle in slices.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.segment import Segment
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.line_heights import LineHeights
from secretary_tui.widgets.transcript.line_index import LineIndex
from secretary_tui.widgets.transcript.line_selection import overlay, overlay_left, restyle
from secretary_tui.widgets.transcript.transcript_palette import Palette, read_palette

SLICE_S = 0.008
"""Longest work in one go, so that a key never waits longer for it."""
SETTLE_S = 0.004
"""Pause between two slices of measuring what is off the screen; keys come through in it."""
COMMIT_S = 0.25
"""Shortest time between two corrections of the scroll bar while that goes on."""


class LastRow(Protocol):
    """What may write on the last row while it has something to say."""

    @property
    def prompt(self) -> str:
        """The words on the left of the last row; empty for none."""
        ...

    @property
    def rows_below(self) -> int:
        """Empty rows to keep below the last line."""
        ...

    def renew(self) -> None:
        """Catch up with the index; called each time before it is shown."""
        ...


class LineView:
    """What a scrolling widget shows of an index, and where.

    Args:
        widget: Scrolled and drawn by this view; it passes `render_line`, `watch_scroll_y` and style
            updates on. Its component classes are those of the palette.
        index: The lines.
        busy: Whether there is something more urgent to do than to measure what is off the screen.
    """

    def __init__(self, widget: ScrollView, index: LineIndex, busy: Callable[[], bool]) -> None:
        self._widget = widget
        self._index = index
        self._busy = busy
        self.marks: Sequence[Callable[[Line, int], Line]] = ()
        """Each gives a line, of this number, as it is to be drawn."""
        self.last_row: LastRow | None = None
        self._following = True
        self._view = LineHeights(index)
        self._palette: Palette | None = None
        self._placing = False
        self._new_lines = 0
        self._rows: list[Line] = []
        """What the last `sync` showed, from line `_rows_top` on."""
        self._rows_top = 0
        self._strips: dict[int, tuple[Line, Strip]] = {}
        """Lines near the screen as they were last drawn, by their number."""
        self._settle_timer: Timer | None = None
        self._next_commit = 0.0
        self._thumb = (0, 0)
        """First and last eighth of a cell of the scroll bar's thumb, as drawn."""

    @property
    def palette(self) -> Palette:
        """The styles of the theme in force."""
        if self._palette is None:
            self._palette = read_palette(self._widget)
        return self._palette

    @property
    def following(self) -> bool:
        """Whether the end stays in view as the text grows."""
        return self._following

    @following.setter
    def following(self, following: bool) -> None:
        if following == self._following:
            return
        self._following = following
        if following:
            self._new_lines = 0
        self._widget.refresh()

    @property
    def top(self) -> int:
        """The line on the first row of the screen."""
        return self._widget.scroll_offset.y

    @property
    def height(self) -> int:
        """Rows on the screen."""
        return self._widget.scrollable_content_region.height

    @property
    def at_end(self) -> bool:
        """Whether the last line is on the screen."""
        return self.top >= self._widget.max_scroll_y

    @property
    def marker(self) -> str:
        """What the last row says while the end is out of view, empty while following."""
        if self.following:
            return ""
        if not self._new_lines:
            return " ↓ End "
        return f" ↓ {self._new_lines} new line{'s' if self._new_lines != 1 else ''} · End "

    def clear(self) -> None:
        """Show from its end an index that was emptied."""
        self._view = LineHeights(self._index)
        self._new_lines = 0
        self.follow()

    def follow(self) -> None:
        """Jump to the end and follow it."""
        self.following = True
        self.sync()

    @contextmanager
    def growing(self) -> Iterator[None]:
        """While the index is changed: lines added out of view are counted for the marker."""
        before = self._lines_so_far()
        yield
        added = self._lines_so_far() - before
        if not self.following:
            self._new_lines = max(self._new_lines + added, 0)

    def sync(self, *, keep: Callable[[], int] | None = None) -> None:
        """Bring size, scroll position and screen in line with the index.

        Args:
            keep: Gives the line that shall be at the top; by default the end is followed, or what
                the user reads stays where it is.
        """
        if self.last_row is not None:
            self.last_row.renew()
        width, height = self._widget.scrollable_content_region.size
        if not width or not height:
            return  # Not laid out yet; the first resize event comes back here.
        if self._index.configure(width, self.palette):
            self._view.reset()
            self._strips.clear()
        if keep is None and self.following:
            self._view.fill_end(height)
            top = None
        else:
            top = max((keep or self._view.top)(), 0)
            self._view.fill(top, height)
        self._place(top, height, keep is not None)
        self._redraw(height)
        self._view.hold(self.top)
        self._settle_soon()

    def render_row(self, y: int) -> Strip:
        """Draw one row of the screen."""
        line_number = y + self.top
        line = self._marked(line_number)
        widget = self._widget
        selection = widget.text_selection
        if selection is not None and (span := selection.get_span(line_number)) is not None:
            style = widget.screen.get_component_rich_style("screen--selection")
            line = restyle(line, *span, style)
        width, height = widget.scrollable_content_region.size
        if y == height - 1 and (self.marker or self._prompt):
            prompt = self._prompt
            line = overlay([] if prompt else line, self.marker, width, self.palette.cursor)
            line = overlay_left(line, prompt, width, self.palette.cursor)
        return self._strip(line, line_number)

    def style_changed(self) -> None:
        """Read the palette again; draw if it differs."""
        self._palette = None
        self._strips.clear()
        if self._widget.is_mounted:
            self._widget.call_later(self.sync)

    def scrolled(self, old: float, new: float) -> None:
        """Notice when the user scrolls away from the end or back to it."""
        widget = self._widget
        if round(old) != round(new):
            widget.refresh(widget.size.region)
        if self._placing or not widget.is_mounted:
            return
        self._move_thumb()
        self._view.fill(round(new), self.height)
        self.following = new >= widget.max_scroll_y
        self._view.hold(round(new))

    def scroll_to(self, line: int) -> None:
        """Put a line on the first row, or as near as can be."""
        self._widget.scroll_to(y=max(line, 0), animate=False)

    def draw_last_row(self) -> None:
        """Draw the row of prompt and marker."""
        self._widget.refresh_lines(self.top + self.height - 1)

    @property
    def _prompt(self) -> str:
        return self.last_row.prompt if self.last_row is not None else ""

    def _lines_so_far(self) -> int:
        """Lines in all, exact for the last screen, so that their growth is."""
        if not self.following:
            self._view.fill_end(self.height)
        return self._index.total

    def _marked(self, line_number: int) -> Line:
        """A line as it is drawn, without selection and marker; empty below the last one."""
        if not 0 <= line_number < self._index.total:
            return []
        number, at = self._index.locate(line_number)
        lines = self._index.lines(number)
        line = lines[at] if at < len(lines) else []
        for mark in self.marks:
            line = mark(line, line_number)
        return line

    def _strip(self, line: Line, line_number: int) -> Strip:
        """Make a strip of a line; the same one as last time while the line is the same."""
        known = self._strips.get(line_number)
        if known is not None and known[0] is line:
            return known[1]
        width, base = self._widget.scrollable_content_region.width, self._widget.rich_style
        strip = Strip(line).crop_extend(0, width, base).apply_style(base)
        strip = strip.apply_offsets(0, line_number)
        if len(self._strips) > 4 * self._widget.size.height:
            self._strips.clear()
        self._strips[line_number] = (line, strip)
        return strip

    def _place(self, top: int | None, height: int, follow_if_at_end: bool) -> None:
        self._placing = True
        try:
            below = self.last_row.rows_below if self.last_row is not None else 0
            size = Size(self._index.width, self._index.total + below)
            self._widget.virtual_size = size
            end = max(size.height - height, 0)
            target = end if top is None else min(top, end)
            if target != round(self._widget.scroll_y):
                self._widget.scroll_to(y=target, animate=False, force=True)
            if follow_if_at_end:
                self.following = target >= end
            self._move_thumb()
        finally:
            self._placing = False

    def _move_thumb(self) -> None:
        """Let the scroll bar say where we are, when that shows: a cell stands for many lines."""
        widget = self._widget
        height, total = self.height, widget.virtual_size.height
        if not height or not widget.show_vertical_scrollbar:
            return
        eighths = 8 * height / max(total, height)
        thumb = (int(widget.scroll_y * eighths), int((widget.scroll_y + height) * eighths))
        bar = widget.vertical_scrollbar
        if thumb != self._thumb or bar.window_size != height:
            self._thumb = thumb
            bar.window_virtual_size, bar.window_size = total, height
            bar.position = widget.scroll_y

    def _redraw(self, height: int) -> None:
        """Draw the rows that differ from what was drawn; all of them in another place."""
        top = self.top
        rows = [self._marked(top + y) for y in range(height)]
        rows[-1] = [*rows[-1], Segment(self.marker + self._prompt)]
        if top == self._rows_top:
            for y, row in enumerate(rows):
                if y >= len(self._rows) or row != self._rows[y]:
                    self._widget.refresh_lines(top + y)
        else:
            # Who scrolled may have drawn the rows as they were before this.
            self._widget.refresh(self._widget.size.region)
        self._rows, self._rows_top = rows, top

    def _settle_soon(self) -> None:
        if not self._index.settled and self._settle_timer is None:
            self._settle_timer = self._widget.set_timer(SETTLE_S, self._settle)

    def _settle(self) -> None:
        """Measure for a moment what is off the screen."""
        self._settle_timer = None
        if self._busy():
            return  # The `sync` after it begins again.
        done = self._view.settle(self.top, SLICE_S)
        now = time.monotonic()
        if done or now >= self._next_commit:
            self._next_commit = now + COMMIT_S
            self._view.commit()
            self.sync()
        self._settle_soon()
