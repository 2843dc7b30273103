"""The transcript: a conversation as lines in one widget.

Every block lives in this one line-based widget, which draws only the rows on the screen; there is
no widget per block, so neither typing nor streaming gets slower as a session grows. Streamed text
is buffered and taken in at most 10 times a second, in slices of 8 ms.

Try it alone: `python tools/transcript_demo.py`.
"""

from __future__ import annotations

import time
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.reactive import var
from textual.timer import Timer

from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.line_selection import restyle
from secretary_tui.widgets.transcript.line_view import SLICE_S
from secretary_tui.widgets.transcript.markdown_sources import code_blocks, links
from secretary_tui.widgets.transcript.transcript_bindings import KEYS
from secretary_tui.widgets.transcript.transcript_blocks import (
    AnswerBlock,
    Block,
    Thinking,
    UserMessageBlock,
)
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent
from secretary_tui.widgets.transcript.transcript_parts import source_of
from secretary_tui.widgets.transcript.transcript_search import SearchView

FLUSH_S = 0.1
"""Shortest time between two drawings of streamed text."""
FLUSH_AWAY_S = 0.25
"""The same while the user looks elsewhere and only the count of new lines changes."""
PAUSE_S = 0.004
"""Pause between two slices of a flood of text; keys come through in it."""
TICK_S = 1.0
"""How often a passing time is drawn."""


class Transcript(SearchView):
    """Shows blocks, streams text, follows the end until the user scrolls up.

    Give it blocks with `add` and `replace`, streamed text with `append_text` and
    `append_thinking`. Blocks are folded and unfolded here; `copy_block` gives what a copy command
    should copy. It calls no network and no disk.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*KEYS]

    current: var[int | None] = var(None)
    """Id of the block under the cursor; None until the user moves it."""

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.show_index(self.content.index)
        self._copied_code = (0, -1)
        """Of which block a code block was copied last, and which of them."""
        self._next_flush = 0.0
        self._next_draw = 0.0
        self._flush_timer: Timer | None = None
        self._tick_timer: Timer | None = None

    @property
    def busy(self) -> bool:
        """Whether streamed text waits to be taken in."""
        return self.content.backlog

    def add(self, block: Block) -> int:
        """Put a block at the end and give its id; streamed text before it is closed."""
        before = self.lines_so_far()
        block_id = self.content.add(block)
        self.note_new_lines(self.lines_so_far() - before)
        self._schedule(block)
        return block_id

    def replace(self, block_id: int, block: Block) -> None:
        """Show another block in the place of one, for instance a tool call that has ended."""
        self.content.replace(block_id, block)
        self._schedule(block)

    def append_text(self, text: str) -> int:
        """Stream a piece of the model's answer (Markdown); gives the id of the block."""
        return self._append(AnswerBlock, text)

    def append_thinking(self, text: str) -> int:
        """Stream a piece of the model's thinking; gives the id of the block."""
        return self._append(Thinking, text)

    def close_text(self) -> None:
        """End the streamed block; the next piece of text opens a new one."""
        self.content.close()
        self._schedule()

    def flush(self) -> None:
        """Take in and draw all text that waits at once, however long it takes."""
        self._take_in(float("inf"))
        self.sync()

    def clear(self) -> None:
        """Remove everything."""
        self.current = None
        self.clear_search()
        self.content = TranscriptContent()
        self.show_index(self.content.index)

    def block(self, block_id: int) -> Block:
        """The block with this id; the text of one that is streaming comes with its end."""
        return self.content[block_id].block

    def block_ids(self) -> tuple[int, ...]:
        """All blocks, in order."""
        return tuple(self.content)

    def is_unfolded(self, block_id: int) -> bool:
        """Whether a block that folds shows its inside."""
        return self.content[block_id].unfolded

    def toggle(self, block_id: int) -> None:
        """Fold or unfold a block; its first line keeps its place on the screen."""
        row = self.content.first_line(block_id) - self.scroll_offset.y
        self.content.fold(block_id, unfolded=not self.is_unfolded(block_id))
        self.sync(keep=lambda: self.content.first_line(block_id) - row)

    def toggle_all(self) -> None:
        """Unfold everything, blocks to come too; fold everything when all is unfolded."""
        folds = [self.is_unfolded(i) for i in self.content if self.block(i).foldable]
        unfolded = not all(folds) if folds else not self.content.unfold_new
        self.content.fold_all(unfolded=unfolded)
        self.sync()

    def copy_block(self) -> str:
        """The source text of the block under the cursor, else of the latest answer."""
        owner = self._copied_block()
        return "" if owner is None else self.content.source(owner)

    def copy_code(self) -> tuple[str, int, int]:
        """A code block of what `copy_block` copies: the last, next time the one before it.

        Gives the code, its number from 1 on and how many there are; ("", 0, 0) without any.
        """
        owner = self._copied_block()
        codes = code_blocks(self.content.source(owner)) if owner is not None else []
        if owner is None or not codes:
            return "", 0, 0
        block, last = self._copied_code
        number = last - 1 if block == owner and 0 < last <= len(codes) else len(codes) - 1
        self._copied_code = (owner, number)
        return codes[number], number + 1, len(codes)

    def links_on_screen(self) -> list[str]:
        """The web addresses in what is on the screen, from the top down, each once."""
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        bottom = min(top + height, self.index.total)
        numbers = dict.fromkeys(self.index.locate(line)[0] for line in range(top, bottom))
        sources = (source_of(self.index.sections[number].part) for number in numbers)
        return list(dict.fromkeys(address for text in sources for address in links(text)))

    def as_markdown(self) -> str:
        """The block under the cursor, else the whole conversation, to be read elsewhere."""
        if self.current is not None:
            return self.content.source(self.current)
        return "\n\n".join(filter(None, map(self.content.source, self.content)))

    def found(self, owner: int) -> None:
        """Put the cursor where the search led."""
        self.current = owner

    def decorated_line(self, line_number: int) -> Line:
        """Put the cursor over the first line of the current block."""
        line = super().decorated_line(line_number)
        if self.current is None or not self.has_focus or self.current not in self.content:
            return line
        if line_number != self.content.first_line(self.current):
            return line
        return self.marked(restyle(line, 0, -1, self.palette.cursor), line_number)

    def watch_current(self) -> None:
        """Draw the cursor where it is now."""
        if self.is_mounted:
            self.refresh()

    def on_mount(self) -> None:
        """Begin with what was given before there was a screen."""
        self._schedule()

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Toggle the fold whose line was clicked; a click on the marker jumps to the end."""
        offset = event.get_content_offset(self)
        if offset is None or event.chain > 1 or self.text_selection is not None:
            return
        width, height = self.scrollable_content_region.size
        if self.marker and offset.y == height - 1 and offset.x >= width - len(self.marker):
            self.action_follow()
            return
        line = offset.y + self.scroll_offset.y
        if line < self.index.total:
            self.current = self.content.owner_at(line)
            if line == self.content.first_line(self.current):
                self.toggle(self.current)

    def action_next_block(self, step: int) -> None:
        """Move the cursor to the next or the previous block."""
        self._move_cursor(self.block_ids(), step)

    def action_next_fold(self, step: int) -> None:
        """Move the cursor to the next or the previous block that folds."""
        self._move_cursor(tuple(i for i in self.content if self.block(i).foldable), step)

    def action_toggle_current(self) -> None:
        """Fold or unfold the block under the cursor."""
        if self.current is not None:
            self.toggle(self.current)

    def action_next_turn(self, step: int) -> None:
        """Move the cursor to the next or the previous request."""
        self._move_cursor(
            tuple(i for i in self.content if isinstance(self.block(i), UserMessageBlock)), step
        )

    def _copied_block(self) -> int | None:
        if self.current is not None:
            return self.current
        return next(
            (i for i in reversed(self.block_ids()) if isinstance(self.block(i), AnswerBlock)), None
        )

    def _move_cursor(self, block_ids: tuple[int, ...], step: int) -> None:
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if not block_ids or not self.index.total:
            return
        if self.current is not None and self._shows(self.current):
            origin = self.current + step
        else:  # From what is read: the cursor stayed behind, or there is none.
            line = top if step > 0 else top + height - 1
            origin = self.content.owner_at(min(line, self.index.total - 1))
        ahead = [i for i in block_ids if (i >= origin if step > 0 else i <= origin)]
        if not ahead:
            return
        self.current = ahead[0] if step > 0 else ahead[-1]
        first = self.content.first_line(self.current)
        if not top <= first < top + height:
            self.scroll_to(y=max(first - height // 3, 0), animate=False)

    def _shows(self, block_id: int) -> bool:
        """Whether some of a block is on the screen."""
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        last = min(top + height, self.index.total) - 1
        return self.content.owner_at(top) <= block_id <= self.content.owner_at(last)

    def _append(self, kind: type[AnswerBlock] | type[Thinking], text: str) -> int:
        block_id = self.content.append(kind, text)
        self._schedule()
        return block_id

    def _schedule(self, block: Block | None = None) -> None:
        """Have the next flush come as soon as it may."""
        if not self.is_running:
            return  # `on_mount` comes back here.
        if block is not None and block.ticks and self._tick_timer is None:
            self._tick_timer = self.set_interval(TICK_S, self._tick)
        if self._flush_timer is None:
            delay = max(self._next_flush - time.monotonic(), 0.001)
            self._flush_timer = self.set_timer(delay, self._flush)

    def _flush(self) -> None:
        self._flush_timer = None
        began = time.monotonic()
        self._take_in(SLICE_S)
        if not self.content.backlog or began >= self._next_draw:
            self.sync()
            self._next_draw = began + FLUSH_S
        now = time.monotonic()
        cost = now - began
        if self.content.backlog:
            self._next_flush = now + PAUSE_S
            self._schedule()
        else:
            # A costly tail (a large open table) is drawn less often rather than slowing the keys.
            self._next_flush = now + max(FLUSH_S if self.following else FLUSH_AWAY_S, 4 * cost)

    def _take_in(self, budget_s: float) -> None:
        before = self.lines_so_far()
        self.content.pump(budget_s)
        self.note_new_lines(self.lines_so_far() - before)

    def _tick(self) -> None:
        if self.content.tick():
            self.sync()
        elif self._tick_timer is not None:
            self._tick_timer.stop()
            self._tick_timer = None
