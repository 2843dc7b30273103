"""The log of one run: a JSONL file that only grows, the truth about what happened.

One event a line, in the form of `events.to_json` plus `"at"`, the time in UTC. Whole lines go
straight to the kernel, so a killed process loses at most the text of the last quarter second,
and a reader meets at most one torn line. The file is locked while it is written: a reader can
tell a run that is still going from one that was cut off.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import hashlib
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from secretary_tui import paths
from secretary_tui.events import RunEvent, TextDelta, ThinkingDelta, to_json
from secretary_tui.sessions.errors import SessionError

FLUSH_S = 0.25
"""How long a piece of text may wait for its neighbours before it is written, in seconds."""


class RunLog:
    """The open log of one run. Not for use by two threads."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._kind: type[TextDelta] | type[ThinkingDelta] | None = None
        self._pieces: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self._fault: SessionError | None = None
        self._torn = _ends_in_a_torn_line(descriptor)

    @classmethod
    def create(cls, project: Path, run_id: str) -> RunLog:
        """Start the log of a new run, readable by its user alone.

        Raises:
            SessionError: it exists already, or the folder can't be written.
        """
        path = project_runs_dir(project) / f"{run_id}.jsonl"
        try:
            paths.make_private_folder(path.parent)
        except OSError as error:
            raise _fault(path, error) from None
        return cls(path, _open(path, os.O_CREAT | os.O_EXCL))

    @classmethod
    def open(cls, run_id: str) -> RunLog:
        """Go on with the log of a stored run.

        Raises:
            SessionError: there is none, or another process is writing it.
        """
        from secretary_tui.sessions.store import find_run

        path = find_run(run_id)
        return cls(path, _open(path, 0))

    def append(self, event: RunEvent) -> None:
        """Add an event. Neighbouring deltas become one line; everything else is written at once.

        Raises:
            SessionError: the disk is full or the file can't be written.
        """
        self._raise_fault()
        if isinstance(event, TextDelta | ThinkingDelta):
            self._gather(event)
            return
        self._flush()
        self._write(event)

    def close(self) -> None:
        """Write what waits and let go of the file. Safe to call twice.

        Raises:
            SessionError: the last piece can't be written.
        """
        if self._descriptor < 0:
            return
        try:
            self._raise_fault()
            self._flush()
        finally:
            self._cancel_timer()
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        """Give the log itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def _gather(self, event: TextDelta | ThinkingDelta) -> None:
        if self._kind is not type(event):
            self._flush()
            self._kind = type(event)
        self._pieces.append(event.text)
        if self._timer is None:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                self._flush()
            else:
                self._timer = loop.call_later(FLUSH_S, self._flush_later)

    def _flush_later(self) -> None:
        try:
            self._flush()
        except SessionError as error:
            self._fault = error  # Nobody listens here: the next append or close tells.

    def _flush(self) -> None:
        self._cancel_timer()
        if self._kind is None:
            return
        event = self._kind("".join(self._pieces))
        self._kind = None
        self._pieces.clear()
        self._write(event)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _raise_fault(self) -> None:
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def _write(self, event: RunEvent) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        text = json.dumps({**to_json(event), "at": now}, ensure_ascii=False, default=str)
        # A lone surrogate becomes its JSON escape, which reads back as it was.
        line = text.encode("utf-8", "backslashreplace") + b"\n"
        if self._torn:
            line = b"\n" + line
        rest = memoryview(line)
        try:
            while rest:
                written = os.write(self._descriptor, rest)
                rest = rest[written:]
                self._torn = bool(rest)
        except OSError as error:
            raise _fault(self.path, error) from None


def project_runs_dir(project: Path) -> Path:
    """The folder for the runs of a project: its name for people, a hash to tell twins apart."""
    resolved = project.resolve()
    name = re.sub(r"[^A-Za-z0-9]+", "-", resolved.name).strip("-")[:40] or "root"
    digest = hashlib.sha256(os.fsencode(resolved)).hexdigest()[:8]
    return paths.runs_dir() / f"{name}-{digest}"


def is_being_written(path: Path) -> bool:
    """Whether a live process holds the log open."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # A file system without locks: we can't know, so we don't claim it.
    finally:
        os.close(descriptor)
    return False


def _open(path: Path, flags: int) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o600)
    except FileExistsError:
        raise SessionError(f"the run {path.stem} exists already. Start another one.") from None
    except OSError as error:
        raise _fault(path, error) from None
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise SessionError(
            f"the run {path.stem} is still going on in another window. Wait for it or end it there."
        ) from None
    except OSError:
        pass  # A file system without locks.
    return descriptor


def _ends_in_a_torn_line(descriptor: int) -> bool:
    with contextlib.suppress(OSError):
        size = os.fstat(descriptor).st_size
        return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
    return False


def _fault(path: Path, error: OSError) -> SessionError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SessionError(
            f"the disk is full, so the run can't be logged to {path}. Free some space and go on."
        )
    reason = error.strerror or str(error)
    return SessionError(f"the run can't be logged to {path}: {reason}. Check the folder.")
