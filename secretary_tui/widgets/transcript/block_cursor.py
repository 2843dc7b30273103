"""The block of the transcript that keys act on: where it is, how it moves and how it is marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual.widget import Widget

from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.line_selection import restyle
from secretary_tui.widgets.transcript.line_view import LineView
from secretary_tui.widgets.transcript.transcript_blocks import Block, UserMessageBlock
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent

STOPS: Mapping[str, Callable[[Block], bool]] = {
    "turn": lambda block: isinstance(block, UserMessageBlock),
    "block": lambda block: True,
    "fold": lambda block: block.foldable,
}
"""What the cursor can move by, and which blocks it stops at then."""


class BlockCursor:
    """A block of a transcript, or none until the user moves there."""

    def __init__(self, widget: Widget, content: TranscriptContent, lines: LineView) -> None:
        self._widget = widget
        self._content = content
        self._lines = lines
        self.block: int | None = None
        """Id of the block under the cursor."""

    def put(self, block_id: int | None) -> None:
        """Move to a block, or to none."""
        self.block = block_id
        self._widget.refresh()

    def move(self, stop: str, step: int) -> None:
        """Go to the next (`step` 1) or the previous (-1) block of a kind in `STOPS`."""
        content, lines = self._content, self._lines
        if not content.index.total:
            return
        wanted, origin = STOPS[stop], self._origin(step)
        ahead = [i for i in content if (i - origin) * step >= 0 and wanted(content[i].block)]
        if not ahead:
            return
        block_id = ahead[0 if step > 0 else -1]
        self.put(block_id)
        first = content.first_line(block_id)
        if not lines.top <= first < lines.top + lines.height:
            lines.scroll_to(first - lines.height // 3)

    def mark(self, line: Line, line_number: int) -> Line:
        """Put the cursor over the first line of its block while the widget has the focus."""
        if self.block is None or not self._widget.has_focus or self.block not in self._content:
            return line
        if line_number != self._content.first_line(self.block):
            return line
        return restyle(line, 0, -1, self._lines.palette.cursor)

    def _origin(self, step: int) -> int:
        """The first block to look at."""
        content, top = self._content, self._lines.top
        last = min(top + self._lines.height, content.index.total) - 1
        shown = range(content.owner_at(top), content.owner_at(last) + 1)
        if self.block is not None and self.block in shown:
            return self.block + step
        # From what is read: the cursor stayed behind, or there is none.
        return shown.start if step > 0 else shown.stop - 1
