"""How blocks and streamed text get onto the screen: soon, and never in the way of the keys.

Streamed text is buffered and taken in at most 10 times a second, in slices of 8 ms.
"""

from __future__ import annotations

import time

from textual.message_pump import MessagePump
from textual.timer import Timer

from secretary_tui.widgets.transcript.line_view import SLICE_S, LineView
from secretary_tui.widgets.transcript.transcript_blocks import AnswerBlock, Block, Thinking
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent

FLUSH_S = 0.1
"""Shortest time between two drawings of streamed text."""
FLUSH_AWAY_S = 0.25
"""The same while the user looks elsewhere and only the count of new lines changes."""
PAUSE_S = 0.004
"""Pause between two slices of a flood of text; keys come through in it."""
TICK_S = 1.0
"""How often a passing time is drawn."""


class TranscriptFeed:
    """Takes blocks and text into a content and has its lines drawn.

    Args:
        timers: Has the timers; nothing is drawn before it runs.
        content: Gets blocks and text.
        lines: Shows them.
    """

    def __init__(self, timers: MessagePump, content: TranscriptContent, lines: LineView) -> None:
        self._timers = timers
        self._content = content
        self._lines = lines
        self._next_flush = 0.0
        self._next_draw = 0.0
        self._flush_timer: Timer | None = None
        self._tick_timer: Timer | None = None

    def add(self, block: Block) -> int:
        """Put a block at the end and give its id; streamed text before it is closed."""
        with self._lines.growing():
            block_id = self._content.add(block)
        self.schedule(block)
        return block_id

    def replace(self, block_id: int, block: Block) -> None:
        """Show another block in the place of one."""
        self._content.replace(block_id, block)
        self.schedule(block)

    def append(self, kind: type[AnswerBlock] | type[Thinking], text: str) -> int:
        """Stream a piece of text; gives the id of its block."""
        block_id = self._content.append(kind, text)
        self.schedule()
        return block_id

    def close(self) -> None:
        """End the streamed block; the next piece of text opens a new one."""
        self._content.close()
        self.schedule()

    def flush(self) -> None:
        """Take in and draw all text that waits at once, however long it takes."""
        self._take_in(float("inf"))
        self._lines.sync()

    def schedule(self, block: Block | None = None) -> None:
        """Have the next flush come as soon as it may; `block` may show a time that passes."""
        if not self._timers.is_running:
            return  # The widget comes back here when it is mounted.
        if block is not None and block.ticks and self._tick_timer is None:
            self._tick_timer = self._timers.set_interval(TICK_S, self._tick)
        if self._flush_timer is None:
            delay = max(self._next_flush - time.monotonic(), 0.001)
            self._flush_timer = self._timers.set_timer(delay, self._flush)

    def _flush(self) -> None:
        self._flush_timer = None
        began = time.monotonic()
        self._take_in(SLICE_S)
        backlog = self._content.backlog
        if not backlog or began >= self._next_draw:
            self._lines.sync()
            self._next_draw = began + FLUSH_S
        now = time.monotonic()
        if backlog:
            self._next_flush = now + PAUSE_S
            self.schedule()
        else:
            # A costly tail (a large open table) is drawn less often rather than slowing the keys.
            pause = FLUSH_S if self._lines.following else FLUSH_AWAY_S
            self._next_flush = now + max(pause, 4 * (now - began))

    def _take_in(self, budget_s: float) -> None:
        with self._lines.growing():
            self._content.pump(budget_s)

    def _tick(self) -> None:
        if self._content.tick():
            self._lines.sync()
        elif self._tick_timer is not None:
            self._tick_timer.stop()
            self._tick_timer = None
