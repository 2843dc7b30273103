"""What the screens need of the app that shows them; the app is the only one that implements it."""

from __future__ import annotations

from typing import Any, Protocol, cast

from textual.dom import DOMNode

from secretary_tui.config import Config
from secretary_tui.screens.appearance import Looks
from secretary_tui.secretary import Secretary
from secretary_tui.terminal.signals import TerminalSignals


class Host(Protocol):
    """The app, seen from a screen."""

    secretary: Secretary
    signals: TerminalSignals
    looks: Looks

    def read_config(self) -> Config:
        """Read all settings; blocking."""
        ...

    async def take_keys(self) -> None:
        """Type what was typed while the app started."""
        ...

    def change_setting(self, key: str, value: Any, *, project: bool) -> None:
        """Write one setting to the project's or the user's file and let it take effect."""
        ...

    def reset_setting(self, key: str, *, project: bool) -> None:
        """Take one setting out of the project's or the user's file and let that take effect."""
        ...

    def follow_looks(self, config: Config) -> None:
        """Take theme, glyphs and motion from the settings."""
        ...

    async def renew_engine(self, config: Config) -> None:
        """Choose the engine again."""
        ...

    def first_index_shown(self) -> None:
        """The library is on the screen for the first time."""
        ...

    def open_setup(self) -> None:
        """Let the user choose where models answer."""
        ...

    def choose_theme(self, name: str) -> None:
        """Keep a theme."""
        ...

    def action_change_theme(self) -> None:
        """Let the user choose the colours."""
        ...

    async def leave(self) -> None:
        """End everything in order and exit."""
        ...


def host_of(node: DOMNode) -> Host:
    """The app of a node, as a `Host`."""
    return cast(Host, node.app)
