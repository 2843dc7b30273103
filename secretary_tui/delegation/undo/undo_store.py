"""Where the originals of changed files are kept: in the state folder, one private folder a run.

    undo/RUN/journal.jsonl     every change, in its order
    undo/RUN/objects/SHA256    content, each kept once
    undo/RUN/baseline.*        only while a command runs (`project_scan`)

Once all runs together hold more than `MAX_TOTAL_BYTES`, the oldest runs' originals are dropped,
whole runs at a time, until they fit; never those of a run that goes on. A run whose originals are
gone stays in the history and says so when it shall be undone.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.delegation.undo.file_states import digest_of
from secretary_tui.sessions.run_log import is_being_written

MAX_TOTAL_BYTES = 500_000_000


def undo_dir() -> Path:
    """The folder above those of the runs."""
    return paths.undo_dir()


class UndoStore:
    """The originals of one run, and the journal of its changes."""

    def __init__(self, run_id: str) -> None:
        self.folder = undo_dir() / run_id
        self.journal = self.folder / "journal.jsonl"
        self._objects = self.folder / "objects"

    def keep(self, data: bytes) -> str:
        """Keep content; gives its hash.

        Raises:
            OSError: it can't be written.
        """
        digest = digest_of(data)
        path = self._objects / digest
        if path.exists():
            return digest
        paths.make_private_folder(self._objects)
        draft = self._objects / f".{secrets.token_hex(8)}"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        return digest

    def content(self, digest: str) -> bytes | None:
        """Give kept content; None when it is not there, or not what it was."""
        if not digest.isalnum():
            return None
        try:
            data = (self._objects / digest).read_bytes()
        except OSError:
            return None
        return data if digest_of(data) == digest else None

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a line to the journal; it is in the kernel's hands when this returns.

        Raises:
            OSError: it can't be written.
        """
        paths.make_private_folder(self.folder)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        handle = os.open(self.journal, flags, 0o600)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            line = json.dumps(row).encode() + b"\n"
            os.write(handle, b"\n" + line if torn else line)
        finally:
            os.close(handle)

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Give the journal's lines; damaged ones are left out."""
        with contextlib.suppress(OSError):
            for raw in self.journal.read_bytes().splitlines():
                with contextlib.suppress(ValueError, RecursionError):
                    row = json.loads(raw)
                    if isinstance(row, dict):
                        yield row


def drop_oldest(keep: str, limit: int = MAX_TOTAL_BYTES) -> tuple[str, ...]:
    """Drop the originals of the oldest runs until all fit into `limit` bytes; names what went.

    `keep` is the run that needs the room. Run ids sort by time.
    """
    with contextlib.suppress(OSError):
        runs = sorted(folder for folder in undo_dir().iterdir() if folder.is_dir())
        sizes = {folder: _size(folder) for folder in runs}
        for folder in runs:
            # A killed program left it behind; with an index beside it, it is still needed.
            pack = folder / "baseline.pack"
            stale = pack.exists() and not (folder / "baseline.json").exists()
            if stale and folder.name != keep and not _goes_on(folder.name):
                pack.unlink(missing_ok=True)
        dropped = []
        for folder in runs:
            if sum(sizes.values()) <= limit:
                break
            if folder.name != keep and not _goes_on(folder.name):
                shutil.rmtree(folder, ignore_errors=True)
                del sizes[folder]
                dropped.append(folder.name)
        return tuple(dropped)
    return ()


def _goes_on(run_id: str) -> bool:
    return any(map(is_being_written, paths.runs_dir().glob(f"*/{run_id}.jsonl")))


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    return total
