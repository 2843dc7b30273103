"""Where the ranking of the match panel comes from, scrolled in the place of the matches."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

SCROLLS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -100_000, "end": 100_000}
"""Lines that a key moves."""
_NOTHING = "There is nothing to explain: nothing was ranked."


class MatchWhy(VerticalScroll, can_focus=False):
    """Lines that explain; hidden at first, and the keys come from the panel."""

    def __init__(self) -> None:
        self._text = Static(id="match-why-text", markup=False)
        super().__init__(self._text, id="match-why")
        self.display = False

    def say(self, lines: Sequence[str]) -> None:
        """Take the lines, and begin at the first one."""
        self._text.update(Content("\n".join(lines) or _NOTHING))
        self.scroll_home(animate=False)

    def scroll_by(self, key: str) -> None:
        """Scroll as one of `SCROLLS` does."""
        self.scroll_relative(y=SCROLLS[key], animate=False)
