"""Textual's driver for browsers, ending in order: the pipes of the server are its terminal."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any
from urllib.parse import urlsplit

from textual.drivers import web_driver

from secretary_tui.terminal.background import AnswerParser


class BrowserDriver(web_driver.WebDriver):
    """Takes the end of the tab, or of the server, for the end of a terminal."""

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
