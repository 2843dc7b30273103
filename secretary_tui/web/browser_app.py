"""The app of one browser tab, as a process: `python -m secretary_tui.web.browser_app WINDOW`.

Its standard input and output belong to the server, so nothing may be printed here.
"""

from __future__ import annotations

import sys
from pathlib import Path

from textual.driver import Driver

from secretary_tui.app import AppOptions, SecretaryApp
from secretary_tui.web.driver import BrowserDriver
from secretary_tui.web.window import Window


class BrowserApp(SecretaryApp):
    """The app where there is a browser instead of a terminal."""

    def __init__(self, window: Window) -> None:
        super().__init__(
            AppOptions(
                Path(window.project),
                tuple(Path(folder) for folder in window.agents_dirs),
                window.offline,
                agents=window.agents,
            )
        )
        self._can_copy = window.can_copy

    def get_driver_class(self) -> type[Driver]:
        """Talk to the server."""
        return BrowserDriver

    def copy_to_clipboard(self, text: str) -> None:
        """Copy into the browser's clipboard."""
        super().copy_to_clipboard(text)
        if not self._can_copy:
            self.notify(
                "The browser takes no copies from a page that came over plain http. Select the "
                "text with Shift and the mouse, or serve through https.",
                severity="warning",
            )

    def action_suspend_process(self) -> None:
        """There is no shell to go back to."""
        self.notify(
            "There is no shell behind a browser tab. Close the tab to leave; Ctrl+Q does, too.",
            severity="warning",
        )


def main() -> int:
    """Run the app until the tab is closed; gives the exit status."""
    window = Window.from_json(sys.argv[1])
    app = BrowserApp(window)
    app.run(mouse=app.ui.mouse, size=(window.width, window.height))
    if app.ended_by is not None:
        return 128 + app.ended_by
    return 1 if app.failed else app.return_code or 0


if __name__ == "__main__":
    raise SystemExit(main())
