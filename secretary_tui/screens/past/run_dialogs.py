"""What the history asks about a run: where to fork it, and whether to delete it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.sessions.fork import UserTurn
from secretary_tui.widgets.key_bar import key_hints
from secretary_tui.widgets.lists.choice_list import ChoiceList
from secretary_tui.widgets.panels.panel import Panel


class ForkScreen(ModalScreen[int | None]):
    """Gives the user's turn (from 1) whose answer is the last to be kept, or None."""

    CSS_PATH = paths.bundled("styles") / "history.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
    ]

    def __init__(self, turns: Sequence[UserTurn]) -> None:
        super().__init__()
        self._turns = tuple(turns)

    def compose(self) -> ComposeResult:
        """What the user said, each with its answer."""
        yield Static("Fork", classes="title", markup=False)
        yield Static(
            "A new run that keeps the conversation up to the answer you choose. The stored run "
            "stays as it is.",
            id="export-run",
            markup=False,
        )
        yield ChoiceList(
            *(Option(_row(number, turn)) for number, turn in enumerate(self._turns, start=1)),
            id="fork-turns",
        )
        keys = key_hints(("Enter", "fork after this answer"), ("↑↓", "choose"))
        yield Static(keys, classes="foot", markup=False)

    def on_mount(self) -> None:
        """The last answer is the usual one."""
        turns = self.query_one(ChoiceList)
        turns.highlighted = len(self._turns) - 1
        turns.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose it."""
        self.dismiss(event.option_index + 1)


def _row(number: int, turn: UserTurn) -> Content:
    answer = clean_line(turn.answer)[:160] or "(no answer)"
    return Content.assemble(
        (f"{number:>2} ", "bold $accent"),
        (f"{clean_line(turn.text)[:160]}\n", "bold"),
        (f"   {answer}", "$foreground 60%"),
    )


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
                key_hints(("y", self._does), close="keep"),
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
