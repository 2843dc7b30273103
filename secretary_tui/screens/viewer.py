"""A full-screen reader for one long thing: a diff, a command."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from secretary_tui import paths


class ViewerScreen(ModalScreen[None]):
    """Shows content; any of Esc, q, v closes it. Answers nothing."""

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "dismiss", "Close"),
        Binding("up,k", "scroll(-1)", "Up", show=False),
        Binding("down,j", "scroll(1)", "Down", show=False),
    ]

    def __init__(self, title: str, content: Content) -> None:
        super().__init__()
        self._title, self._content = title, content

    def compose(self) -> ComposeResult:
        """The title, the page, the way out."""
        yield Static(self._title, id="viewer-title", markup=False)
        with VerticalScroll(id="viewer-scroll"):
            yield Static(self._content, id="viewer-page", markup=False)
        yield Static("Esc closes, ↑↓ PgUp PgDn scroll", id="viewer-foot", markup=False)

    def on_mount(self) -> None:
        """Scrolling keys work at once."""
        self.query_one("#viewer-scroll", VerticalScroll).focus()

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one("#viewer-scroll", VerticalScroll).scroll_relative(y=step, animate=False)
