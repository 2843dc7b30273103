"""The library on the main screen: read after the first paint, and shown again as it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from secretary_tui.config import Config
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.unlisted import find_unlisted
from secretary_tui.screens.controller_host import FlowHost
from secretary_tui.screens.main.details_controller import DetailsController
from secretary_tui.screens.main.run_status import RunStatus
from secretary_tui.screens.settings_controller import SettingsController
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.library.library_pane import LibraryPane


@dataclass(eq=False)
class LibraryController:
    """Reads settings and agents in a thread, shows them, and watches for changes."""

    _screen: FlowHost
    _settings: SettingsController
    _take_config: Callable[[Config], None]
    _secretary: Secretary
    _library: LibraryPane
    _status: RunStatus
    _details: DetailsController
    _when_shown: Callable[[], Awaitable[None]]
    _stop: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def load(self) -> None:
        """Read the library from the start, and watch it from then on."""
        self._screen.run_worker(self._load, exclusive=True, group="index")

    async def _load(self) -> None:
        from secretary_tui.registry.watch import watch_index

        self._take_config(await asyncio.to_thread(self._settings.read))
        self.show_index(await asyncio.to_thread(self._secretary.load))
        self._status.show_engine()
        self._status.show_today()
        self._look_for_unlisted_soon()
        await self._when_shown()
        async for change in watch_index(self._secretary.library.live, self._stop):
            self.show_index(change.index)

    def close(self) -> None:
        """Watch no more."""
        self._stop.set()

    def take_change(self, key: str, config: Config) -> None:
        """Let a setting that was changed take effect."""
        self._take_config(config)
        if key == "bundled_agents":
            self.load()

    def reload(self) -> None:
        """Read the settings and all agents again, and say so."""
        self._screen.run_worker(self._reload, exclusive=True, group="reload")

    async def _reload(self) -> None:
        await self.read_again()
        self._screen.notify(f"Reloaded: {self._status.library}.", timeout=2)

    async def read_again(self) -> None:
        """Let changed settings take effect, in the library too."""
        self._take_config(await asyncio.to_thread(self._settings.read))
        change = await asyncio.to_thread(self._secretary.reload)
        self.show_index(change.index)
        self._look_for_unlisted_soon()

    def show_index(self, index: AgentIndex) -> None:
        """Show a new state of the library."""
        self._details.is_library_read = True
        rows = self._library.index
        rows.show_index(index)
        if self._secretary.is_prepared:
            warming = asyncio.to_thread(self._secretary.warm_up)
            self._screen.run_worker(warming, exclusive=True, group="warm up")
        self._status.show_library(index, rows.shown.unlisted)
        self._details.show()

    def _look_for_unlisted_soon(self) -> None:
        self._screen.run_worker(self.look_for_unlisted, exclusive=True, group="unlisted")

    async def look_for_unlisted(self) -> None:
        """Say in the list when the project's folder holds agents that no source leads to."""
        secretary = self._secretary
        found = await asyncio.to_thread(find_unlisted, secretary.project, secretary.index)
        if self._screen.is_whole and found != self._library.index.shown.unlisted:
            self._library.index.show_unlisted(found)
            self.show_index(secretary.index)
