"""The blocks of a transcript and their lines, without a screen.

Streamed text waits in a buffer until `pump` takes it in, a portion at a time and never longer than
it is allowed to, so a flood of text can't hold up the keyboard.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby

from secretary_tui.sanitize import clean
from secretary_tui.widgets.transcript.line_index import IndexSection, LineIndex
from secretary_tui.widgets.transcript.markdown_stream import Piece, Splitter
from secretary_tui.widgets.transcript.transcript_blocks import (
    AnswerBlock,
    Block,
    Thinking,
    ToolCallBlock,
)
from secretary_tui.widgets.transcript.transcript_layout import (
    PORTION,
    fold_header,
    lay_out,
    splitter_for,
    text_part,
)
from secretary_tui.widgets.transcript.transcript_parts import BlockPart, EmptyPart


class TranscriptEntry:
    """A block in its place, with what the user made of it."""

    __slots__ = ("block", "gap", "unfolded")

    def __init__(self, block: Block, *, gap: bool, unfolded: bool) -> None:
        self.block = block
        self.gap = gap
        self.unfolded = unfolded


class _Stream:
    """The text that is still arriving: all of it, and how far it has been cut."""

    def __init__(self, owner: int, splitter: Splitter, tail: int) -> None:
        self.owner = owner
        self.splitter = splitter
        self.waiting: list[str] = []
        """As it came."""
        self.cleaned = ""
        """Waiting too, but safe to print already."""
        self.taken: list[str] = []
        self.breaks = 0
        self.frozen = 0
        """How many sections show text that can't change any more."""
        self.tail = tail
        """How many sections at the end show the open tail (or keep its place)."""

    @property
    def backlog(self) -> bool:
        """Whether text waits."""
        return bool(self.waiting or self.cleaned)

    def gap(self, entry: TranscriptEntry, piece: Piece) -> bool:
        """Whether a blank line comes before `piece`, the first of those just made."""
        if self.frozen:
            return piece.gap
        return entry.gap and not entry.block.foldable


class TranscriptContent:
    """Blocks by id, in order, and the index of their lines."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.index = LineIndex()
        self.unfold_new = False
        """Whether foldable blocks start unfolded."""
        self._clock = clock
        self._entries: dict[int, TranscriptEntry] = {}
        self._next_id = 1
        self._stream: _Stream | None = None

    def __getitem__(self, block_id: int) -> TranscriptEntry:
        """The entry of a block."""
        return self._entries[block_id]

    def __contains__(self, block_id: object) -> bool:
        return block_id in self._entries

    def __iter__(self) -> Iterator[int]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Remove everything; blocks are counted from the beginning again."""
        self._entries.clear()
        self._next_id = 1
        self._stream = None
        self.unfold_new = False
        self.index.splice(0, len(self.index.sections), [], 0)

    @property
    def backlog(self) -> bool:
        """Whether text waits to be taken in."""
        return self._stream is not None and self._stream.backlog

    def add(self, block: Block) -> int:
        """Put a block at the end (after closing streamed text) and give its id."""
        self.close()
        return self._add(block.cleaned())

    def replace(self, block_id: int, block: Block) -> None:
        """Show another block in the place of one; it keeps its fold."""
        if self._stream and self._stream.owner == block_id:
            self.close()
        entry = self._entries[block_id]
        entry.block = block.cleaned()
        self._lay_out(block_id)

    def append(self, kind: type[AnswerBlock] | type[Thinking], text: str) -> int:
        """Buffer streamed text; text of another kind than before opens a new block."""
        stream = self._stream
        if stream is None or type(self._entries[stream.owner].block) is not kind:
            self.close()
            block = kind("")
            tail = 0 if block.foldable else 1
            stream = self._stream = _Stream(self._add(block), splitter_for(block), tail)
        stream.waiting.append(text)
        return stream.owner

    def pump(self, budget_s: float) -> None:
        """Take in waiting text for at most about `budget_s` seconds."""
        stream = self._stream
        if stream is None or not stream.backlog:
            return
        text = stream.cleaned + clean("".join(stream.waiting))
        stream.waiting.clear()
        deadline = self._clock() + budget_s
        taken = 0
        while taken < len(text) and (not taken or self._clock() < deadline):
            self._take(stream, text[taken : taken + PORTION])
            taken += PORTION
        stream.cleaned = text[taken:]
        self._refresh_header(stream)

    def close(self) -> None:
        """End the streamed text: all of it is taken in and becomes an ordinary block."""
        stream = self._stream
        if stream is None:
            return
        self.pump(float("inf"))
        entry = self._entries[stream.owner]
        assert isinstance(entry.block, AnswerBlock | Thinking)
        entry.block = replace(entry.block, text="".join(stream.taken))
        self._stream = None

    def source(self, block_id: int) -> str:
        """The source text of a block, also of one that is still streaming."""
        stream = self._stream
        if stream and stream.owner == block_id:
            return "".join([*stream.taken, stream.cleaned, clean("".join(stream.waiting))])
        return self._entries[block_id].block.source

    def fold(self, block_id: int, *, unfolded: bool) -> None:
        """Fold or unfold a block; nothing happens to one that doesn't fold."""
        entry = self._entries[block_id]
        if not entry.block.foldable or entry.unfolded is unfolded:
            return
        entry.unfolded = unfolded
        stream = self._stream
        if stream and stream.owner == block_id:
            self._restart(stream)
        else:
            self._lay_out(block_id)

    def fold_all(self, *, unfolded: bool) -> None:
        """Fold or unfold every block, also those that come."""
        self.unfold_new = unfolded
        stream = self._stream
        sections: list[IndexSection] = []
        for owner, group in groupby(self.index.sections, key=lambda section: section.owner):
            entry = self._entries[owner]
            live = stream is not None and stream.owner == owner
            if live or not entry.block.foldable or entry.unfolded is unfolded:
                sections += group
            else:
                entry.unfolded = unfolded
                sections += [self.index.section(part, owner) for part in self._parts(entry)]
        self.index.rearrange(sections)
        if stream:
            self.fold(stream.owner, unfolded=unfolded)

    def tick(self) -> bool:
        """Draw anew what shows a passing time; gives whether there is any such block."""
        ticking = [key for key, entry in self._entries.items() if entry.block.ticks]
        for block_id in ticking:
            self._lay_out(block_id)
        return bool(ticking)

    def owner_at(self, line: int) -> int:
        """The block at a line, which must be below the index's total."""
        number, _ = self.index.locate(line)
        return self.index.sections[number].owner

    def first_line(self, block_id: int) -> int:
        """The line on which a block's text begins, after the blank line before it."""
        start, _ = self.index.span(block_id)
        return self.index.offset(start) + self.index.sections[start].part.gap

    def _add(self, block: Block) -> int:
        block_id = self._next_id
        self._next_id += 1
        previous = next(reversed(self._entries.values()), None)
        entry = TranscriptEntry(
            block,
            gap=previous is not None and not _belong_together(previous, block),
            unfolded=self.unfold_new,
        )
        self._entries[block_id] = entry
        end = len(self.index.sections)
        self.index.splice(end, end, self._parts(entry), block_id)
        return block_id

    def _lay_out(self, block_id: int) -> None:
        start, stop = self.index.span(block_id)
        self.index.splice(start, stop, self._parts(self._entries[block_id]), block_id)

    def _parts(self, entry: TranscriptEntry) -> list[BlockPart]:
        return lay_out(entry.block, unfolded=entry.unfolded, gap=entry.gap, now=self._clock()) or [
            EmptyPart()
        ]

    def _take(self, stream: _Stream, text: str) -> None:
        stream.taken.append(text)
        stream.breaks += text.count("\n")
        entry = self._entries[stream.owner]
        block = entry.block
        assert isinstance(block, AnswerBlock | Thinking)
        if block.foldable and not entry.unfolded:
            return
        pieces = stream.splitter.feed(text)
        parts = [
            text_part(block, piece, gap=piece.gap if number else stream.gap(entry, piece))
            for number, piece in enumerate([*pieces, *stream.splitter.tail()])
        ]
        if not parts and not stream.frozen and not block.foldable:
            parts.append(EmptyPart())
        end = len(self.index.sections)
        self.index.splice(end - stream.tail, end, parts, stream.owner)
        stream.tail = len(parts) - len(pieces)
        stream.frozen += len(pieces)

    def _refresh_header(self, stream: _Stream) -> None:
        entry = self._entries[stream.owner]
        block = entry.block
        assert isinstance(block, AnswerBlock | Thinking)
        lines = max(stream.breaks - _trailing_breaks(stream.taken) + 1, 1)
        header = fold_header(block, lines=lines, unfolded=entry.unfolded, gap=entry.gap)
        if header:
            start, _ = self.index.span(stream.owner)
            self.index.splice(start, start + 1, [header], stream.owner)

    def _restart(self, stream: _Stream) -> None:
        """Lay out streaming thoughts again after a fold."""
        block = self._entries[stream.owner].block
        assert isinstance(block, Thinking)
        text = "".join(stream.taken)
        fresh = _Stream(stream.owner, splitter_for(block), tail=0)
        fresh.waiting, fresh.cleaned = stream.waiting, stream.cleaned
        self._stream = fresh
        start, stop = self.index.span(stream.owner)
        self.index.splice(start + 1, stop, [], stream.owner)
        for at in range(0, len(text), PORTION):
            self._take(fresh, text[at : at + PORTION])
        self._refresh_header(fresh)


def _trailing_breaks(portions: list[str]) -> int:
    last = portions[-1] if portions else ""
    return len(last) - len(last.rstrip("\n"))


def _belong_together(before: TranscriptEntry, block: Block) -> bool:
    """One-line blocks that follow each other stand without blank lines between them."""
    one_line = (ToolCallBlock, Thinking)
    return isinstance(before.block, one_line) and isinstance(block, one_line)
