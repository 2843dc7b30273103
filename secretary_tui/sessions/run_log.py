"""The log of one run: a JSONL file that only grows, the truth about what happened.

One event a line, in the form of `events.to_json` plus `"at"`, the time in UTC. Everything goes
straight to the kernel, so a killed process loses nothing that was shown. Neighbouring pieces of
text share a line that stays open until something else happens: `read_torn_text` reads it even
when its end never came. The file is locked while it is written: a reader can tell a run that is
still going from one that was cut off.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from secretary_tui import paths
from secretary_tui.events import PASSING, RunEvent, TextDelta, ThinkingDelta, to_json
from secretary_tui.sessions.attachments import put_aside
from secretary_tui.sessions.errors import SessionError

MAX_TEXT_LINE = 8_000
"""Characters of text in one line, about; more begin another one."""
_TEXT_HEADS = (b'{"type": "text_delta", "text": "', b'{"type": "thinking_delta", "text": "')
_PARTIAL_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")
_PARTIAL_TAIL = re.compile(rb'"(?:,(?: (?:"(?:a(?:t(?:"(?:: ?)?)?)?)?)?)?)?$')


class RunLog:
    """The open log of one run. Not for use by two threads."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._open_text: type[TextDelta] | type[ThinkingDelta] | None = None
        self._length = 0
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
    def open(cls, path: Path) -> RunLog:
        """Go on with the log of a stored run (`sessions.store.find_run` has its path).

        Raises:
            SessionError: it can't be opened, or another process is writing it.
        """
        return cls(path, _open(path, 0))

    def append(self, event: RunEvent) -> None:
        """Add an event; it is in the kernel's hands when this returns. Passing states are not kept.

        Raises:
            SessionError: the disk is full or the file can't be written.
        """
        if isinstance(event, PASSING):
            return
        if isinstance(event, TextDelta | ThinkingDelta):
            self._append_text(event)
            return
        self._close_text()
        try:
            data = put_aside(to_json(event), self.path)
        except OSError as error:
            raise _fault(self.path, error) from None
        text = json.dumps({**data, "at": _now()}, ensure_ascii=False, default=str)
        self._write(_encoded(text) + b"\n")

    def close(self) -> None:
        """Let go of the file. Safe to call twice.

        Raises:
            SessionError: the last line can't be ended.
        """
        if self._descriptor < 0:
            return
        try:
            self._close_text()
        finally:
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

    def _append_text(self, event: TextDelta | ThinkingDelta) -> None:
        if self._open_text is not type(event) or self._length > MAX_TEXT_LINE:
            self._close_text()
        inner = json.dumps(event.text, ensure_ascii=False)[1:-1]
        head = "" if self._open_text else f'{{"type": "{event.type}", "text": "'
        self._write(_encoded(head + inner))
        self._open_text = type(event)
        self._length += len(inner)

    def _close_text(self) -> None:
        if self._open_text is None:
            return
        self._open_text, self._length = None, 0
        self._write(_encoded(f'", "at": "{_now()}"}}\n'))

    def _write(self, data: bytes) -> None:
        rest = memoryview(b"\n" + data if self._torn else data)
        try:
            while rest:
                written = os.write(self._descriptor, rest)
                rest = rest[written:]
                self._torn = bool(rest)
        except OSError as error:
            if self._open_text is not None:
                self._open_text, self._length, self._torn = None, 0, True
            raise _fault(self.path, error) from None


def read_torn_text(line: bytes) -> Mapping[str, Any] | None:
    """Read a line of text whose end was never written; None when it is none."""
    if not line.startswith(_TEXT_HEADS):
        return None
    text = _PARTIAL_ESCAPE.sub(rb"\1", line.decode("utf-8", "ignore").encode())
    for whole in (text + b'"}', text + b"}", _PARTIAL_TAIL.sub(b"", text) + b'"}'):
        with contextlib.suppress(ValueError):
            data = json.loads(whole)
            return data if isinstance(data, dict) else None
    return None


def project_runs_dir(project: Path) -> Path:
    """The folder for the runs of a project: its name for people, a hash to tell twins apart."""
    resolved = project.resolve()
    name = re.sub(r"[^A-Za-z0-9]+", "-", resolved.name).strip("-")[:40] or "root"
    digest = hashlib.sha256(os.fsencode(resolved)).hexdigest()[:8]
    return paths.runs_dir() / f"{name}-{digest}"


def is_being_written(path: Path) -> bool:
    """Whether a live process holds the log open."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return is_held(descriptor)
    finally:
        os.close(descriptor)


def is_held(descriptor: int) -> bool:
    """Whether another process writes the log that is open here for reading."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # A file system without locks: we can't know, so we don't claim it.
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _encoded(text: str) -> bytes:
    # A lone surrogate becomes its JSON escape, which reads back as it was.
    return text.encode("utf-8", "backslashreplace")
