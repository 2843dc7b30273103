"""Directions of descriptions on disk, found by what they were made from.

One file of records of the same size: key, direction, check sum. Apps that run at once append to it
under a lock. A record that was torn or damaged is skipped, so the worst that can happen to the file
is that something is computed again. Beyond its bound only what is in use is kept.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from secretary_tui import paths

KEY_BYTES = 32
MOST_BYTES = 32 << 20
"""Size from which unused records are dropped: about 40,000 agents."""
_CHECK_BYTES = 4


class SentenceCache:
    """The records of one file; all of them hold `size` bytes."""

    def __init__(self, path: Path, size: int, most_bytes: int = MOST_BYTES) -> None:
        self._path = path
        self._record = KEY_BYTES + size + _CHECK_BYTES
        self._most_bytes = most_bytes

    def read(self, wanted: Iterable[bytes]) -> dict[bytes, bytes]:
        """Give what is there of the wanted keys; nothing when the file can't be read."""
        keys = frozenset(wanted)
        try:
            data = paths.read_small(self._path, 2 * self._most_bytes)
        except OSError:
            return {}
        return {key: value for key, value in self._records(data) if key in keys}

    def add(self, found: Mapping[bytes, bytes], in_use: Iterable[bytes]) -> None:
        """Append records; when the file gets too long, only those `in_use` stay.

        Raises:
            OSError: the folder can't be written.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            end = file.seek(0, os.SEEK_END)
            # A writer that was killed may have left part of a record.
            file.seek(end - end % self._record)
            file.truncate()
            file.write(b"".join(self._pack(key, value) for key, value in found.items()))
            file.flush()
            if file.tell() > self._most_bytes:
                self._compact(file, frozenset(in_use))

    def _compact(self, file: BinaryIO, in_use: frozenset[bytes]) -> None:
        """Replace the file by a shorter one; what others still append to the old one is lost."""
        file.seek(0)
        kept = {key: value for key, value in self._records(file.read()) if key in in_use}
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        try:
            with os.fdopen(handle, "wb") as shorter:
                for key, value in kept.items():
                    shorter.write(self._pack(key, value))
            Path(name).replace(self._path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise

    def _pack(self, key: bytes, value: bytes) -> bytes:
        record = key + value
        if len(record) != self._record - _CHECK_BYTES:
            raise ValueError("a record of another size")
        return record + zlib.crc32(record).to_bytes(_CHECK_BYTES, "little")

    def _records(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        for start in range(0, len(data) - self._record + 1, self._record):
            record = data[start : start + self._record - _CHECK_BYTES]
            check = data[start + len(record) : start + self._record]
            if zlib.crc32(record).to_bytes(_CHECK_BYTES, "little") == check:
                yield record[:KEY_BYTES], record[KEY_BYTES:]
