"""What the app does otherwise while it starts: keys wait, and style sheets are parsed once."""

from __future__ import annotations

from textual import events
from textual.app import App
from textual.css.stylesheet import Stylesheet


class SteadyStyles(Stylesheet):
    """Style sheets that are parsed again only for other colours.

    Textual (8.2.8, pinned) announces its theme once while it starts, and then parses all it had
    parsed a moment before, twice, and styles every widget again: a tenth of the time to the first
    paint.
    """

    _is_new = False
    """Whether the variables that came last were others."""
    _is_announced = False
    """Whether any theme was announced yet."""

    def take_announced(self, variables: dict[str, str]) -> bool:
        """Take note of a theme that is announced; gives whether widgets must be styled again.

        They need not be for the announcement of the start: they were made in that theme.
        """
        at_start, self._is_announced = not self._is_announced, True
        return not (at_start and variables == self._variables)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take the variables of a theme; the same ones again change nothing."""
        self._is_new = variables != self._variables
        if self._is_new:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parse all sources with the new variables, when they are new."""
        if self._is_new:
            super().reparse()


class EarlyKeys(App[None]):
    """Mixed into an app, gives what was typed before `take_keys` to what has the focus then."""

    _takes_keys = False

    def __init__(self) -> None:
        super().__init__()
        self._early: list[events.Key | events.Paste] = []

    async def on_event(self, event: events.Event) -> None:
        """Handle an event; a key that nobody could take yet waits."""
        if not self._takes_keys and isinstance(event, events.Key | events.Paste):
            self._early.append(event)
            return
        await super().on_event(event)

    async def take_keys(self) -> None:
        """Type what has waited. Called by the app itself, so that later keys come after it."""
        self._takes_keys = True
        early, self._early = self._early, []
        for event in early:
            await super().on_event(event)
