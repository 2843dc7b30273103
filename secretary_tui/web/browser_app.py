"""The app of one browser tab, as a process: `python -m secretary_tui.web.browser_app WINDOW`.

Its standard input and output belong to the server, so nothing may be printed here.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from textual.driver import Driver
from textual.drivers import web_driver

from secretary_tui.app import AppOptions, SecretaryApp
from secretary_tui.terminal.background import AnswerParser
from secretary_tui.web.window import Window


class BrowserDriver(web_driver.WebDriver):
    """Textual's driver for browsers, which takes the end of the tab for the end of a terminal.

    So it does with the end of the server, whose pipes are the terminal here.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._write = self._write_all  # type: ignore[assignment]

    def on_meta(self, packet_type: str, payload: dict[str, object]) -> None:
        """Hang up where Textual would stop at once: runs are to be ended and logged first."""
        if packet_type == "quit":
            _hang_up()
        else:
            super().on_meta(packet_type, payload)

    def run_input_thread(self) -> None:
        """Read until there is nothing to read from, as when the server was killed."""
        # The terminal of the page answers about its background, too.
        web_driver.XTermParser = AnswerParser  # type: ignore[attr-defined]
        super().run_input_thread()
        if not self.exit_event.is_set():
            _hang_up()

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Open a page in the browser; an address of any other kind could run there."""
        if urlsplit(url).scheme in ("http", "https"):
            super().open_url(url, new_tab)

    def _enable_mouse_support(self) -> None:
        if self._mouse:
            super()._enable_mouse_support()

    def _write_all(self, data: bytes) -> None:
        """Write the whole of a packet; nothing once the server is gone."""
        view = memoryview(data)
        with contextlib.suppress(OSError):
            while view:
                view = view[os.write(self.fileno, view) :]


def _hang_up() -> None:
    os.kill(os.getpid(), signal.SIGHUP)


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
                "The browser allows copying over https only. Select the text with Shift and the "
                "mouse, or serve over https.",
                severity="warning",
            )

    def action_suspend_process(self) -> None:
        """There is no shell to go back to."""
        self.notify(
            "A browser tab can't be suspended. Close it or press Ctrl+Q to quit.",
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
