"""How high the blocks are, and how the reading place stays while heights above it change."""

from __future__ import annotations

import time
from collections.abc import Callable

from secretary_tui.widgets.transcript.line_index import IndexSection, LineIndex


class LineHeights:
    """Measures sections where it matters and remembers the place the user reads at."""

    def __init__(self, index: LineIndex, clock: Callable[[], float] = time.monotonic) -> None:
        self._index = index
        self._clock = clock
        self._held: tuple[IndexSection, int] | None = None
        self._settled: dict[IndexSection, int] = {}

    def hold(self, top: int) -> None:
        """Remember the line at the top of the screen by what it shows."""
        index = self._index
        if top < index.total:
            number, line = index.locate(top)
            self._held = (index.sections[number], line)
        else:
            self._held = None

    def top(self) -> int:
        """The line on which what was held is now; the first line of its block if it is gone."""
        if self._held is None:
            return 0
        section, line = self._held
        index = self._index
        try:
            number = index.sections.index(section)
        except ValueError:
            try:
                number, line = index.span(section.owner)[0], 0
            except KeyError:
                return 0
        return index.offset(number) + min(line, max(index.sections[number].height - 1, 0))

    def fill(self, top: int, height: int) -> None:
        """Make the heights of all sections exact that show between `top` and `top + height`."""
        index = self._index
        if top >= index.total:
            return
        number, line = index.locate(top)
        filled = -line
        while filled < height and number < len(index.sections):
            filled += index.measure(number)
            number += 1

    def fill_end(self, height: int) -> None:
        """The same for the last `height` lines."""
        index = self._index
        number = len(index.sections)
        filled = 0
        while filled < height and number:
            number -= 1
            filled += index.measure(number)

    def settle(self, near: int, budget_s: float) -> bool:
        """Measure what is off the screen, nearest first; gives whether all is measured.

        The heights take effect with `commit`, all at once, so that the screen moves once.
        """
        index = self._index
        deadline = self._clock() + budget_s
        number = index.locate(near)[0] if near < index.total else len(index.sections)
        for candidate in index.unmeasured(number):
            section = index.sections[candidate]
            if section in self._settled:
                continue
            if self._clock() > deadline:
                return False
            self._settled[section] = index.height_of(section)
        return True

    def commit(self) -> None:
        """Let the heights found by `settle` take effect."""
        self._index.commit(self._settled)
        self._settled = {}

    def reset(self) -> None:
        """Forget heights that were found for another width."""
        self._settled = {}
