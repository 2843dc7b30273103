"""Search in the transcript: `/` and a text, then n and N, as pagers do it.

A hit inside a folded block unfolds it, once Enter says that it is meant. The last row says which
place it is of how many, also while more text arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rich.style import Style
from textual import events
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from secretary_tui.sanitize import clean_line
from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.line_index import IndexSection
from secretary_tui.widgets.transcript.line_selection import restyle
from secretary_tui.widgets.transcript.line_view import SETTLE_S, SLICE_S, LineView
from secretary_tui.widgets.transcript.search_hits import HitCount, Needle, SearchHit, hits
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent

_HERE = Style(bold=True, underline=True)
"""Added to the mark of the place that n and N led to."""


class TranscriptSearch:
    """What is searched, the place that was led to last, and the prompt on the last row.

    Args:
        widget: Gets the messages, and has the timer of the count.
        content: What is searched.
        lines: Where the places are shown and marked.
        found: Called with the block that a search led to.
    """

    class Asked(Message):
        """What is searched is being typed, or no longer: other keys work now."""

    def __init__(
        self,
        widget: Widget,
        content: TranscriptContent,
        lines: LineView,
        found: Callable[[int], None],
    ) -> None:
        self._widget = widget
        self._content = content
        self._index = content.index
        self._lines = lines
        self._found = found
        self.needle = Needle("")
        """What is marked on the screen."""
        self.is_typing = False
        """Whether keys are the text that is searched."""
        self._anchor = 0
        self._before = (0, True)
        """Where the user read when the search began, and whether the end was followed."""
        self.hit_line = -1
        """The line of the place that was led to last; -1 before the first."""
        self._hit: tuple[IndexSection, int] | None = None
        """The same place: its section, and the line within it."""
        self._around: Literal["", "top", "end"] = ""
        """Where the search went on when it came to the last place, or the first."""
        self._count = HitCount(self.needle)
        self._counting: Timer | None = None

    @property
    def prompt(self) -> str:
        """What the last row says on its left while a search goes on, else empty."""
        text, which = self.needle.text, self._which
        if self.is_typing:
            return f" /{text}▏ {which} ".replace("  ", " ")
        return f" {text}: {which} · n N · Esc " if text else ""

    @property
    def rows_below(self) -> int:
        """A row for the prompt, where it would cover the very place that was found."""
        return int(bool(self.prompt) and self.hit_line == self._index.total - 1)

    @property
    def _which(self) -> str:
        """Which place of how many this is."""
        total = self._count.total
        if not self.needle.text:
            return ""
        if total is None:
            return "counting"
        if not total:
            return "no match"
        if self._hit is None:
            return f"{total} match" + ("es" if total != 1 else "")
        number = self._count.number_of(self._content, *self._hit)
        around = f", from the {self._around} again" if self._around and total > 1 else ""
        return f"{min(number, total)} of {total}{around}"

    def begin(self) -> None:
        """Ask what to search."""
        self._ask(True)
        self._before = (self._lines.top, self._lines.following)
        self._anchor = self._lines.top - 1
        self._look_for("")

    def next(self, step: int) -> None:
        """Go to the next or the previous place where the text stands."""
        if not self.needle.text:
            self.begin()
            return
        top, height = self._lines.top, self._lines.height
        self._find_hit_again()
        shown = top <= self.hit_line < top + height
        edge = top - 1 if step > 0 else top + height
        self._go(self.hit_line if shown else edge, step)

    def clear(self) -> None:
        """Mark nothing any more; at the end it is followed again."""
        if self.needle.text and self._lines.at_end:
            self._lines.following = True
        self._ask(False)
        self._look_for("")

    def leave(self) -> None:
        """Keep what was found, stop asking."""
        self._ask(False)
        self._lines.sync()

    def take_key(self, event: events.Key) -> None:
        """Take what is typed into the prompt; Esc ends the search."""
        if not self.is_typing:
            ends = event.key == "escape" and bool(self.needle.text)
            # Not by its binding: that acts when the key has bubbled up, after what came since.
            if ends or event.key == "slash":
                event.stop()
                event.prevent_default()
                self.clear() if ends else self.begin()
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
            self._ask(False)
            if text:
                self._go(self._anchor, 1)
            self._widget.refresh()
        elif event.key in ("tab", "shift+tab"):
            self._ask(False)
            return
        event.stop()
        event.prevent_default()

    def take_paste(self, event: events.Paste) -> None:
        """Paste into the prompt, if there is one."""
        if self.is_typing:
            event.stop()
            self._look_for(self.needle.text + clean_line(event.text))

    def renew(self) -> None:
        """Follow the place and the count to what has arrived."""
        self._find_hit_again()
        self._go_on_counting()

    def mark(self, line: Line, line_number: int) -> Line:
        """Put the mark over what was searched in a line."""
        if self.needle.text and line:
            style = self._lines.palette.found
            if self._is_hit(line_number):
                style += _HERE
            for start, end in self.needle.spans("".join(segment.text for segment in line)):
                line = restyle(line, start, end, style)
        return line

    def _ask(self, typing: bool) -> None:
        if self.is_typing != typing:
            self.is_typing = typing
            self._widget.post_message(self.Asked())

    def _look_for(self, text: str) -> None:
        self.needle = Needle(text)
        self._count = HitCount(self.needle)
        self._hit, self.hit_line, self._around = None, -1, ""
        if self.is_typing and text:
            self._go(self._anchor, 1)
        self._lines.sync()
        self._widget.refresh()

    def _go_on_counting(self) -> None:
        """Count the places for a moment, and go on soon if that was not enough."""
        if self._counting is not None:
            self._counting.stop()
            self._counting = None
        if not self.needle.text or not self._widget.is_mounted:
            return
        if not self._count.go_on(self._content, SLICE_S):
            self._counting = self._widget.set_timer(SETTLE_S, self._go_on_later)

    def _go_on_later(self) -> None:
        self._go_on_counting()
        self._lines.draw_last_row()

    def _is_hit(self, line_number: int) -> bool:
        if self._hit is None or not 0 <= line_number < self._index.total:
            return False
        number, line = self._index.locate(line_number)
        section, hit_line = self._hit
        return self._index.sections[number] is section and line == hit_line

    def _find_hit_again(self) -> None:
        """Follow the place to where it stands now: heights change, and parts of an open block."""
        if self._hit is None:
            return
        section, line = self._hit
        sections = self._index.sections
        if section in sections:
            self.hit_line = self._index.offset(sections.index(section)) + line
        elif self.hit_line < self._index.total:
            number, line = self._index.locate(self.hit_line)
            self._hit = (sections[number], line)
        else:
            self._hit, self.hit_line = None, -1

    def _give_up(self) -> None:
        top, following = self._before
        self.clear()
        if following:
            self._lines.follow()
        else:
            self._lines.scroll_to(top)

    def _go(self, start: int, step: int) -> None:
        hit = next(hits(self._content, self.needle, start, step), None)
        if hit is not None and hit.inside and not self.is_typing:
            self._content.fold(hit.owner, unfolded=True)
            above = self._content.first_line(hit.owner)
            inner = hits(self._content, self.needle, above, 1)
            hit = next((one for one in inner if one.owner == hit.owner), hit)
        self._hit = None
        if hit is not None:
            self._lead_to(hit)
            wrapped = (self.hit_line - start) * step <= 0
            self._around = ("top" if step > 0 else "end") if wrapped else ""
        self._go_on_counting()
        self._widget.refresh()

    def _lead_to(self, hit: SearchHit) -> None:
        self._hit = (self._index.sections[hit.section], hit.line)
        self.hit_line = self._index.offset(hit.section) + hit.line
        top, height = self._lines.top, self._lines.height
        if not top <= self.hit_line < top + height - 1:
            top = max(self.hit_line - height // 3, 0)
        self._lines.sync(keep=lambda: top)
        self._lines.following = False  # Also at the end: what arrives must not push it away.
        self._found(hit.owner)
