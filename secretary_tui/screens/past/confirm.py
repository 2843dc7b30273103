"""A question that only a key pressed after it appeared can answer."""

from __future__ import annotations

import time
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from secretary_tui import paths
from secretary_tui.sanitize import clean
from secretary_tui.widgets.panels.panel import Panel


class ConfirmScreen(ModalScreen[bool]):
    """`y` confirms; Esc, n and q don't. Enter does nothing: it comes too easily."""

    CSS_PATH = paths.bundled("styles") / "history.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n,q", "refuse", "No"),
        Binding("y", "confirm", "Yes"),
    ]

    def __init__(self, question: str, detail: str, does: str) -> None:
        super().__init__()
        self._question, self._detail, self._does = clean(question), clean(detail), does
        self._since = 0.0

    def compose(self) -> ComposeResult:
        """The question, what it means, the keys."""
        yield Static(
            Content.assemble(
                (f"{self._question}\n\n", "bold"),
                f"{self._detail}\n\n",
                ("y", "bold $accent"),
                (f" {self._does}  ", "$foreground 60%"),
                ("Esc", "bold $accent"),
                (" keep", "$foreground 60%"),
            ),
            id="confirm-text",
            markup=False,
        )

    def on_mount(self) -> None:
        """From now on keys may count."""
        self._since = time.monotonic()

    def action_confirm(self) -> None:
        """Say yes, unless the key was on its way before the question was there."""
        if time.monotonic() - self._since >= Panel.GRACE_S:
            self.dismiss(True)

    def action_refuse(self) -> None:
        """Leave everything as it is."""
        self.dismiss(False)
