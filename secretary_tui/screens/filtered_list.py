"""A screen with one list and a filter over it: what problems, statistics and undo share."""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.widgets.lists.choice_list import ChoiceList

Result = TypeVar("Result")


class FilteredListScreen(ModalScreen[Result]):
    """`/` filters, Esc clears the filter and then closes."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [paths.bundled("styles") / "screens.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Close"),
        Binding("slash", "filter", "Filter", show=False),
        Binding("q", "dismiss(None)", "Close", show=False),
    ]
    HEADING: ClassVar[str] = ""

    def compose(self) -> ComposeResult:
        """Title, filter, list, and a line at the foot."""
        yield Static(self.HEADING, classes="title", markup=False)
        box = Input(placeholder="filter", classes="filter", compact=True)
        box.display = False
        yield box
        yield ChoiceList(classes="list", markup=False)
        yield Static(classes="foot", markup=False)

    def show_rows(self) -> None:
        """Fill the list with what fits the filter (`words`)."""
        raise NotImplementedError

    @property
    def words(self) -> list[str]:
        """The words of the filter, in lower case."""
        return self.query_one(Input).value.lower().split()

    def fill(self, rows: list[Option], foot: Content, cursor: int = 0) -> None:
        """Show these rows, the cursor on one of them, and a line below."""
        options = self.query_one(ChoiceList)
        options.clear_options()
        options.add_options(rows)
        if rows:
            options.highlighted = cursor
        self.say(foot)

    def say(self, foot: Content) -> None:
        """Write the line at the foot."""
        self.query_one(".foot", Static).update(foot)

    def on_input_changed(self) -> None:
        """Filter as it is typed."""
        self.show_rows()

    def on_input_submitted(self) -> None:
        """Back to the list."""
        self.query_one(ChoiceList).focus()

    def action_filter(self) -> None:
        """Open the filter."""
        box = self.query_one(Input)
        box.display = True
        box.focus()

    def action_back(self) -> None:
        """Clear the filter, then close."""
        box = self.query_one(Input)
        if box.display:
            box.value = ""
            box.display = False
            self.query_one(ChoiceList).focus()
        else:
            self.dismiss(None)
