"""Which panes the main screen shows: by its size, and by what the user is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget

NARROW, WIDE = 100, 140
"""Below NARROW columns one pane is shown at a time; from WIDE on, three."""
SLIM = 56
"""Below this the list is shown without the details, which would be a few columns wide."""


class Panes:
    """Sets the classes of the screen that the style sheets know."""

    def __init__(self, screen: Widget) -> None:
        self._screen = screen

    @property
    def shows_library(self) -> bool:
        """Whether the library is shown rather than a run."""
        return self._screen.has_class("library-view")

    @property
    def shows_run_alone(self) -> bool:
        """Whether there is room for one pane, and it is the run."""
        return self._screen.has_class("narrow") and not self.shows_library

    def fit(self, size: Size) -> None:
        """Show as many panes as there is room for, in cells."""
        update = self._screen.is_mounted
        self._screen.set_class(size.width < NARROW, "narrow", update=update)
        self._screen.set_class(size.width < SLIM, "slim", update=update)
        self._screen.set_class(size.width >= WIDE, "wide", update=update)
        self._screen.set_class(size.height < 20, "low", update=update)

    def show_library(self, shown: bool = True) -> None:
        """Show the library, or a run."""
        self._screen.set_class(shown, "library-view")

    def show_nothing_listed(self, empty: bool) -> None:
        """Make room for a greeting where no agent is listed."""
        self._screen.set_class(empty, "nothing-listed")

    def follow_focus(self, widget: Widget) -> None:
        """Show the pane of a widget where one pane is shown at a time."""
        if not self._screen.has_class("narrow"):
            return
        if widget.id in ("index", "details", "filter"):
            self.show_library()
        elif (widget.id or "").startswith("transcript"):
            self.show_library(False)

    def zoom(self) -> None:
        """The transcript alone on the screen, or all panes again."""
        screen = self._screen
        if screen.has_class("narrow"):
            screen.remove_class("zoomed")
            said = "Zoomed already: a terminal this narrow shows one pane at a time."
        elif screen.toggle_class("zoomed").has_class("zoomed"):
            said = "Transcript zoomed. z shows all panes again."
        else:
            said = "All panes."
        screen.notify(said, timeout=3)
