"""The unfinished file of a download: appended to, committed, resumed after any crash."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from secretary_tui import paths
from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local.catalogue import ModelWeights
from secretary_tui.engines.local.weights import committed_bytes, partial_path

_COMMIT_EVERY = 16 << 20
_HASH_CHUNK = 8 << 20


class PartFile:
    """One download's file, locked against a second download of the same model.

    What is committed survives a crash: the state beside the file says how many bytes are on disk
    and whose they are, and anything after them is cut off when it is opened again.
    """

    def __init__(self, weights: ModelWeights) -> None:
        """Open it, keeping what an earlier download committed.

        Raises:
            EngineError: another process is downloading the same model.
            OSError: the folder can't be written.
        """
        self.path = partial_path(weights)
        self._state = self.path.with_name(f"{self.path.name}.json")
        self._sha256 = weights.sha256
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644), "r+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise EngineError(
                f"Another download of {weights.id} is running.", "Wait for it, or end it first."
            ) from None
        self.size = committed_bytes(weights)
        self._committed = self.size
        self.cut(self.size)

    def append(self, data: bytes) -> None:
        """Write more bytes; they count for a resume after the next `commit`."""
        self._file.write(data)
        self.size += len(data)

    def cut(self, size: int) -> None:
        """Drop what comes after the first `size` bytes."""
        self._file.seek(size)
        self._file.truncate()
        self.size = size
        self._committed = min(self._committed, size)

    @property
    def wants_commit(self) -> bool:
        """Whether enough has come since the last commit to be worth another."""
        return self.size - self._committed >= _COMMIT_EVERY

    def commit(self) -> None:
        """Bring everything to disk and note how much it is."""
        self._file.flush()
        os.fsync(self._file.fileno())
        state = {"sha256": self._sha256, "bytes": self.size}
        paths.write_atomic(self._state, json.dumps(state))
        self._committed = self.size

    def digest_steps(self) -> Iterator[tuple[int, str]]:
        """Hash the file in steps of some milliseconds: bytes done, and the sha256 of those."""
        digest = hashlib.sha256()
        done = 0
        self._file.flush()
        self._file.seek(0)
        while chunk := self._file.read(_HASH_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            yield done, digest.hexdigest()

    def finish(self, target: Path) -> None:
        """Give the file its final name, in one step."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self.path.replace(target)
        self._state.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the file and its state."""
        self.path.unlink(missing_ok=True)
        self._state.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the file and its lock; an empty one is removed."""
        if self.size == 0 and not self._file.closed:
            self.discard()
        self._file.close()
