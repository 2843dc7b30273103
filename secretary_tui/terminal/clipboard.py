"""The system's clipboard, for terminals that don't take it through an escape sequence (OSC 52)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

TIMEOUT_S = 2.0
"""Longest wait for a clipboard tool; one of them waits for a display server that is gone."""


def clipboard_command(environment: Mapping[str, str]) -> list[str] | None:
    """The program that takes a text for the clipboard on its standard input; None without one.

    Over ssh the clipboard of this machine is nobody's: there OSC 52 alone reaches the right one.
    tmux passes a text on to the terminal outside of it, whatever it does with OSC 52.
    """
    if environment.get("TMUX"):
        candidates = [["tmux", "load-buffer", "-w", "-"]]
    elif environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return None
    elif sys.platform == "darwin":
        candidates = [["pbcopy"]]
    elif environment.get("WSL_DISTRO_NAME"):
        candidates = [["clip.exe"]]
    elif environment.get("WAYLAND_DISPLAY"):
        candidates = [["wl-copy"]]
    elif environment.get("DISPLAY"):
        candidates = [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    else:
        return None
    return next((command for command in candidates if shutil.which(command[0])), None)


def copy_to_system(text: str) -> None:
    """Hand a text to the system's clipboard; nothing happens where that is not possible.

    Blocking for up to `TIMEOUT_S`: call it in a thread. The terminal has the text already.
    """
    command = clipboard_command(os.environ)
    if command is None:
        return
    try:
        subprocess.run(
            command,
            input=text.encode(),
            check=False,
            timeout=TIMEOUT_S,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return
