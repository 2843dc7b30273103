"""Choose a web address of the transcript and open it: never without its host being read first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.sanitize import clean_line
from secretary_tui.widgets.lists.choice_list import ChoiceList
from secretary_tui.widgets.transcript.markdown_sources import host_of_link


class LinksScreen(ModalScreen[None]):
    """Lists addresses with the host that each leads to; nothing is opened without a second key.

    Addresses come from a model, and a page that is asked for learns what its address holds: so the
    first Enter asks, and the whole address stands there to be read.
    """

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Close"),
        Binding("y", "copy", "Copy", show=False),
    ]

    def __init__(self, links: Sequence[str]) -> None:
        super().__init__()
        self._links = tuple(links)
        self._asked: int | None = None

    def compose(self) -> ComposeResult:
        """The title, the addresses, the whole of one, the keys."""
        yield Static("Links on the screen", classes="title", markup=False)
        yield ChoiceList(*(Option(_row(link)) for link in self._links), id="links-list")
        yield Static("", id="links-whole", markup=False)
        yield Static("", id="links-foot", classes="foot", markup=False)

    def on_mount(self) -> None:
        """The list has the keys."""
        self._list.focus()
        self._show(None)

    def on_option_list_option_highlighted(self) -> None:
        """Another one: nothing is asked any more."""
        self._show(None)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Ask first, open then."""
        if self._asked == event.option_index:
            self.app.open_url(self._links[event.option_index])
            self.dismiss()
        else:
            self._show(event.option_index)

    def action_back(self) -> None:
        """One step back."""
        if self._asked is None:
            self.dismiss()
        else:
            self._show(None)

    def action_copy(self) -> None:
        """Copy the address instead of opening it."""
        if self._list.highlighted is not None:
            self.app.copy_to_clipboard(self._links[self._list.highlighted])
            self.notify("Copied.", timeout=2)

    @property
    def _list(self) -> ChoiceList:
        return self.query_one("#links-list", ChoiceList)

    def _show(self, asked: int | None) -> None:
        self._asked = asked
        at = self._list.highlighted
        whole = clean_line(self._links[at]) if at is not None else ""
        self.query_one("#links-whole", Static).update(Content(whole))
        if asked is None:
            keys = Content("Enter opens in the browser, y copies the address, Esc closes")
        else:
            host = host_of_link(self._links[asked])
            keys = Content.assemble(
                "Open ", (host, "bold $warning"), " in the browser?  Enter opens, Esc cancels"
            )
        self.query_one("#links-foot", Static).update(keys)


def _row(link: str) -> Content:
    host = host_of_link(link)
    rest = link.partition("://")[2].partition("/")[2]
    return Content.assemble((host, "bold"), (f"  /{clean_line(rest)}", "$foreground 60%"))
