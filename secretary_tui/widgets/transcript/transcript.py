"""The transcript: a conversation as lines in one widget.

Every block lives in this one line-based widget, which draws only the rows on the screen; there is
no widget per block, so neither typing nor streaming gets slower as a session grows. The widget
passes on what Textual calls; what is done stands in its parts.

Try it alone: `python tools/transcript_demo.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from secretary_tui.widgets.transcript.block_cursor import BlockCursor
from secretary_tui.widgets.transcript.excerpts import Excerpts
from secretary_tui.widgets.transcript.line_selection import selected_text
from secretary_tui.widgets.transcript.line_view import LineView
from secretary_tui.widgets.transcript.transcript_blocks import AnswerBlock, Block, Thinking
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent
from secretary_tui.widgets.transcript.transcript_feed import TranscriptFeed
from secretary_tui.widgets.transcript.transcript_palette import COMPONENT_CLASSES
from secretary_tui.widgets.transcript.transcript_search import TranscriptSearch


def _pair(forward: str, backward: str, what: str, words: str) -> Iterator[Binding]:
    """The two keys that move by one kind of thing."""
    action = "next_hit({})" if what == "hit" else f"next('{what}', {{}})"
    for key, step, word in ((forward, 1, "Next"), (backward, -1, "Previous")):
        yield Binding(
            key,
            action.format(step),
            f"{word} {what}",
            tooltip=f"{word} {words}",
            show=False,
            id=f"transcript.{word.lower()}-{what}",
        )


_SCROLLING = (
    Binding("up,k", "scroll_rows(-1)", "Up", show=False, id="transcript.up"),
    Binding("down,j", "scroll_rows(1)", "Down", show=False, id="transcript.down"),
    Binding("pageup", "scroll_screens(-1)", "Page up", show=False, id="transcript.page-up"),
    Binding("pagedown", "scroll_screens(1)", "Page down", show=False, id="transcript.page-down"),
    Binding("home,g", "scroll_home", "Start", show=False, id="transcript.home"),
    Binding("end,G", "follow", "End", tooltip="Jump to the end and follow it", id="transcript.end"),
)
_MOVING = (
    *_pair("right_curly_bracket", "left_curly_bracket", "turn", "request"),
    *_pair("right_parenthesis", "left_parenthesis", "block", "block"),
    *_pair("right_square_bracket", "left_square_bracket", "fold", "foldable block"),
    *_pair("n", "N", "hit", "search match"),
    Binding("slash", "search", "Search", tooltip="Search a text", id="transcript.search"),
    Binding(
        "enter,space",
        "toggle_current",
        "Fold",
        tooltip="Fold or unfold the block under the cursor",
        id="transcript.toggle",
    ),
)
_LEAVING = tuple(
    Binding(key, f"screen.do('{action}')", title, tooltip=tip, id=f"transcript.{key}")
    for key, action, title, tip in (
        ("c", "copy_code", "Copy code", "Copy a code block; again: the one before"),
        ("v", "page_block", "View", "Show the block, or all of it, in $PAGER"),
        ("e", "edit_block", "Edit", "Open the block, or all of it, in $EDITOR"),
        ("o", "open_link", "Open link", "Choose a link on the screen and open it"),
        ("z", "zoom", "Zoom", "The transcript alone on the screen, or all panes"),
    )
)
"""Keys whose actions are the screen's: they leave the transcript."""


class Transcript(ScrollView, can_focus=True):
    """Shows blocks, streams text, follows the end until the user scrolls up.

    Give it blocks with `add` and `replace`, streamed text with `append_text` and
    `append_thinking`. Blocks are folded and unfolded here. It calls no network and no disk.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENT_CLASSES)
    ALLOW_SELECT = True
    BINDINGS: ClassVar[list[BindingType]] = [*_SCROLLING, *_MOVING, *_LEAVING]

    # Textual lays the whole screen out when this changes; here only the scroll bar depends on it.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False, repaint=False)

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        content = self.content = TranscriptContent()
        lines = self.lines = LineView(self, content.index, busy=lambda: content.backlog)
        self.cursor = BlockCursor(self, content, lines)
        self.search = TranscriptSearch(self, content, lines, found=self.cursor.put)
        self.excerpts = Excerpts(content, self.cursor, lines)
        self._feed = TranscriptFeed(self, content, lines)
        lines.marks, lines.last_row = (self.cursor.mark, self.search.mark), self.search

    def add(self, block: Block) -> int:
        """Put a block at the end and give its id; streamed text before it is closed."""
        return self._feed.add(block)

    def replace(self, block_id: int, block: Block) -> None:
        """Show another block in the place of one, for instance a tool call that has ended."""
        self._feed.replace(block_id, block)

    def append_text(self, text: str) -> int:
        """Stream a piece of the model's answer (Markdown); gives the id of the block."""
        return self._feed.append(AnswerBlock, text)

    def append_thinking(self, text: str) -> int:
        """Stream a piece of the model's thinking; gives the id of the block."""
        return self._feed.append(Thinking, text)

    def close_text(self) -> None:
        """End the streamed block; the next piece of text opens a new one."""
        self._feed.close()

    def flush(self) -> None:
        """Take in and draw all text that waits at once, however long it takes."""
        self._feed.flush()

    def clear(self) -> None:
        """Remove everything."""
        self.cursor.put(None)
        self.search.clear()
        self.content.clear()
        self.lines.clear()

    def toggle(self, block_id: int) -> None:
        """Fold or unfold a block; its first line keeps its place on the screen."""
        content = self.content
        row = content.first_line(block_id) - self.lines.top
        content.fold(block_id, unfolded=not content[block_id].unfolded)
        self.lines.sync(keep=lambda: content.first_line(block_id) - row)

    def toggle_all(self) -> None:
        """Unfold everything, blocks to come too; fold everything when all is unfolded."""
        entries = map(self.content.__getitem__, self.content)
        folds = [entry.unfolded for entry in entries if entry.block.foldable]
        unfolded = not all(folds) if folds else not self.content.unfold_new
        self.content.fold_all(unfolded=unfolded)
        self.lines.sync()

    # ---------------------------------------------------- what Textual calls

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        return self.lines.render_row(y)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text under the mouse selection."""
        return selected_text(self.content.index, selection), "\n"

    def notify_style_update(self) -> None:
        """The theme or the focus changed."""
        super().notify_style_update()
        self.lines.style_changed()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Instead of Textual's, which draws the scroll bar anew for every line."""
        self.lines.scrolled(old_value, new_value)

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        """Follow the end where no resize event says that there is another height.

        Textual (8.2.8, pinned) knows the new region of a widget before it is told: who draws in
        between is held at the old end, and the event is left out.
        """
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if self.lines.following and round(self.scroll_y) != self.max_scroll_y:
            self.call_later(self.lines.sync)
        return changed

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again at the new width."""
        self.lines.sync()

    def on_mount(self) -> None:
        """Begin with what was given before there was a screen."""
        self._feed.schedule()

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the cursor, and stop asking what to search."""
        self.search.leave()
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """Keys are typed into the prompt of a search."""
        self.search.take_key(event)

    def on_paste(self, event: events.Paste) -> None:
        """So is a paste."""
        self.search.take_paste(event)

    def on_click(self, event: events.Click) -> None:
        """Toggle the fold whose line was clicked; a click on the marker jumps to the end."""
        offset = event.get_content_offset(self)
        if offset is None or event.chain > 1 or self.text_selection is not None:
            return
        (width, height), marker = self.scrollable_content_region.size, self.lines.marker
        if marker and offset.y == height - 1 and offset.x >= width - len(marker):
            self.lines.follow()
            return
        line = offset.y + self.lines.top
        if line < self.content.index.total:
            block_id = self.content.owner_at(line)
            self.cursor.put(block_id)
            if line == self.content.first_line(block_id):
                self.toggle(block_id)

    # ----------------------------------------------------------------- actions

    def action_scroll_rows(self, rows: int) -> None:
        """Scroll down by so many rows, or up below 0."""
        self.scroll_relative(y=rows, animate=False)

    def action_scroll_screens(self, direction: int) -> None:
        """Scroll one screen down (1) or up (-1), less a line."""
        self.scroll_relative(y=direction * (self.size.height - 1), animate=False)

    def action_scroll_home(self) -> None:
        """Scroll to the first line."""
        self.lines.scroll_to(0)

    def action_follow(self) -> None:
        """Jump to the end and follow it."""
        self.lines.follow()

    def action_next(self, stop: str, step: int) -> None:
        """Move the cursor to the next or the previous turn, block or fold."""
        self.cursor.move(stop, step)

    def action_next_hit(self, step: int) -> None:
        """Go to the next or the previous place where the searched text stands."""
        self.search.next(step)

    def action_search(self) -> None:
        """Ask what to search."""
        self.search.begin()

    def action_toggle_current(self) -> None:
        """Fold or unfold the block under the cursor."""
        if self.cursor.block is not None:
            self.toggle(self.cursor.block)
