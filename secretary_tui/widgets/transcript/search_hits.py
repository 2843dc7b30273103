"""Where a searched text stands in a transcript, and how many places there are.

Nothing is indexed. A search looks at the sources of the parts from where the user reads on and
renders only those that may hold the text, so it costs little however long the session is. Counting
needs all of them, so it goes on in slices, and looks at each part once while it stays as it is.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.line_index import IndexSection
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent
from secretary_tui.widgets.transcript.transcript_parts import source_of

_MARKS = str.maketrans("", "", "*_`~[]\\")
"""Characters of Markdown that are not shown, or not always."""


@dataclass(frozen=True, slots=True)
class Needle:
    """What is searched: in any case, or as it is written when it has a capital letter."""

    text: str

    def spans(self, line: str) -> Iterator[tuple[int, int]]:
        """The places in a line, as first character and the one after the last."""
        if not self.text:
            return
        line = line if self._exact else line.lower()
        text = self.text if self._exact else self.text.lower()
        at = line.find(text)
        while at >= 0:
            yield at, at + len(text)
            at = line.find(text, at + len(text))

    def may_be_in(self, source: str) -> bool:
        """Whether a source can show the text; it may say yes where the lines show otherwise."""
        return next(Needle(_bare(self.text)).spans(_bare(source)), None) is not None

    @property
    def _exact(self) -> bool:
        return self.text != self.text.lower()


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A line in which the text stands."""

    owner: int
    """The block."""
    section: int
    """Number of the section in the index."""
    line: int
    """Line within the section."""
    inside: bool = False
    """Whether it is in the folded part of the block, whose first line this is."""


def hits(content: TranscriptContent, needle: Needle, start: int, step: int) -> Iterator[SearchHit]:
    """Give the lines that hold the text, one by one, from after a line on and once around.

    Args:
        content: The transcript.
        needle: What to look for.
        start: The line to begin after (or before); -1 is before the first.
        step: 1 forward, -1 backward.
    """
    index = content.index
    count = len(index.sections)
    if not count or not needle.text:
        return
    first, line = 0, -1
    if start >= index.total:
        first, line = count - 1, index.sections[-1].height
    elif start >= 0:
        first, line = index.locate(start)
    for distance in range(count + 1):
        number = (first + step * distance) % count
        found = list(_in_section(content, needle, number, partial(index.lines, number)))
        if distance == 0:
            found = [hit for hit in found if (hit.line - line) * step > 0]
        elif distance == count:  # What was left out at first, when nothing else was found.
            found = [hit for hit in found if (hit.line - line) * step <= 0]
        yield from found[::step]


class HitCount:
    """How many lines hold a text, found out in slices; parts that stay are looked at once."""

    def __init__(self, needle: Needle, clock: Callable[[], float] = time.monotonic) -> None:
        self._needle = needle
        self._clock = clock
        self._width = 0
        self._lines: dict[IndexSection, list[int]] = {}
        """By section: its lines that hold the text."""
        self.total: int | None = None
        """All places, None while they are being counted."""

    def go_on(self, content: TranscriptContent, budget_s: float) -> bool:
        """Count on for at most about `budget_s` seconds; whether all is counted."""
        index = content.index
        if self._width != index.width:
            self._width, self._lines = index.width, {}
        deadline = self._clock() + budget_s
        self.total = None
        total, looked_at = 0, 0
        for number, section in enumerate(index.sections):
            if section not in self._lines:
                if looked_at and self._clock() > deadline:
                    return False
                looked_at += 1
                self._lines[section] = [hit.line for hit in self._hits_of(content, number, section)]
            total += len(self._lines[section])
        self.total = total
        if len(self._lines) > 2 * len(index.sections):  # Most were of a text that was streaming.
            self._lines = {section: self._lines[section] for section in index.sections}
        return True

    def number_of(self, content: TranscriptContent, section: IndexSection, line: int) -> int:
        """Which place a line of a section is, from 1 on; all before it must have been counted."""
        before = 0
        for other in content.index.sections:
            lines = self._lines.get(other, [])
            if other is section:
                return before + bisect_left(lines, line) + 1
            before += len(lines)
        return before

    def _hits_of(
        self, content: TranscriptContent, number: int, section: IndexSection
    ) -> Iterator[SearchHit]:
        return _in_section(content, self._needle, number, partial(content.index.peek, section))


def _in_section(
    content: TranscriptContent,
    needle: Needle,
    number: int,
    rendered: Callable[[], Sequence[Line]],
) -> Iterator[SearchHit]:
    """The lines of a section that hold the text; rendered only if they may."""
    section = content.index.sections[number]
    entry = content[section.owner]
    folded = entry.block.foldable and not entry.unfolded
    if folded and needle.may_be_in(content.source(section.owner)):
        yield SearchHit(section.owner, number, section.part.gap, inside=True)
        return
    if not needle.may_be_in(source_of(section.part)):
        return
    lines = rendered()
    found = [
        at
        for at, line in enumerate(lines)
        if next(needle.spans("".join(segment.text for segment in line)), None)
    ]
    for at in found or _where_it_wraps(lines, needle):
        yield SearchHit(section.owner, number, at)


def _where_it_wraps(lines: Sequence[Line], needle: Needle) -> Iterator[int]:
    """The line on which a text begins that goes on in the next."""
    texts = ["".join(segment.text for segment in line).strip() for line in lines]
    for at, (text, after) in enumerate(pairwise(texts)):
        if next(needle.spans(f"{text} {after}"), None):
            yield at


def _bare(text: str) -> str:
    return " ".join(text.translate(_MARKS).split())
