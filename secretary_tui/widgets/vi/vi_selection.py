"""What visual mode selects: characters or whole lines between two places."""

from __future__ import annotations

from dataclasses import dataclass

from secretary_tui.widgets.vi.vi_changes import ViChange
from secretary_tui.widgets.vi.vi_motions import MOTIONS, line_end, line_start


@dataclass(frozen=True, slots=True)
class Selected:
    """A selection, from where it began to where the cursor is; both characters belong to it."""

    anchor: int
    head: int
    lines: bool = False
    """Whether it is whole lines."""

    def span(self, text: str) -> tuple[int, int]:
        """Its first character and the one after its last; of lines without the last newline."""
        start, end = sorted((min(self.anchor, len(text)), min(self.head, len(text))))
        if self.lines:
            return line_start(text, start), line_end(text, end)
        return start, min(end + 1, len(text))

    def shown(self, text: str) -> ViChange:
        """The change of no text that shows it; the character under the cursor is marked by that."""
        start, end = self.span(text)
        if self.lines:
            forward = self.head >= self.anchor
            return ViChange(end if forward else start, anchor=start if forward else end)
        if self.head >= self.anchor:
            return ViChange(min(self.head, len(text)), anchor=start)
        return ViChange(start, anchor=end)

    def extent(self, text: str) -> Extent:
        """How much it is, wherever it stands."""
        start, end = self.span(text)
        return Extent(end - start, text.count("\n", start, end), self.lines)


@dataclass(frozen=True, slots=True)
class Extent:
    """How much was selected, for `.` to take as much again from elsewhere."""

    characters: int
    line_breaks: int
    lines: bool

    def begin_at(self, text: str, at: int) -> Selected:
        """As much from a place on, as far as there is."""
        if self.lines:
            below = MOTIONS["j"].target(text, at, self.line_breaks)
            return Selected(at, at if below is None else below, lines=True)
        return Selected(at, at + max(self.characters - 1, 0))
