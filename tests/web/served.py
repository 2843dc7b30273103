"""`secretary-tui serve` as a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.waiting import until


class Served:
    """A server on a project; `url` holds its token, `origin` does not."""

    def __init__(self, project: Path, *arguments: str) -> None:
        self._project = project
        self.process = subprocess.Popen(
            [sys.executable, "-m", "secretary_tui", "serve", *arguments],
            cwd=project,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("Open http"):
            self.process.kill()
            raise AssertionError(line + self.process.communicate()[1])
        self.url = line.removeprefix("Open ").strip()
        self.origin, _, self.token = self.url.partition("/?token=")
        self.printed = line
        self.key = ""
        """What opens the websocket, once somebody came with the token."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        until(lambda: not self.apps())

    async def end(self, name: signal.Signals) -> int:
        """Send a signal; gives the exit status, and keeps what was printed."""
        self.process.send_signal(name)
        out, err = await asyncio.to_thread(self.process.communicate, timeout=60)
        self.printed += out + err
        return self.process.returncode

    def apps(self) -> list[int]:
        """The app processes of this project that are alive."""
        listed = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pid=,stat=,command="],
            capture_output=True,
            text=True,
            check=True,
        )
        rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
        return [
            int(pid)
            for pid, state, command in rows
            if "secretary_tui.web.browser_app" in command
            and f'"{self._project}"' in command
            and not state.startswith("Z")
        ]
