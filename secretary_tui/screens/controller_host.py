"""What a controller needs of the screen, or the app, that holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel
    from textual.worker import Worker, WorkType

    from secretary_tui.screens.keymap import Keymap


class ControllerHost(Protocol):
    """Tells the user something, and runs what takes a while; every screen and app does."""

    def notify(
        self,
        message: str,
        *,
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Say something in a corner for some seconds."""
        ...

    def run_worker(self, work: WorkType[Any], *, group: str, exclusive: bool) -> Worker[Any]:
        """Run something in the background; an exclusive one ends the others of its group."""
        ...


class FlowHost(ControllerHost, Protocol):
    """A screen that shows what its controllers are doing."""

    keys: Keymap
    """The keys of the actions, as they are set."""

    @property
    def is_whole(self) -> bool:
        """Whether all parts of the screen are there."""
        ...

    def follow_flow(self) -> None:
        """Bring all that is shown in line, after something changed."""
        ...

    def show_keys(self) -> None:
        """Show the keys that work now."""
        ...
