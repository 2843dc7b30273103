"""Start, watch and end the child process that serves the embedded model."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import re
import secrets
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.engines.base import EngineError
from secretary_tui.sanitize import clean_line

START_TIMEOUT_S = 180.0
"""Loading takes seconds; minutes only from a very slow disk."""
MEMORY_TO_SPARE = 2_500_000_000
"""Bytes that must be free before a model is loaded that may not be needed."""
_STOP_TIMEOUT_S = 5.0
_LINES_KEPT = 40
_LOG_HEAD = re.compile(r"[\d.]+ E +(?:\w+ *: *)?")
"""The time and level before an error in llama.cpp's log."""


@dataclass(frozen=True, slots=True)
class LocalAddress:
    """Where the child listens, and the key that only its parent knows."""

    url: str
    api_key: str


class LocalProcess:
    """One running child; made by `start`."""

    def __init__(self, process: asyncio.subprocess.Process, address: LocalAddress) -> None:
        self._process = process
        self.address = address
        self.threads = 0
        """How many write an answer."""
        self._stderr: deque[str] = deque(maxlen=_LINES_KEPT)
        self._drain: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether the child is alive."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @classmethod
    async def start(cls, model: Path, alias: str, *, threads: int, prompts: Path) -> LocalProcess:
        """Start the child and wait until it serves.

        Args:
            model: The GGUF file.
            alias: What the server calls the model.
            threads: How many write an answer; a prompt is read by as many as there are cores.
            prompts: The folder for the state behind prompts that were read.

        Raises:
            EngineError: it could not be started or could not load the model.
        """
        key = secrets.token_urlsafe(32)
        try:
            process = await asyncio.create_subprocess_exec(
                # -P: a folder that is worked on must not lend its modules to this process.
                sys.executable,
                "-P",
                "-m",
                "secretary_tui.engines.local.local_server",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=_environment(),
                # Ctrl+C in the terminal is for the parent, which then ends the child in order.
                start_new_session=True,
            )
        except OSError as error:
            raise EngineError(f"The local model can't be started: {error}.") from None
        child = cls(process, LocalAddress("", key))
        child._drain = asyncio.create_task(child._keep_last_lines())
        settings = {
            "model": str(model),
            "alias": alias,
            "api_key": key,
            "parent": os.getpid(),
            "threads": threads,
            "prompts": str(prompts),
        }
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                url = await child._handshake(json.dumps(settings))
        except TimeoutError:
            await child.stop()
            raise EngineError(
                f"The local model was not ready after {START_TIMEOUT_S:g} s.",
                "Try the smaller model: `secretary-tui model get qwen2.5-coder-0.5b`.",
            ) from None
        except BaseException:
            await child.stop()
            raise
        child.address, child.threads = LocalAddress(url, key), threads
        return child

    async def stop(self) -> None:
        """End the child: closed input first, then force. Safe to call twice."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self.is_running:
            try:
                async with asyncio.timeout(_STOP_TIMEOUT_S):
                    await self._process.wait()
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()
        if self._drain is not None:
            await asyncio.wait([self._drain])

    async def _handshake(self, settings: str) -> str:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise EngineError("The local model's process has no pipes.")
        with contextlib.suppress(ConnectionError):
            stdin.write(settings.encode() + b"\n")
            await stdin.drain()
        line = await stdout.readline()
        try:
            reply = json.loads(line)
        except ValueError:
            await self._process.wait()
            raise self._failure(f"its process ended with code {self._process.returncode}") from None
        if "url" not in reply:
            raise self._failure(clean_line(str(reply.get("error", ""))))
        return str(reply["url"])

    def _failure(self, reason: str) -> EngineError:
        """Say why it failed: llama.cpp's own error line when there is one."""
        errors = [line for line in self._stderr if _LOG_HEAD.match(line)]
        said = (errors or list(self._stderr)[-1:])[:1]
        words = _LOG_HEAD.sub("", said[0]).rstrip(". ") if said else ""
        detail = f" llama.cpp says: {words}." if words else ""
        return EngineError(
            f"The local model can't be loaded: {reason.rstrip('.')}.{detail}",
            "Get it again with `secretary-tui model get`, or choose another file with "
            "`secretary-tui model use PATH`.",
        )

    async def _keep_last_lines(self) -> None:
        """Read the child's log to its end, so that it never blocks on a full pipe."""
        stream = self._process.stderr
        if stream is None:
            return
        while True:
            try:
                line = await stream.readline()
            except ValueError:  # Longer than the reader's buffer; what was read is dropped.
                continue
            if not line:
                return
            self._stderr.append(clean_line(line.decode("utf-8", "replace"))[:300])


def has_memory_to_spare() -> bool:
    """Whether a model can be loaded that may not be needed, without pressing on anything."""
    psutil = importlib.import_module("psutil")  # It has no type information.
    return bool(psutil.virtual_memory().available >= MEMORY_TO_SPARE)


def _environment() -> dict[str, str]:
    """The user's environment without the keys, which this child has no use for."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
