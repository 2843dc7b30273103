"""The process of an ACP agent: behind walls, with its own things and no others of the user's."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from secretary_tui.delegation.mcp.mcp_process import tied_to_parent
from secretary_tui.delegation.sandbox.hidden import home_folder
from secretary_tui.delegation.sandbox.program_files import ProgramFiles
from secretary_tui.delegation.sandbox.sandbox import (
    Confinement,
    command_environment,
    sandbox_status,
)
from secretary_tui.delegation.workspace.process_group import signal_group
from secretary_tui.engines.acp.acp_profiles import AcpProfile
from secretary_tui.engines.base import EngineError
from secretary_tui.sanitize import clean_line

STREAM_LIMIT = 50_000_000
"""Bytes of one message: files travel in them."""
_END_S = 2.0
_STDERR_TAIL = 300


class AcpProcess:
    """Starts the program of an agent and ends it with all that it started."""

    def __init__(
        self,
        profile: AcpProfile,
        workspace: Path,
        *,
        writable: bool,
        beside: Sequence[Path] = (),
    ) -> None:
        self._profile = profile
        self._workspace = workspace
        self._writable = writable
        self._beside = tuple(beside)
        """What it sees beside its own things, read-only."""
        self._walls: Confinement | None = None
        self._log = tempfile.TemporaryFile("w+b")  # noqa: SIM115 (closed by `stop`)
        self._process: asyncio.subprocess.Process | None = None
        self.notes: tuple[str, ...] = ()
        """What the walls undid, one sentence each, once it was stopped."""

    @property
    def confined(self) -> bool:
        """Whether walls stand around it."""
        return self._walls is not None

    async def start(
        self, environ: Mapping[str, str] = os.environ
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Start it; gives what it says and what it is told.

        Raises:
            EngineError: it can't be confined as it must be, or can't be started.
        """
        profile = self._profile
        environment = command_environment(environ)
        environment |= {name: environ[name] for name in profile.environment if name in environ}
        argv = list(profile.command)
        try:
            if profile.walls:
                argv = await asyncio.to_thread(self._enter, argv)
            elif self._writable:
                argv = [*tied_to_parent(), *argv]
            else:
                raise EngineError(
                    f"{clean_line(profile.title)} runs without walls, so nothing could keep it "
                    "from writing; this run may only read.",
                    "Let it have walls in the setting `engines`, or take another engine.",
                )
            process = self._process = await asyncio.create_subprocess_exec(
                *argv,
                cwd=self._workspace,
                env=environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._log,
                start_new_session=True,
                limit=STREAM_LIMIT,
            )
        except OSError as error:
            raise EngineError(f"{clean_line(profile.title)} can't be started: {error}.") from None
        assert process.stdout is not None
        assert process.stdin is not None
        return process.stdout, process.stdin

    async def stop(self) -> None:
        """End it and what it started; what it changed of protected things is undone."""
        process = self._process
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _END_S)
            signal_group(process.pid)
            await process.wait()
        if self._walls is not None:
            self.notes = await asyncio.to_thread(self._walls.leave)
            self._walls = None
        self._log.close()

    def last_words(self) -> str:
        """The end of what it wrote on its error output, on one line."""
        try:
            self._log.seek(0)
            return clean_line(self._log.read().decode("utf-8", "replace"))[-_STDERR_TAIL:]
        except (OSError, ValueError):
            return ""

    def _enter(self, argv: list[str]) -> list[str]:
        if sandbox_status()[0] != "bubblewrap":
            raise EngineError(
                f"Only bubblewrap can put walls around {clean_line(self._profile.title)} and leave "
                "it the network.",
                "Install bubblewrap, or set `walls: false` for it in the setting `engines`.",
            )
        home = home_folder()
        self._walls = Confinement(
            argv,
            self._workspace,
            writable=self._writable,
            network=True,
            program_files=ProgramFiles(
                seen=[*(home / name for name in self._profile.home), *self._beside],
                kept=[home / name for name in self._profile.keeps],
            ),
        )
        return self._walls.enter()
