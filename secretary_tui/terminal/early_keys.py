"""Keys that are typed while the app starts wait for somebody to take them."""

from __future__ import annotations

from textual import events
from textual.app import App


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
