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

from secretary_tui.delegation.bash import collect, settle
from secretary_tui.delegation.process_group import signal_group

STOP_S = 1.0
"""Seconds between asking it to stop (Ctrl+C) and killing it."""


def user_shell() -> str:
    """The user's own shell: $SHELL, where that can be run."""
    shell = os.environ.get("SHELL", "")
    return shell if shell and os.access(shell, os.X_OK) else "/bin/sh"


class OwnCommand:
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
        self._process: asyncio.subprocess.Process | None = None
        self.stopped = False
        """Whether it was told to end."""

    async def run(self) -> int:
        """Run it and give the exit code; negative for a signal.

        When it ends, or this is cancelled, all that is left of its process group is killed.

        Raises:
            OSError: the shell can't be started.
        """
        source, sink = os.pipe()
        try:
            process = self._process = await asyncio.create_subprocess_exec(
                user_shell(),
                "-c",
                self._command,
                cwd=self._folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
        except BaseException:
            os.close(source)
            raise
        finally:
            os.close(sink)
        reader = asyncio.create_task(collect(source, self._take))
        try:
            if self.stopped:  # Before there was anything to stop.
                self._signal(signal.SIGKILL)
            return await process.wait()
        finally:
            self._signal(signal.SIGKILL)
            await asyncio.shield(settle(process, reader))
            if rest := self._decoder.decode(b"", final=True):
                self._on_output(rest)

    async def stop(self) -> None:
        """Ask all of it to end, as Ctrl+C would, and kill what is left a second later."""
        self.stopped = True
        if self._process is None:
            return
        self._signal(signal.SIGINT)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._process.wait()), STOP_S)
        self._signal(signal.SIGKILL)

    def _take(self, chunk: bytes) -> None:
        self._on_output(self._decoder.decode(chunk))

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            signal_group(self._process.pid, number)
