"""A full-screen reader for one long thing: a diff, a command, the help."""

from __future__ import annotations

import textwrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from secretary_tui import paths
from secretary_tui.flow.actions import ACTIONS, FIXED_KEYS
from secretary_tui.screens.keymap import Keymap

WIDTH = 77
"""Cells of a row of the help: what fits on 80 columns beside the scroll bar."""


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


def help_screen(keys: Keymap) -> ViewerScreen:
    """The help page, with the keys as they are set."""
    parts: list[str | tuple[str, str]] = [("Everywhere\n", "bold $accent")]
    for action in ACTIONS:
        slash = f"/{action.slash}" if action.slash else ""
        parts.append((f"  {keys.label(action.id):<14}", "bold"))
        parts.append((f"{slash:<11}", "$text-accent"))
        parts.append(_beside(27, action.help))
    for title, fixed in FIXED_KEYS:
        parts.append((f"\n{title}\n", "bold $accent"))
        for key, does in fixed:
            parts.append((f"  {key:<14}", "bold"))
            parts.append(_beside(16, does))
    return ViewerScreen("Keys and commands", Content.assemble(*parts).rstrip())


def _beside(column: int, text: str) -> str:
    """A text that begins at a column, and goes on below its own beginning."""
    return f"\n{' ' * column}".join(textwrap.wrap(text, WIDTH - column)) + "\n"
