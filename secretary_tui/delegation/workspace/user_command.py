"""A shell line of the user's own: their shell, their rights, their environment.

No agent ever gets here. What it shares with an agent's Bash is how it ends: nothing of it is left.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

from secretary_tui.delegation.workspace.process_group import ProcessGroup

STOP_S = 1.0
"""Seconds between asking it to stop (Ctrl+C) and killing it."""


def user_shell() -> str:
    """The user's own shell: $SHELL, where that can be run."""
    shell = os.environ.get("SHELL", "")
    return shell if shell and os.access(shell, os.X_OK) else "/bin/sh"


class UserCommand:
    """One command in a process group of its own, with no input.

    Args:
        command: What the shell is given.
        folder: Where it runs.
        on_output: Called with each piece of output and error output, as text.
    """

    def __init__(self, command: str, folder: Path, on_output: Callable[[str], None]) -> None:
        self._command = command
        self._folder = folder
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._group: ProcessGroup | None = None
        self.stopped = False
        """Whether it was told to end."""

    async def run(self) -> int:
        """Run it and give the exit code; negative for a signal.

        When it ends, or this is cancelled, all that is left of its process group is killed.

        Raises:
            OSError: the shell can't be started.
        """
        group = self._group = await ProcessGroup.start(
            (user_shell(), "-c", self._command), self._folder, self._take
        )
        try:
            if self.stopped:  # Before there was anything to stop.
                group.signal(signal.SIGKILL)
            return await group.wait()
        finally:
            await group.end()
            if rest := self._decoder.decode(b"", final=True):
                self._on_output(rest)

    async def stop(self) -> None:
        """Ask all of it to end, as Ctrl+C would, and kill what is left a second later."""
        self.stopped = True
        if self._group is None:
            return
        self._group.signal(signal.SIGINT)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._group.wait()), STOP_S)
        self._group.signal(signal.SIGKILL)

    def _take(self, chunk: bytes) -> None:
        self._on_output(self._decoder.decode(chunk))
