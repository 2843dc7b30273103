"""Where a conversation's checkpoints lie: one SQLite file, owned by the process that writes it.

A file that its process left behind, since it was killed or ended with a panel open, is what the
next start looks into.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from secretary_tui import paths
from secretary_tui.sessions.run_log import project_runs_dir

_SUFFIX = ".sqlite"


def conversations_dir(project: Path) -> Path:
    """The folder of a project's conversations."""
    return paths.state_dir() / "projects" / project_runs_dir(project).name / "conversations"


class ConversationFile:
    """The file of one conversation, held by a lock beside it until `release`."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @property
    def conversation(self) -> str:
        """The conversation's id."""
        return self.path.stem.removeprefix(":memory:")

    @classmethod
    def create(cls, project: Path) -> ConversationFile:
        """Make the file of a new conversation.

        Raises:
            OSError: the folder can't be written.
        """
        folder = conversations_dir(project)
        paths.make_private_folder(folder)
        path = folder / f"{secrets.token_hex(8)}{_SUFFIX}"
        held = _hold(path)
        if held is None:
            raise OSError(f"{path} is held by another process")
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        return cls(path, held)

    @classmethod
    def left_behind(cls, project: Path) -> Iterator[ConversationFile]:
        """Take over the files that no process holds, the newest first."""
        with contextlib.suppress(OSError):
            found = [(path.stat().st_mtime, path) for path in conversations_dir(project).glob(
                f"*{_SUFFIX}")]  # fmt: skip
            for _, path in sorted(found, reverse=True):
                held = _hold(path)
                if held is not None:
                    yield cls(path, held)

    @classmethod
    def in_memory(cls) -> ConversationFile:
        """A conversation that no start will find: where the folder can't be written."""
        return cls(Path(f":memory:{secrets.token_hex(8)}"), -1)

    def release(self, *, keep: bool) -> None:
        """Let go of the file; it is removed unless it is to be found by the next start."""
        lock, self._lock = self._lock, -1  # Its number may be another file's by the next call.
        if lock < 0:
            return
        names = () if keep else ("", "-wal", "-shm", "-journal")
        with contextlib.suppress(OSError):
            for name in names:
                self.path.with_name(self.path.name + name).unlink(missing_ok=True)
            _lock_of(self.path).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            os.close(lock)


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")


def _hold(path: Path) -> int | None:
    """Lock the file beside; None when another process holds it."""
    handle = os.open(_lock_of(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
