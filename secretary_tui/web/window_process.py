"""A tab's app process, from the server's side: start it, speak with it, see that it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import replace

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from secretary_tui.delegation.workspace.process_group import signal_group
from secretary_tui.sanitize import clean
from secretary_tui.web.window import Window

GRACE_S = 10.0
"""How long an app may take to end its runs and its model before it is told less kindly."""
SHORT_S = 2.0
"""How long it may take after that, each time."""
LARGEST = 1000
"""Cells of a side that a browser may ask for."""
_OTHER_TERMINAL = frozenset(
    {
        *("TMUX", "TMUX_PANE", "STY", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VTE_VERSION"),
        *("WT_SESSION", "ConEmuANSI", "KITTY_WINDOW_ID", "COLORFGBG", "COLUMNS", "LINES"),
    }
)
"""Variables that describe the terminal of the server, which isn't the one in the browser."""


class WindowProcess(AppService):
    """One app, and the websocket of the tab that shows it."""

    def __init__(self, window: Window, websocket: web.WebSocketResponse) -> None:
        super().__init__(
            "",
            write_bytes=self._send_bytes,
            write_str=self._send_str,
            close=self._close,
            download_manager=DownloadManager(),
        )
        self._window = window
        self._websocket = websocket
        self._gone = False

    @property
    def pid(self) -> int | None:
        """The process, once it was started."""
        return None if self._process is None else self._process.pid

    async def set_terminal_size(self, width: int, height: int) -> None:
        """Tell the app how large the tab is."""
        await super().set_terminal_size(cells(width, 80), cells(height, 24))

    async def run(self) -> None:
        """Pass on what the app writes until it ends; then the tab says so."""
        await super().run()
        await self._close()

    async def stop(self) -> None:
        """End the app in order, and by force what does not end; returns when nothing is left."""
        process, self._gone = self._process, True
        if process is None:
            return
        await self.send_meta({"type": "quit"})
        self.stdin.close()
        for wait_s, then in (
            (GRACE_S, signal.SIGTERM),
            (SHORT_S, signal.SIGKILL),
            (SHORT_S, None),
        ):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), wait_s)
                break
            if then is not None:
                self.kill(then)
        self.kill(signal.SIGKILL)  # What the app may have left behind in its group.
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def kill(self, name: signal.Signals) -> None:
        """Send a signal to the app and what it started in its group."""
        if self._process is not None:
            signal_group(self._process.pid, name)

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        window = replace(self._window, width=cells(width, 80), height=cells(height, 24))
        # -P: the working folder is the project, and its modules must not be ours.
        self._process = process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "secretary_tui.web.browser_app", window.to_json()),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=window_environment(os.environ),
            start_new_session=True,  # Ctrl-C is for the server, which ends the apps in order.
        )
        assert process.stderr is not None
        process.stderr = _CleanReader(process.stderr)
        self._stdin = process.stdin
        return process

    async def _send_bytes(self, data: bytes) -> None:
        if not self._gone:
            try:
                await self._websocket.send_bytes(data)
            except (ConnectionError, RuntimeError):
                self._gone = True  # Reading goes on: an app that can't write never ends.

    async def _send_str(self, data: str) -> None:
        if not self._gone:
            with contextlib.suppress(ConnectionError, RuntimeError):
                await self._websocket.send_str(data)

    async def _close(self) -> None:
        await self._websocket.close()


class _CleanReader(asyncio.StreamReader):
    """What an app complains about lands on the server's terminal, which obeys escape sequences."""

    def __init__(self, source: asyncio.StreamReader) -> None:
        super().__init__()
        self._source = source

    async def read(self, n: int = -1) -> bytes:
        return clean((await self._source.read(n)).decode("utf-8", "replace")).encode()


def window_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of an app in a browser, where the terminal is xterm.js."""
    kept = {name: value for name, value in environment.items() if name not in _OTHER_TERMINAL}
    return {**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def cells(given: object, default: int) -> int:
    """A side of the screen as the browser gave it, within what can be shown."""
    try:
        number = int(str(given))
    except ValueError:
        return default
    return max(1, min(LARGEST, number))
