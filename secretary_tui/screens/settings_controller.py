"""Changes of settings that are made on the screen: written to a file, and in force at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from secretary_tui import config as settings
from secretary_tui.config import Config
from secretary_tui.screens.appearance import Appearance
from secretary_tui.screens.controller_host import ControllerHost
from secretary_tui.screens.keymap import with_key_problems
from secretary_tui.secretary import Secretary
from secretary_tui.sessions import ui_state
from secretary_tui.settings import DECIDES_THE_ENGINE


class SettingsController:
    """Reads and changes the settings of one project and of its user.

    Args:
        app: Says what became of a change.
        secretary: The service, which has the settings in force and the project they count in.
        overrides: Settings given on the command line, by key; they stand above all files.
        appearance: Shows the theme that is chosen.
    """

    def __init__(
        self,
        app: ControllerHost,
        secretary: Secretary,
        overrides: dict[str, Any],
        appearance: Appearance,
    ) -> None:
        self._app = app
        self._secretary = secretary
        self._overrides = overrides
        self._appearance = appearance
        self.on_change: list[Callable[[str, Config], None]] = []
        """Called with the key of a setting that was changed, and all settings as they are now."""
        self.on_engine: list[Callable[[], None]] = []
        """Called when the engine was chosen again."""

    def read(self) -> Config:
        """Read all settings. Blocking, so not before the first paint."""
        config = settings.load(self._secretary.project).override(**self._overrides)
        config = with_key_problems(config)
        ui_state.remember(mouse=config.mouse)
        ui_state.remember_plain(config)
        return config

    def change(self, key: str, value: Any, *, project: bool) -> None:
        """Write one setting to the project's or the user's file and let it take effect."""
        from secretary_tui.setting_changes import save

        folder = self._secretary.project
        self._carry_out(key, lambda: save(folder, key, value, in_project=project))

    def reset(self, key: str, *, project: bool) -> None:
        """Take one setting out of the project's or the user's file and let that take effect."""
        from secretary_tui.setting_changes import take_out

        folder = self._secretary.project
        self._carry_out(key, lambda: take_out(folder, key, in_project=project))

    def choose_theme(self, name: str) -> None:
        """Keep a theme: in the user's settings, and where the next start finds it fast."""
        self._appearance.keep(name)
        if name != self._secretary.config.theme:
            self.change("theme", name, project=False)

    async def renew_engine(self, config: Config) -> None:
        """Choose the engine again after a key or a model came or went."""
        await self._secretary.choose_engine_again(config)
        for follow in tuple(self.on_engine):
            follow()

    def _carry_out(self, key: str, change: Callable[[], str]) -> None:
        from secretary_tui.config_file import ConfigError

        try:
            said = change()
        except ConfigError as error:
            self._app.notify(str(error), severity="error", markup=False)
            return
        config = self.read()
        for follow in tuple(self.on_change):
            follow(key, config)
        if key in DECIDES_THE_ENGINE:
            self._app.run_worker(self.renew_engine(config), exclusive=True, group="engine")
        self._app.notify(said, timeout=3, markup=False)
