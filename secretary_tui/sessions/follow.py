"""Read a run while another process writes it: its events as they come, like one's own.

The log is read in a thread, a few times a second. The line of text that stays open while a model
answers is read piece by piece. It ends when the run has ended, or its writer is gone.
"""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import AsyncGenerator
from pathlib import Path

from secretary_tui.events import (
    Notice,
    RunEvent,
    RunFailed,
    RunFinished,
    TextDelta,
    ThinkingDelta,
)
from secretary_tui.sessions.errors import SessionError
from secretary_tui.sessions.run_log import is_held, read_torn_text
from secretary_tui.sessions.store import find_run, read_line

POLL_S = 0.2
"""Seconds between two looks at a log that did not grow."""
MAX_LINE = 64 * 1024 * 1024
"""Bytes of a line; a longer one is left out."""
_READ = 256 * 1024
_FIRST_LOOKS = 5
"""Looks at an empty log before its writer counts as gone: it makes the file, then locks it."""
_MAX_OPEN_TEXT = 256 * 1024
"""Bytes of an unfinished line that are read as text; those of the log are far shorter."""


async def follow(run_id: str) -> AsyncGenerator[RunEvent, None]:
    """Give the events of a run from its beginning on, until it has ended or its writer is gone.

    A run that nobody writes is given as it stands. Damaged lines and events of a newer version are
    left out; `store.load_run` counts them.

    Raises:
        SessionError: there is no such run, more than one, or its log can't be read.
    """
    path = await asyncio.to_thread(find_run, run_id)
    log = await asyncio.to_thread(FollowedLog, path)
    try:
        ended, looks = False, 0
        while not ended:
            # The writer may write its last lines between a look and the next: asked before it.
            written = await asyncio.to_thread(log.is_written)
            events = await asyncio.to_thread(log.read)
            for event in events:
                yield event
            looks += 1
            gone = not written and (looks >= _FIRST_LOOKS or not log.is_empty)
            ended = log.at_end and (log.has_ended or gone)
            if log.at_end and not ended:
                await asyncio.sleep(POLL_S)
        for event in log.rest():
            yield event
    finally:
        log.close()


class FollowedLog:
    """A log that is read as far as it goes, again and again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = _open(path)
        self._in_use = threading.Lock()
        """Held by who reads: a thread may still do so when the one who waited for it is gone."""
        self._line = bytearray()
        """What was read of the line that isn't whole yet."""
        self._too_long = False
        self._given = 0
        """Characters of its text that were given already."""
        self.is_empty = True
        """Whether nothing was read yet."""
        self.at_end = False
        """Whether the last `read` came to the end of the file."""
        self.has_ended = False
        """Whether the last event is the end of a run."""

    def is_written(self) -> bool:
        """Whether a live process holds the log open."""
        with self._in_use:
            return is_held(self._descriptor)

    def read(self) -> list[RunEvent]:
        """Read what came since the last time, a part of it where that is much.

        Raises:
            SessionError: it can't be read.
        """
        with self._in_use:
            try:
                data = os.read(self._descriptor, _READ)
            except OSError as error:
                raise _unreadable(self._path, error.strerror) from None
        self.at_end, self.is_empty = len(data) < _READ, self.is_empty and not data
        events: list[RunEvent] = []
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._take(part)
            events.extend(self._end_line())
        self._take(rest)
        events.extend(self._open_text())
        for event in events:
            if not isinstance(event, Notice):
                self.has_ended = isinstance(event, RunFinished | RunFailed)
        return events

    def rest(self) -> list[RunEvent]:
        """The events of an unfinished last line, once the writing process has ended."""
        return self._end_line() if self._line else []

    def close(self) -> None:
        """Let go of the file."""
        with self._in_use:
            os.close(self._descriptor)
            self._descriptor = -1

    def _take(self, part: bytes) -> None:
        self._too_long = self._too_long or len(self._line) + len(part) > MAX_LINE
        if self._too_long:
            self._line.clear()
        else:
            self._line += part

    def _end_line(self) -> list[RunEvent]:
        line, given = bytes(self._line), self._given
        self._line.clear()
        self._given, self._too_long = 0, False
        event, _ = read_line(line, self._path) if line.strip() else (None, None)
        if isinstance(event, TextDelta | ThinkingDelta) and given:
            rest = event.text[given:]
            return [type(event)(rest)] if rest else []
        return [event] if event is not None else []

    def _open_text(self) -> list[RunEvent]:
        if not self._line or len(self._line) > _MAX_OPEN_TEXT:
            return []
        data = read_torn_text(bytes(self._line))
        text = data.get("text") if data is not None else None
        if data is None or not isinstance(text, str) or len(text) <= self._given:
            return []
        piece, self._given = text[self._given :], len(text)
        return [TextDelta(piece) if data.get("type") == TextDelta.type else ThinkingDelta(piece)]


def _open(path: Path) -> int:
    """Open a log for reading; a pipe in its place must not hold us."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unreadable(path, error.strerror) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _unreadable(path, "it is no regular file")
    return descriptor


def _unreadable(path: Path, why: str | None) -> SessionError:
    return SessionError(f"{path} can't be read: {why}.")
