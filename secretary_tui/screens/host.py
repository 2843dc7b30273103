"""What the screens need of the app that shows them; the app is the only one that implements it."""

from __future__ import annotations

from typing import Protocol, cast

from textual.dom import DOMNode

from secretary_tui.screens.appearance import Appearance
from secretary_tui.screens.settings_controller import SettingsController
from secretary_tui.secretary import Secretary
from secretary_tui.sessions.ui_state import UiState
from secretary_tui.terminal.signals import TerminalSignals


class Host(Protocol):
    """The app, seen from a screen."""

    secretary: Secretary
    settings: SettingsController
    appearance: Appearance
    signals: TerminalSignals
    ui: UiState
    """What was remembered when the app started."""

    async def take_keys(self) -> None:
        """Type what was typed while the app started."""
        ...

    async def leave(self) -> None:
        """End everything in order and exit."""
        ...


def host_of(node: DOMNode) -> Host:
    """The app of a node, as a `Host`."""
    return cast(Host, node.app)
