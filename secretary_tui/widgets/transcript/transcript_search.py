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

from secretary_tui.sanitize import clean_line
from secretary_tui.widgets.transcript.code_lines import Line
from secretary_tui.widgets.transcript.line_index import IndexSection
from secretary_tui.widgets.transcript.line_selection import restyle
from secretary_tui.widgets.transcript.line_view import SETTLE_S, SLICE_S, LineView
from secretary_tui.widgets.transcript.search_hits import HitCount, Needle, SearchHit, hits
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent

_HERE = Style(bold=True, underline=True)
"""Added to the mark of the place that n and N led to."""


class SearchView(LineView):
    """A line view with a search prompt on its last row."""

    class Asked(Message):
        """What is searched is being typed, or no longer: other keys work now."""

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.content = TranscriptContent()
        self.needle = Needle("")
        """What is marked on the screen."""
        self._typing = False
        self._anchor = 0
        self._before = (0, True)
        """Where the user read when the search began, and whether the end was followed."""
        self._hit_line = -1
        self._hit: tuple[IndexSection, int] | None = None
        """The place that was led to last: its section, and the line within it."""
        self._around: Literal["", "top", "end"] = ""
        """Where the search went on when it came to the last place, or the first."""
        self._count = HitCount(self.needle)
        self._counting: Timer | None = None

    @property
    def asks(self) -> bool:
        """Whether keys are the text that is searched."""
        return self._typing

    @property
    def prompt(self) -> str:
        """What the last row says on its left while a search goes on, else empty."""
        text, which = self.needle.text, self._which
        if self._typing:
            return f" /{text}▏ {which} ".replace("  ", " ")
        return f" {text}: {which} · n N · Esc " if text else ""

    @property
    def rows_below(self) -> int:
        """A row for the prompt, where it would cover the very place that was found."""
        return int(bool(self.prompt) and self._hit_line == self.index.total - 1)

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
        number = self._count.number_of(self.content, *self._hit)
        around = f", from the {self._around} again" if self._around and total > 1 else ""
        return f"{min(number, total)} of {total}{around}"

    def action_search(self) -> None:
        """Ask what to search."""
        self._ask(True)
        self._before = (self.scroll_offset.y, self.following)
        self._anchor = self.scroll_offset.y - 1
        self._look_for("")

    def _ask(self, typing: bool) -> None:
        if self._typing != typing:
            self._typing = typing
            self.post_message(self.Asked())

    def action_next_hit(self, step: int) -> None:
        """Go to the next or the previous place where the text stands."""
        if not self.needle.text:
            self.action_search()
            return
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        self._find_hit_again()
        shown = top <= self._hit_line < top + height
        edge = top - 1 if step > 0 else top + height
        self._go(self._hit_line if shown else edge, step)

    def clear_search(self) -> None:
        """Mark nothing any more; at the end it is followed again."""
        if self.needle.text and self.scroll_offset.y >= self.max_scroll_y:
            self.following = True
        self._ask(False)
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
            self._ask(False)
            if text:
                self._go(self._anchor, 1)
            self.refresh()
        elif event.key in ("tab", "shift+tab"):
            self._ask(False)
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
        self._ask(False)
        self.sync()
        self.refresh()

    def sync(self, *, keep: Callable[[], int] | None = None) -> None:
        """Bring the screen in line with the index, and the count with what has arrived."""
        self._find_hit_again()
        self._go_on_counting()
        super().sync(keep=keep)

    def decorated_line(self, line_number: int) -> Line:
        """Mark what was searched."""
        return self.marked(super().decorated_line(line_number), line_number)

    def marked(self, line: Line, line_number: int) -> Line:
        """Put the mark over what was searched in a line."""
        if self.needle.text and line:
            style = self.palette.found
            if self._is_hit(line_number):
                style += _HERE
            for start, end in self.needle.spans("".join(segment.text for segment in line)):
                line = restyle(line, start, end, style)
        return line

    def found(self, owner: int) -> None:
        """A hit in this block is shown now."""

    def _look_for(self, text: str) -> None:
        self.needle = Needle(text)
        self._count = HitCount(self.needle)
        self._hit, self._hit_line, self._around = None, -1, ""
        if self._typing and text:
            self._go(self._anchor, 1)
        self.sync()
        self.refresh()

    def _go_on_counting(self) -> None:
        """Count the places for a moment, and go on soon if that was not enough."""
        if self._counting is not None:
            self._counting.stop()
            self._counting = None
        if not self.needle.text or not self.is_mounted:
            return
        if not self._count.go_on(self.content, SLICE_S):
            self._counting = self.set_timer(SETTLE_S, self._go_on_later)

    def _go_on_later(self) -> None:
        self._go_on_counting()
        self.refresh_lines(self.scroll_offset.y + self.scrollable_content_region.height - 1)

    def _is_hit(self, line_number: int) -> bool:
        if self._hit is None or not 0 <= line_number < self.index.total:
            return False
        number, line = self.index.locate(line_number)
        section, hit_line = self._hit
        return self.index.sections[number] is section and line == hit_line

    def _find_hit_again(self) -> None:
        """Follow the place to where it stands now: heights change, and parts of an open block."""
        if self._hit is None:
            return
        section, line = self._hit
        sections = self.index.sections
        if section in sections:
            self._hit_line = self.index.offset(sections.index(section)) + line
        elif self._hit_line < self.index.total:
            number, line = self.index.locate(self._hit_line)
            self._hit = (sections[number], line)
        else:
            self._hit, self._hit_line = None, -1

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
        self._hit = None
        if hit is not None:
            self._lead_to(hit)
            wrapped = (self._hit_line - start) * step <= 0
            self._around = ("top" if step > 0 else "end") if wrapped else ""
        self._go_on_counting()
        self.refresh()

    def _lead_to(self, hit: SearchHit) -> None:
        self._hit = (self.index.sections[hit.section], hit.line)
        self._hit_line = self.index.offset(hit.section) + hit.line
        height = self.scrollable_content_region.height
        top = self.scroll_offset.y
        if not top <= self._hit_line < top + height - 1:
            top = max(self._hit_line - height // 3, 0)
        self.sync(keep=lambda: top)
        self.following = False  # Also at the end: what arrives must not push it off the screen.
        self.found(hit.owner)
