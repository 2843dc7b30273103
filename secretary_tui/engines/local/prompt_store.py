"""Keeps on disk what the embedded model has read of agents' prompts: reading again takes seconds.

A file holds the state of the model after a prompt, about 28 kB a token. Its name is a hash of all
that the state depends on, so an outdated one is never loaded; the oldest are deleted first.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import importlib.metadata
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from secretary_tui import paths
from secretary_tui.engines.base import EngineError

MAX_BYTES = 256_000_000
"""Of all files together: some 25 agents with the usual model."""


class PromptStore:
    """The kept prompts of one model."""

    def __init__(self, model: Path, settings: str) -> None:
        """`settings` says what else the state depends on, such as the size of the context."""
        status = model.stat()
        runtime = importlib.metadata.version("xllamacpp")
        self._identity = f"{model}\0{status.st_size}\0{status.st_mtime_ns}\0{runtime}\0{settings}\0"
        self.folder = paths.cache_dir() / "prompts"
        with contextlib.suppress(OSError):
            paths.make_private_folder(self.folder)

    def name(self, system: str) -> str:
        """Name the file for a prompt."""
        return hashlib.sha256((self._identity + system).encode()).hexdigest()[:32] + ".state"

    def has(self, name: str) -> bool:
        """Whether the file is there; marks it as used."""
        path = self.folder / name
        try:
            os.utime(path)
            return path.is_file()  # The runtime would wait for a pipe.
        except OSError:
            return False

    async def keep(self, name: str, write: Callable[[str], Awaitable[object]]) -> None:
        """Have the runtime write a file, whole or not at all, and make room for it.

        Where that fails nothing is raised: the prompt is read again next time.
        """
        part = f"{os.getpid()}-{name}.part"
        try:
            with contextlib.suppress(OSError, EngineError):
                await write(part)
                (self.folder / part).replace(self.folder / name)
                await asyncio.to_thread(self._trim)
        finally:
            with contextlib.suppress(OSError):
                (self.folder / part).unlink(missing_ok=True)

    def _trim(self) -> None:
        """Delete the files that were not used for longest, until the rest fits.

        What a process that was killed had begun (`.part`) counts like the others.
        """
        kept = 0
        with contextlib.suppress(OSError):
            found = [(path, path.stat()) for path in self.folder.glob("*.state*")]
            for path, status in sorted(found, key=lambda one: -one[1].st_mtime):
                kept += status.st_size
                if kept > MAX_BYTES:
                    path.unlink(missing_ok=True)
