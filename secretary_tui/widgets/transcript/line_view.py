"""A scrolling view of a `LineIndex`: draws the rows on the screen and follows the end.

Textual's own scrolling needs exact sizes; here most heights may still be guesses. So this view
measures what it shows, keeps what the user reads in place, and lets the rest settle in slices.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive, var
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.line_index import LineIndex
from secretary_tui.widgets.transcript.line_selection import (
    overlay,
    overlay_left,
    restyle,
    selected_text,
)
from secretary_tui.widgets.transcript.transcript_palette import (
    COMPONENT_CLASSES,
    Palette,
    read_palette,
)
from secretary_tui.widgets.transcript.viewport import Viewport

SLICE_S = 0.008
"""Longest work in one go, so that a key never waits longer for it."""
SETTLE_S = 0.004
"""Pause between two slices of measuring what is off the screen; keys come through in it."""
COMMIT_S = 0.25
"""Shortest time between two corrections of the scroll bar while that goes on."""


class LineView(ScrollView, can_focus=True):
    """Base of the transcript: everything about lines, nothing about blocks."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENT_CLASSES)
    ALLOW_SELECT = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False, id="transcript.up"),
        Binding("down,j", "scroll_down", "Down", show=False, id="transcript.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="transcript.page-up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="transcript.page-down"),
        Binding("home,g", "scroll_home", "Start", show=False, id="transcript.home"),
        Binding(
            "end,G", "follow", "End", tooltip="Jump to the end and follow it", id="transcript.end"
        ),
    ]

    following: var[bool] = var(True)
    """Whether the end stays in view as the text grows."""
    # Textual lays the whole screen out when this changes; here only the scroll bar depends on it.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False, repaint=False)

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.index = LineIndex()
        self._view = Viewport(self.index)
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
            self._palette = read_palette(self)
        return self._palette

    @property
    def busy(self) -> bool:
        """Whether there is something more urgent to do than to measure what is off the screen."""
        return False

    @property
    def marker(self) -> str:
        """What the last row says while the end is out of view, empty while following."""
        if self.following:
            return ""
        if not self._new_lines:
            return " ↓ End "
        return f" ↓ {self._new_lines} new line{'s' if self._new_lines != 1 else ''} · End "

    @property
    def prompt(self) -> str:
        """What the last row says on its left."""
        return ""

    @property
    def rows_below(self) -> int:
        """Empty rows below the last line."""
        return 0

    def show_index(self, index: LineIndex) -> None:
        """Show another index from its end."""
        self.index = index
        self._view = Viewport(index)
        self._new_lines = 0
        self.following = True
        self.sync()

    def lines_so_far(self) -> int:
        """Lines in all, exact for the last screen: what `note_new_lines` wants the growth of."""
        if not self.following:
            self._view.fill_end(self.scrollable_content_region.height)
        return self.index.total

    def note_new_lines(self, count: int) -> None:
        """Count lines that were added out of view."""
        if not self.following:
            self._new_lines = max(self._new_lines + count, 0)

    def sync(self, *, keep: Callable[[], int] | None = None) -> None:
        """Bring size, scroll position and screen in line with the index.

        Args:
            keep: Gives the line that shall be at the top; by default the end is followed, or what
                the user reads stays where it is.
        """
        width, height = self.scrollable_content_region.size
        if not width or not height:
            return  # Not laid out yet; the first resize event comes back here.
        if self.index.configure(width, self.palette):
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
        self._view.hold(self.scroll_offset.y)
        if not self.index.settled and self._settle_timer is None:
            self._settle_timer = self.set_timer(SETTLE_S, self._settle)

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        line_number = y + self.scroll_offset.y
        line = self.decorated_line(line_number)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(line_number)) is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            line = restyle(line, *span, style)
        width, height = self.scrollable_content_region.size
        if y == height - 1 and (self.marker or self.prompt):
            prompt = self.prompt
            line = overlay([] if prompt else line, self.marker, width, self.palette.cursor)
            line = overlay_left(line, prompt, width, self.palette.cursor)
        return self._strip(line, line_number)

    def _strip(self, line: Line, line_number: int) -> Strip:
        """Make a strip of a line; the same one as last time while the line is the same."""
        known = self._strips.get(line_number)
        if known is not None and known[0] is line:
            return known[1]
        width, base = self.scrollable_content_region.width, self.rich_style
        strip = Strip(line).crop_extend(0, width, base).apply_style(base)
        strip = strip.apply_offsets(0, line_number)
        if len(self._strips) > 4 * self.size.height:
            self._strips.clear()
        self._strips[line_number] = (line, strip)
        return strip

    def decorated_line(self, line_number: int) -> Line:
        """Give a line as it is drawn, without selection and marker; empty below the last one."""
        if not 0 <= line_number < self.index.total:
            return []
        number, line = self.index.locate(line_number)
        lines = self.index.lines(number)
        return lines[line] if line < len(lines) else []

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text under the mouse selection."""
        return selected_text(self.index, selection), "\n"

    def notify_style_update(self) -> None:
        """Read the palette again when the theme or the focus changed; draw if it differs."""
        super().notify_style_update()
        self._palette = None
        self._strips.clear()
        if self.is_mounted:
            self.call_later(self.sync)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notice when the user scrolls away from the end or back to it."""
        # Instead of Textual's, which draws the scroll bar anew for every line.
        if round(old_value) != round(new_value):
            self.refresh(self.size.region)
        if self._placing or not self.is_mounted:
            return
        self._move_thumb()
        self._view.fill(round(new_value), self.scrollable_content_region.height)
        self.following = new_value >= self.max_scroll_y
        self._view.hold(round(new_value))

    def watch_following(self, following: bool) -> None:
        """The marker comes and goes with it."""
        if following:
            self._new_lines = 0
        if self.is_mounted:
            self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again at the new width."""
        self.sync()

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        """Follow the end where no resize event says that there is another height.

        Textual (8.2.8, pinned) knows the new region of a widget before it is told: who draws in
        between is held at the old end, and the event is left out.
        """
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if self.following and round(self.scroll_y) != self.max_scroll_y:
            self.call_later(self.sync)
        return changed

    def action_scroll_up(self) -> None:
        """Scroll one line up."""
        self.scroll_relative(y=-1, animate=False)

    def action_scroll_down(self) -> None:
        """Scroll one line down."""
        self.scroll_relative(y=1, animate=False)

    def action_page_up(self) -> None:
        """Scroll one screen up, less a line."""
        self.scroll_relative(y=1 - self.size.height, animate=False)

    def action_page_down(self) -> None:
        """Scroll one screen down, less a line."""
        self.scroll_relative(y=self.size.height - 1, animate=False)

    def action_scroll_home(self) -> None:
        """Scroll to the first line."""
        self.scroll_to(y=0, animate=False)

    def action_follow(self) -> None:
        """Jump to the end and follow it."""
        self.following = True
        self.sync()

    def _place(self, top: int | None, height: int, follow_if_at_end: bool) -> None:
        self._placing = True
        try:
            size = Size(self.index.width, self.index.total + self.rows_below)
            self.virtual_size = size
            end = max(size.height - height, 0)
            target = end if top is None else min(top, end)
            if target != round(self.scroll_y):
                self.scroll_to(y=target, animate=False, force=True)
            if follow_if_at_end:
                self.following = target >= end
            self._move_thumb()
        finally:
            self._placing = False

    def _move_thumb(self) -> None:
        """Let the scroll bar say where we are, when that shows: a cell stands for many lines."""
        height, total = self.scrollable_content_region.height, self.virtual_size.height
        if not height or not self.show_vertical_scrollbar:
            return
        eighths = 8 * height / max(total, height)
        thumb = (int(self.scroll_y * eighths), int((self.scroll_y + height) * eighths))
        bar = self.vertical_scrollbar
        if thumb != self._thumb or bar.window_size != height:
            self._thumb = thumb
            bar.window_virtual_size, bar.window_size = total, height
            bar.position = self.scroll_y

    def _redraw(self, height: int) -> None:
        """Draw the rows that differ from what was drawn; all of them in another place."""
        top = self.scroll_offset.y
        rows = [self.decorated_line(top + y) for y in range(height)]
        rows[-1] = [*rows[-1], Segment(self.marker + self.prompt)]
        if top == self._rows_top:
            for y, row in enumerate(rows):
                if y >= len(self._rows) or row != self._rows[y]:
                    self.refresh_lines(top + y)
        else:
            # Who scrolled may have drawn the rows as they were before this.
            self.refresh(self.size.region)
        self._rows, self._rows_top = rows, top

    def _settle(self) -> None:
        self._settle_timer = None
        if self.busy:
            return  # The `sync` after it begins again.
        done = self._view.settle(self.scroll_offset.y, SLICE_S)
        now = time.monotonic()
        if done or now >= self._next_commit:
            self._next_commit = now + COMMIT_S
            self._view.commit()
            self.sync()
        if not self.index.settled and self._settle_timer is None:
            self._settle_timer = self.set_timer(SETTLE_S, self._settle)
