"""The choice of colours: what is under the cursor is shown at once, Esc goes back."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from secretary_tui import paths
from secretary_tui.screens.host import host_of
from secretary_tui.widgets.lists.choice_list import ChoiceList
from secretary_tui.widgets.themes import ANSI, AUTO, CONTRAST, DARK, LIGHT, PLAIN

_ABOUT = {
    AUTO: "dark or light, as the terminal's background is",
    DARK.name: "for dark terminals",
    LIGHT.name: "for light terminals",
    CONTRAST.name: "high contrast (7:1), on black",
    ANSI.name: "the sixteen colours of your terminal",
    PLAIN.name: "no colours: bold, underline, reverse",
}


class ThemeScreen(ModalScreen[None]):
    """Lists our themes, then those that come with Textual; the screen behind stays in sight."""

    CSS_PATH = paths.bundled("styles") / "screens.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Close"),
    ]

    def compose(self) -> ComposeResult:
        """The list and its keys."""
        yield Static("Theme", classes="title", markup=False)
        yield ChoiceList(id="theme-list", markup=False)
        yield Static("Enter applies, Esc cancels", classes="foot", markup=False)

    def on_mount(self) -> None:
        """Begin at the theme in force."""
        wanted = host_of(self).appearance.wanted
        others = [name for name in sorted(self.app.available_themes) if name not in _ABOUT]
        names = [*_ABOUT, *others]
        options = self.query_one(ChoiceList)
        options.add_options([Option(_row(name), id=name) for name in names])
        options.highlighted = names.index(wanted) if wanted in names else 0
        options.focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show it on everything."""
        host_of(self).appearance.show(event.option_id or AUTO)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Keep it."""
        host_of(self).settings.choose_theme(event.option_id or AUTO)
        self.dismiss()

    def action_back(self) -> None:
        """Show again what was in force."""
        appearance = host_of(self).appearance
        appearance.show(appearance.wanted)
        self.dismiss()


def _row(name: str) -> Content:
    about = _ABOUT.get(name, "")
    short = name.removeprefix("secretary-")
    return Content.assemble(f"{short if about else name:<22}", (about, "$foreground 60%"))
