"""A text area in which a long paste is one thing: shown as a short label, and sent whole.

The document of Textual's text area holds labels such as `[Pasted text #1 +60 lines]`; `text` is
what they stand for. So keys stay quick whatever was pasted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from textual import events
from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit
from textual.geometry import Offset
from textual.widgets import TextArea

from secretary_tui.sanitize import clean

FOLD_LINES, FOLD_CHARACTERS = 10, 800
"""A paste is folded when it has more of either."""
LONG_LINES, LONG_CHARACTERS = 100, 8_000
"""So is any other text put into the box; one that somebody typed rather stays as it is."""
UNFOLD_CHARACTERS = 20_000
"""More is not unfolded in the box, where each key would be slow; the editor takes it."""
_LABEL = re.compile(r"\[Pasted text #\d+ \+[\d,]+ (?:lines|characters)\]")


class PastedTexts:
    """The labels of one box, and what each stands for; none is forgotten, so undo works."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._texts)

    def fold(self, text: str) -> str:
        """The label of a text; the same text keeps its own."""
        for label, known in self._texts.items():
            if known == text:
                return label
        lines = text.rstrip("\n").count("\n") + 1
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        label = f"[Pasted text #{len(self._texts) + 1} +{size}]"
        self._texts[label] = text
        return label

    def unfold(self, shown: str) -> str:
        """A text with all that its labels stand for."""
        if not self._texts:
            return shown
        return _LABEL.sub(lambda found: self._texts.get(found[0], found[0]), shown)

    def refold(self, text: str) -> str:
        """A text in which what was folded before is folded again."""
        longest_first = sorted(self._texts.items(), key=lambda item: -len(item[1]))
        for label, known in longest_first:
            text = text.replace(known, label)
        return text

    def shorten(self, text: str, *, pasted: bool = False) -> str:
        """A text as the box shows it; what was `pasted` is folded sooner than what was not."""
        if self._spans(text):
            return self.fold(text)  # A label from elsewhere would stand for something here.
        shown = self.refold(text)
        lines, characters = (
            (FOLD_LINES, FOLD_CHARACTERS) if pasted else (LONG_LINES, LONG_CHARACTERS)
        )
        if len(shown) > characters or shown.count("\n") >= lines:
            return self.fold(text)
        return shown

    def edge(self, line: str, column: int, *, forward: bool) -> int:
        """The column, or the end or the beginning of the label that it lies in."""
        for begin, end in self._spans(line):
            if begin < column < end:
                return end if forward else begin
        return column

    def keep(self, old: str, new: str) -> str:
        """A text that is to stand in the place of one, whose labels keep their letters."""
        if len(old) == len(new) and old.lower() == new.lower():
            for start, end in self._spans(old):
                new = new[:start] + old[start:end] + new[end:]
        return new

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where the labels in a text begin and end."""
        return [found.span() for found in _LABEL.finditer(text) if found[0] in self._texts]


class FoldingArea(TextArea):
    """Keeps labels whole: the cursor steps over them, and what deletes a part deletes all."""

    def __init__(self, *, id: str | None = None, placeholder: str = "") -> None:
        self.pasted = PastedTexts()
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            highlight_cursor_line=False,
            compact=True,
            placeholder=placeholder,
            max_checkpoints=1_000,
        )
        self.offer_paste: Callable[[str], bool] = lambda text: False
        """Asked first; True when the pasted text was used elsewhere."""
        self.taken = ""
        """What the last edit took away, with labels as they stood there."""

    @property
    def text(self) -> str:
        """All of it, pasted texts included."""
        return self.pasted.unfold(self.document.text)

    @text.setter
    def text(self, value: str) -> None:
        self.load_text(value)

    @property
    def shown(self) -> str:
        """What stands in the box, with labels."""
        return self.document.text

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor, unless an undo has just taken its line away.

        Textual asks for this when that hides the scroll bar, before it has put the cursor back.
        """
        if self.cursor_location[0] >= self.document.line_count:
            return Offset()
        return super().scroll_cursor_visible(center, animate)

    def watch_cursor_blink(self) -> None:
        """Draw anew: to Textual's cache a still cursor is the same as one that has blinked away."""
        self._line_cache.clear()
        self.refresh()

    def edit(self, edit: Edit) -> EditResult:
        """Edit the document; a label that would be cut is taken as a whole."""
        start, end = edit.top, edit.bottom
        if self.pasted and start != end:
            wide = (self._outside(start, forward=False), self._outside(end, forward=True))
            if wide != (start, end):
                edit = Edit(edit.text, *wide, edit.maintain_selection_offset)
        result = super().edit(edit)
        self.taken = result.replaced_text
        return result

    def _validate_selection(self, selection: Selection) -> Selection:
        """Keep the cursor out of labels: it steps over them in the direction it moves."""
        start, end = super()._validate_selection(selection)
        if not self.pasted:
            return Selection(start, end)
        moved = self._outside(end, forward=end > self.selection.end)
        anchor = moved if start == end else self._outside(start, forward=start > end)
        return Selection(anchor, moved)

    def _outside(self, location: Location, *, forward: bool) -> Location:
        row, column = location
        if row >= self.document.line_count:
            return location
        return row, self.pasted.edge(self.document[row], column, forward=forward)

    async def _on_paste(self, event: events.Paste) -> None:
        """Take a paste whole; the same once more, right behind its label, unfolds it."""
        event.prevent_default()
        event.stop()
        self.take_paste(event.text)

    def action_paste(self) -> None:
        """Ctrl+V: what was copied here, taken like any other paste."""
        self.take_paste(self.app.clipboard)

    def take_paste(self, pasted: str) -> None:
        """Put a pasted text at the cursor, folded if it is long."""
        text = clean(pasted.replace("\r\n", "\n").replace("\r", "\n"))
        if self.offer_paste(text) or not text:
            return
        label = self.pasted.shorten(text, pasted=True)
        row, column = self.cursor_location
        begin = column - len(label)
        repeated = label != text and begin >= 0 and self.document[row][begin:column] == label
        if repeated and len(text) <= UNFOLD_CHARACTERS and self.selection.is_empty:
            result = self.replace(text, (row, begin), (row, column))
        else:
            result = self.replace(label, *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)
        self.focus()

    # ------------------------------------------------------- places by number

    def offset_of(self, location: Location) -> int:
        """How many characters of `shown` stand before a place."""
        row, column = location
        return sum(len(self.document[above]) + 1 for above in range(row)) + column

    def location_of(self, offset: int) -> Location:
        """The place before which that many characters of `shown` stand."""
        lengths = [len(line) + 1 for line in self.document.lines]
        starts = [0, *accumulate(lengths)]
        row = min(bisect_right(starts, offset), len(lengths)) - 1
        return row, min(offset - starts[row], lengths[row] - 1)

    def exchange(self, start: int, end: int, text: str) -> str:
        """Put a text between two offsets; gives what was taken away, a label that was cut whole."""
        begin, stop = self.location_of(start), self.location_of(end)
        old = self.get_text_range(begin, stop)
        new = self.pasted.keep(old, text)
        if new == old:
            return ""  # A label would go for nothing.
        self.history.checkpoint()
        self.replace(new, begin, stop, maintain_selection_offset=False)
        return self.taken
