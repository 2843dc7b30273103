"""The runs of the screen as one line of tabs: who, how far, for how long, for how much."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from secretary_tui.sanitize import clean_line
from secretary_tui.widgets.themes import dot_style

GLYPHS = {
    "new": ("○", "$foreground 60%"),
    "working": ("●", "$accent"),
    "asking": ("?", "bold $text-warning"),
    "done": ("✓", "$text-success"),
    "ended early": ("◐", "$text-warning"),
    "stopped": ("■", "$text-warning"),
    "failed": ("✗", "$text-error"),
}
"""By the names of `RunState`; each differs without colour."""
_SHORTEST = 6
"""Cells of an agent's name that stay when there is little room."""


@dataclass(frozen=True, slots=True)
class RunTab:
    """What one tab says."""

    number: int
    state: str
    """A key of `GLYPHS`."""
    agent: str
    """Empty for a tab without a run."""
    tool: str = ""
    """The tool at work, or the last one that was."""
    elapsed: str = ""
    cost: str = ""
    color: str = ""
    """The colour that the agent's file names."""


class RunTabs(Widget):
    """Shows the tabs when there is more than one; a click chooses one."""

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        number: int

    tabs: reactive[tuple[RunTab, ...]] = reactive(())
    shown: reactive[int] = reactive(1)
    """Number of the tab whose transcript is on the screen."""

    def watch_tabs(self) -> None:
        """Take no room for a single one."""
        self.display = len(self.tabs) > 1

    def render(self) -> Content:
        """All tabs, with as much of each as fits into one line."""
        pieces: list[Content] = []
        for tab, text in zip(self.tabs, self._texts(), strict=True):
            glyph, colour = GLYPHS[tab.state]
            here = tab.number == self.shown
            edge = ("▎", dot_style(tab.color)) if tab.color else " "
            label = Content.assemble(edge, f"{tab.number} ", (glyph, colour), f" {text} ")
            pieces.append(label.stylize("bold reverse") if here else label)
        return Content("│").join(pieces)

    def on_click(self, event: events.Click) -> None:
        """Show the tab that was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        right = 0
        for tab, text in zip(self.tabs, self._texts(), strict=True):
            right += _cells(tab, text) + 1
            if offset.x < right:
                self.post_message(self.Chosen(tab.number))
                return

    def _texts(self) -> list[str]:
        """What stands behind each glyph: less and less, until all of them fit."""
        room = self.size.width - max(len(self.tabs) - 1, 0)
        texts: list[str] = []
        for parts in (("tool", "elapsed", "cost"), ("elapsed", "cost"), ("elapsed",), ()):
            texts = [_text(tab, parts) for tab in self.tabs]
            if sum(map(_cells, self.tabs, texts)) <= room:
                return texts
        fixed = sum(_cells(tab, "") for tab in self.tabs)
        width = max((room - fixed) // max(len(self.tabs), 1), _SHORTEST)
        return [
            text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"
            for text in texts
        ]


def _text(tab: RunTab, parts: tuple[str, ...]) -> str:
    name = clean_line(tab.agent).rpartition(":")[2] or "new"
    more = (clean_line(getattr(tab, part)) for part in parts)
    return " ".join(filter(None, (name, *more)))


def _cells(tab: RunTab, text: str) -> int:
    return cell_len(f" {tab.number} x {text} ")
