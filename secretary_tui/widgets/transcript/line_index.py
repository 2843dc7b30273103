"""Which part stands on which line: heights, offsets and a bounded cache of rendered parts.

A part's height is a guess until it has been rendered at the current width; guesses are replaced
where the user looks at once and elsewhere when there is time. So a new width costs almost nothing,
however long the transcript.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.transcript_palette import Palette
from secretary_tui.widgets.transcript.transcript_parts import BlockPart, height_of

CACHE_LINES = 2_000
"""Rendered lines that are kept; about ten screens in both directions."""


class IndexSection:
    """A part in its place."""

    __slots__ = ("height", "measured", "owner", "part")

    def __init__(self, part: BlockPart, owner: int) -> None:
        self.part = part
        self.owner = owner
        """Id of the block that it belongs to."""
        self.height = 1
        self.measured = False
        """Whether `height` is exact at the current width."""


class LineIndex:
    """A list of sections that can be asked by line."""

    def __init__(self) -> None:
        self.sections: list[IndexSection] = []
        self.width = 80
        self.palette = Palette()
        self._offsets = [0]
        self._cache: OrderedDict[IndexSection, list[Line]] = OrderedDict()
        self._cached_lines = 0
        self._guesses = 0

    @property
    def total(self) -> int:
        """Lines in all."""
        return self.offset(len(self.sections))

    @property
    def settled(self) -> bool:
        """Whether every height is exact."""
        return not self._guesses

    def configure(self, width: int, palette: Palette) -> bool:
        """Set what to render for; gives whether anything changed."""
        if (width, palette) == (self.width, self.palette):
            return False
        self._forget_all()
        self.palette = palette
        if width != self.width:
            self.width = width
            for section in self.sections:
                self._guess(section)
            self._offsets = [0]
            self._guesses = len(self.sections)
        return True

    def splice(self, start: int, stop: int, parts: Iterable[BlockPart], owner: int) -> None:
        """Put parts in the place of the sections from `start` to before `stop`."""
        new = [self.section(part, owner) for part in parts]
        self._guesses += len(new)
        for section in self.sections[start:stop]:
            self._forget(section)
            self._guesses -= not section.measured
        self.sections[start:stop] = new
        del self._offsets[start + 1 :]

    def section(self, part: BlockPart, owner: int) -> IndexSection:
        """Make a section with a guessed height, for `rearrange`."""
        section = IndexSection(part, owner)
        self._guess(section)
        return section

    def rearrange(self, sections: list[IndexSection]) -> None:
        """Take a whole new list of sections, old ones among them."""
        self.sections = sections
        self._offsets = [0]
        self._guesses = sum(not section.measured for section in sections)

    def span(self, owner: int) -> tuple[int, int]:
        """Find the sections of a block, `start` to before `stop`; searches from the end.

        Raises:
            KeyError: it has none.
        """
        sections = self.sections
        stop = len(sections)
        while stop and sections[stop - 1].owner != owner:
            stop -= 1
        if not stop:
            raise KeyError(owner)
        start = stop - 1
        while start and sections[start - 1].owner == owner:
            start -= 1
        return start, stop

    def offset(self, number: int) -> int:
        """The line on which section `number` begins."""
        offsets = self._offsets
        line = offsets[-1]
        for index in range(len(offsets) - 1, number):
            line += self.sections[index].height
            offsets.append(line)
        return offsets[number]

    def locate(self, line: int) -> tuple[int, int]:
        """Find the section at a line and the line within it. `line` must be below `total`."""
        self.offset(len(self.sections))
        number = bisect_right(self._offsets, line) - 1
        return number, line - self._offsets[number]

    def lines(self, number: int) -> Sequence[Line]:
        """Give the lines of a section as rendered, which makes its height exact."""
        section = self.sections[number]
        lines = self._cache.get(section)
        if lines is not None:
            self._cache.move_to_end(section)
            return lines
        lines = self.render(section)
        self.set_height(number, len(lines))
        self._cache[section] = lines
        self._cached_lines += len(lines)
        while self._cached_lines > CACHE_LINES and len(self._cache) > 1:
            _, dropped = self._cache.popitem(last=False)
            self._cached_lines -= len(dropped)
        return lines

    def measure(self, number: int) -> int:
        """Make the height of a section exact and give it."""
        section = self.sections[number]
        return section.height if section.measured else len(self.lines(number))

    def render(self, section: IndexSection) -> list[Line]:
        """Render a section without keeping the result."""
        lines = section.part.lines(self.width, self.palette)
        return [[], *lines] if section.part.gap else lines

    def peek(self, section: IndexSection) -> Sequence[Line]:
        """Give the lines of a section and change nothing, so that nothing on the screen moves."""
        lines = self._cache.get(section)
        return self.render(section) if lines is None else lines

    def height_of(self, section: IndexSection) -> int:
        """Find out how many lines a section has; nothing is kept."""
        return height_of(section.part, self.width, self.palette) + section.part.gap

    def set_height(self, number: int, height: int) -> None:
        """Note the exact height of a section."""
        section = self.sections[number]
        self._guesses -= not section.measured
        section.measured = True
        if section.height != height:
            section.height = height
            del self._offsets[number + 1 :]

    def commit(self, heights: Mapping[IndexSection, int]) -> None:
        """Note exact heights of sections that had none; those that are gone don't matter."""
        for section in self.sections:
            if not section.measured and section in heights:
                section.height = heights[section]
                section.measured = True
        self._offsets = [0]
        self._guesses = sum(not section.measured for section in self.sections)

    def unmeasured(self, near: int) -> Iterator[int]:
        """The sections whose height is a guess, those nearest to section `near` first."""
        left = self._guesses
        for distance in range(len(self.sections)):
            if not left:
                return
            for number in (near + distance, near - 1 - distance):
                if 0 <= number < len(self.sections) and not self.sections[number].measured:
                    left -= 1
                    yield number

    def _guess(self, section: IndexSection) -> None:
        section.height = section.part.estimate(self.width) + section.part.gap
        section.measured = False

    def _forget(self, section: IndexSection) -> None:
        self._cached_lines -= len(self._cache.pop(section, ()))

    def _forget_all(self) -> None:
        self._cache.clear()
        self._cached_lines = 0
