"""Programs that run for a call: ended with all that they started and that stayed in their group."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_DRAIN_S = 1.0


def signal_group(leader: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to the group of a process that leads one; nothing where it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


async def answer_of(process: Process, given: bytes, timeout_s: float) -> tuple[bytes, bytes]:
    """Give a process its input and wait for its output and error output; then it has ended.

    A cancellation kills it too.

    Raises:
        TimeoutError: it took longer than `timeout_s` seconds, and was killed.
    """
    try:
        async with asyncio.timeout(timeout_s):
            return await process.communicate(given)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


class ProcessGroup:
    """A program that leads a process group of its own and has no input. Always call `end`."""

    def __init__(self, process: Process, reader: asyncio.Task[None]) -> None:
        self._process = process
        self._reader = reader

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        folder: Path,
        take: Callable[[bytes], None],
        environment: Mapping[str, str] | None = None,
    ) -> ProcessGroup:
        """Start it in a folder; `take` gets its output and error output as they come.

        Raises:
            OSError: it can't be started.
        """
        # A pipe of our own: asyncio's waits for its end, which a background process may hold open.
        source, sink = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                cwd=folder,
                env=environment,
                stdin=DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
        except BaseException:
            os.close(source)
            raise
        finally:
            os.close(sink)
        return cls(process, asyncio.create_task(_collect(source, take)))

    async def wait(self) -> int:
        """Wait for the program itself; its exit code, negative for a signal."""
        return await self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all of it."""
        signal_group(self._process.pid, number)

    async def end(self) -> None:
        """Kill all of it, and take what is left in the pipe, but wait for no one who holds it.

        Being cancelled meanwhile doesn't keep that from being done.
        """
        self.signal(signal.SIGKILL)
        await asyncio.shield(self._settle())

    async def _settle(self) -> None:
        await self._process.wait()
        await asyncio.wait([self._reader], timeout=_DRAIN_S)
        self._reader.cancel()
        await asyncio.wait([self._reader])


async def _collect(source: int, take: Callable[[bytes], None]) -> None:
    """Read a pipe to its end, which may be long after the program's own."""
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader()
    with os.fdopen(source, "rb", buffering=0) as file:
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), file
        )
        try:
            while chunk := await stream.read(65_536):
                take(chunk)
        finally:
            transport.close()
