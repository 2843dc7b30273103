"""What the terminal itself is told about runs: a bell, a notification, its title, its progress.

All of it goes through Textual's driver, so that it never lands in the middle of a frame, and none
of it holds foreign text that wasn't cleaned. In tmux what tmux doesn't know is passed on to the
terminal around it, which `allow-passthrough` must permit; it drops it otherwise.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from secretary_tui.sanitize import clean_line
from secretary_tui.terminal.terminal_input import write_to_terminal

if TYPE_CHECKING:
    from textual.app import App

    from secretary_tui.config import Config

LONG_S = 10.0
"""A run of more seconds rings in any case: nobody watched all of it."""
PROGRESS_EVERY_S = 5.0
"""Some terminals take a progress that isn't renewed for a program that hangs."""
LONGEST = 80
"""Characters of a title or a notification."""

_BELL = "\x07"
_END = "\x1b\\"
_KEEP_TITLE, _OLD_TITLE = "\x1b[22;2t", "\x1b[23;2t"
_GOES_ON, _WAITS, _NO_PROGRESS = "3;0", "4;100", "0;0"


class TerminalSignals:
    """Rings, and says in title and progress what goes on, as the settings allow."""

    def __init__(self, app: App[Any], environ: Mapping[str, str] = os.environ) -> None:
        self._app = app
        self._in_tmux = bool(environ.get("TMUX"))
        self._knows_progress = knows_progress(environ)
        self._title = ""
        self._progress = ""
        self._progress_at = 0.0

    def ring(self, text: str, config: Config, elapsed_s: float) -> None:
        """Call the user back to a run that ended or asks, unless they are there and it was short.

        `text` says what happened; `elapsed_s` is how long the run went on.
        """
        if config.notify == "off" or (self._app.app_focus and elapsed_s <= LONG_S):
            return
        if config.notify in ("osc9", "both"):
            # The name in front keeps foreign text from being read as one of the other OSC 9s.
            self._send(self._passed_on(f"\x1b]9;secretary-tui: {_shown(text)}{_END}"))
        if config.notify in ("bell", "both"):
            self._send(_BELL)

    def show(self, title: str, config: Config, *, waits: bool) -> None:
        """Say what goes on, empty for nothing; `waits` is whether it waits for the user."""
        self._show_title(_shown(title) if config.terminal_title else "")
        wanted = config.terminal_progress
        on = wanted == "on" or (wanted == "auto" and self._knows_progress)
        self._show_progress((_WAITS if waits else _GOES_ON) if title and on else "")

    def end(self) -> None:
        """Leave the terminal as it was."""
        self._show_title("")
        self._show_progress("")

    def _show_title(self, title: str) -> None:
        if title == self._title:
            return
        if not self._title:
            self._send(_KEEP_TITLE)
        # Cleared first at the end: a terminal without a memory of titles shows its own again.
        self._send(f"\x1b]2;{title}{_END}" if title else f"\x1b]2;{_END}{_OLD_TITLE}")
        self._title = title

    def _show_progress(self, progress: str) -> None:
        now = time.monotonic()
        again = bool(progress) and now - self._progress_at >= PROGRESS_EVERY_S
        if progress == self._progress and not again:
            return
        self._progress, self._progress_at = progress, now
        self._send(self._passed_on(f"\x1b]9;4;{progress or _NO_PROGRESS}{_END}"))

    def _passed_on(self, sequence: str) -> str:
        if not self._in_tmux:
            return sequence
        return f"\x1bPtmux;{sequence.replace(chr(27), chr(27) * 2)}{_END}"

    def _send(self, sequence: str) -> None:
        write_to_terminal(self._app, sequence)


def knows_progress(environ: Mapping[str, str]) -> bool:
    """Whether the terminal is known to draw OSC 9;4; others may take it for a notification.

    The same list as Cargo's, and VTE from 0.79 on. Inside tmux nobody knows.
    """
    if environ.get("TMUX"):
        return False
    version = environ.get("VTE_VERSION", "")
    return (
        "WT_SESSION" in environ
        or environ.get("ConEmuANSI") == "ON"
        or environ.get("TERM_PROGRAM") in ("WezTerm", "ghostty", "iTerm.app")
        or (version.isascii() and version.isdigit() and int(version) >= 7900)
    )


def _shown(text: str) -> str:
    line = clean_line(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
