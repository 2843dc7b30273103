"""Search in the transcript: `/` and a text, then n and N, as pagers do it.

Nothing is indexed. A search looks at the sources of the parts from where the user reads on and
renders only those that may hold the text, so it costs little however long the session is. A hit
inside a folded block unfolds it, once Enter says that it is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from textual import events

from secretary_tui.sanitize import clean_line
from secretary_tui.widgets.code_lines import Line
from secretary_tui.widgets.line_selection import restyle
from secretary_tui.widgets.line_view import LineView
from secretary_tui.widgets.transcript_content import TranscriptContent
from secretary_tui.widgets.transcript_parts import source_of

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
class Hit:
    """A place where the text stands."""

    owner: int
    """The block."""
    section: int
    """Number of the section in the index."""
    line: int
    """Line within the section."""
    inside: bool = False
    """Whether it is in the folded part of the block, whose first line this is."""


def hits(content: TranscriptContent, needle: Needle, start: int, step: int) -> Iterator[Hit]:
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
        found = list(_in_section(content, needle, number))
        if distance == 0:
            found = [hit for hit in found if (hit.line - line) * step > 0]
        elif distance == count:  # What was left out at first, when nothing else was found.
            found = [hit for hit in found if (hit.line - line) * step <= 0]
        yield from found[::step]


class SearchView(LineView):
    """A line view with a search prompt on its last row."""

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.content = TranscriptContent()
        self.needle = Needle("")
        """What is marked on the screen."""
        self._typing = False
        self._failed = False
        self._anchor = 0
        self._before = (0, True)
        """Where the user read when the search began, and whether the end was followed."""
        self._hit_line = -1

    @property
    def prompt(self) -> str:
        """What the last row says on its left while a search goes on, else empty."""
        if self._typing:
            return f" /{self.needle.text}▏ " + ("not found " if self._failed else "")
        if self.needle.text and self._failed:
            return f" {self.needle.text}: not found · Esc "
        return f" {self.needle.text} · n N · Esc " if self.needle.text else ""

    def action_search(self) -> None:
        """Ask what to search."""
        self._typing = True
        self._before = (self.scroll_offset.y, self.following)
        self._anchor = self.scroll_offset.y - 1
        self._look_for("")

    def action_next_hit(self, step: int) -> None:
        """Go to the next or the previous place where the text stands."""
        if not self.needle.text:
            self.action_search()
            return
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        shown = top <= self._hit_line < top + height
        edge = top - 1 if step > 0 else top + height
        self._go(self._hit_line if shown else edge, step)

    def clear_search(self) -> None:
        """Mark nothing any more."""
        self._typing = self._failed = False
        self._hit_line = -1
        self._look_for("")

    def on_key(self, event: events.Key) -> None:
        """Take what is typed into the prompt; Esc ends the search."""
        if not self._typing:
            ends = event.key == "escape" and bool(self.needle.text)
            # Not by its binding: that acts when the key has bubbled up, after what came since.
            if ends or event.key == "slash":
                event.stop()
                event.prevent_default()
                self.clear_search() if ends else self.action_search()
            return
        text = self.needle.text
        if event.is_printable and event.character:
            self._look_for(text + event.character)
        elif event.key == "backspace" and text:
            self._look_for(text[:-1])
        elif event.key == "ctrl+u":
            self._look_for("")
        elif event.key in ("escape", "backspace"):
            self._give_up()
        elif event.key == "enter":
            self._typing = False
            if text:
                self._go(self._anchor, 1)
            self.refresh()
        elif event.key in ("tab", "shift+tab"):
            self._typing = False
            return
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Paste into the prompt."""
        if self._typing:
            event.stop()
            self._look_for(self.needle.text + clean_line(event.text))

    def on_blur(self) -> None:
        """Keep what was found, stop asking."""
        self._typing = False
        self.refresh()

    def decorated_line(self, line_number: int) -> Line:
        """Mark what was searched."""
        return self.marked(super().decorated_line(line_number))

    def marked(self, line: Line) -> Line:
        """Put the mark over what was searched in a line."""
        if self.needle.text and line:
            for start, end in self.needle.spans("".join(segment.text for segment in line)):
                line = restyle(line, start, end, self.palette.found)
        return line

    def found(self, owner: int) -> None:
        """A hit in this block is shown now."""

    def _look_for(self, text: str) -> None:
        self.needle = Needle(text)
        self._failed = False
        if self._typing and text:
            self._go(self._anchor, 1)
        self.refresh()

    def _give_up(self) -> None:
        top, following = self._before
        self.clear_search()
        if following:
            self.action_follow()
        else:
            self.scroll_to(y=top, animate=False)

    def _go(self, start: int, step: int) -> None:
        hit = next(hits(self.content, self.needle, start, step), None)
        if hit is not None and hit.inside and not self._typing:
            self.content.fold(hit.owner, unfolded=True)
            above = self.content.first_line(hit.owner)
            inner = hits(self.content, self.needle, above, 1)
            hit = next((one for one in inner if one.owner == hit.owner), hit)
        self._failed = hit is None
        if hit is not None:
            self._hit_line = self.index.offset(hit.section) + hit.line
            height = self.scrollable_content_region.height
            top = self.scroll_offset.y
            if not top <= self._hit_line < top + height - 1:
                top = max(self._hit_line - height // 3, 0)
            self.following = False
            self.sync(keep=lambda: top)
            self._hit_line = self.index.offset(hit.section) + hit.line
            self.found(hit.owner)
        self.refresh()


def _in_section(content: TranscriptContent, needle: Needle, number: int) -> Iterator[Hit]:
    section = content.index.sections[number]
    entry = content[section.owner]
    folded = entry.block.foldable and not entry.unfolded
    if folded and needle.may_be_in(content.source(section.owner)):
        yield Hit(section.owner, number, section.part.gap, inside=True)
        return
    if not needle.may_be_in(source_of(section.part)):
        return
    lines = content.index.lines(number)
    found = [
        at
        for at, line in enumerate(lines)
        if next(needle.spans("".join(segment.text for segment in line)), None)
    ]
    for at in found or _where_it_wraps(lines, needle):
        yield Hit(section.owner, number, at)


def _where_it_wraps(lines: Sequence[Line], needle: Needle) -> Iterator[int]:
    """The line on which a text begins that goes on in the next."""
    texts = ["".join(segment.text for segment in line).strip() for line in lines]
    for at, (text, after) in enumerate(pairwise(texts)):
        if next(needle.spans(f"{text} {after}"), None):
            yield at


def _bare(text: str) -> str:
    return " ".join(text.translate(_MARKS).split())
