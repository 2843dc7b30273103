"""The lines of the standard input where it is no terminal, in their order."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator

from secretary_tui.lines.line_source import never
from secretary_tui.sanitize import clean

_MOST = 65_536


class PipedLines:
    """Reads to the end of the input, in a thread: a line is there before anybody wants it."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._is_over = False
        self._has_begun = False
        self._news = threading.Condition()
        self._wake: Callable[[], object] | None = None
        self._take: Callable[[str], bool] = never
        threading.Thread(target=self._read_all, name="stdin", daemon=True).start()

    @property
    def are_waiting(self) -> bool:
        """Whether lines are there already, or the beginning of one."""
        return bool(self._lines) or self._has_begun

    def next(self) -> str:
        """Wait for a text; blocks. A line that ends with a `\\` goes on with the next.

        Raises:
            EOFError: there is nothing more to come.
        """
        text = self._next()
        while text.endswith("\\"):
            text = text[:-1] + "\n" + self._next()
        return text

    async def arrived(self) -> str | None:
        """Wait for a line; None when the input has ended."""
        loop = asyncio.get_running_loop()
        there = asyncio.Event()
        with self._news:
            self._wake = lambda: loop.call_soon_threadsafe(there.set)
        try:
            while True:
                with self._news:
                    if self._lines:
                        return self._lines.popleft()
                    if self._is_over:
                        return None
                    there.clear()
                await there.wait()
        finally:
            with self._news:
                self._wake = None

    def put_back(self, line: str) -> None:
        """Make a line the next one again."""
        with self._news:
            self._lines.appendleft(line)

    @contextlib.contextmanager
    def handing(self, wanted: Callable[[str], bool], to: Callable[[str], None]) -> Iterator[None]:
        """Hand lines that are wanted to the event loop as soon as they arrive."""
        loop = asyncio.get_running_loop()

        def take(line: str) -> bool:
            if wanted(line):
                loop.call_soon_threadsafe(to, line)
                return True
            return False

        with self._news:
            self._take = take
        try:
            yield
        finally:
            with self._news:
                self._take = never

    def _next(self) -> str:
        with self._news:
            while not self._lines:
                if self._is_over:
                    raise EOFError
                self._news.wait()
            return self._lines.popleft()

    def _read_all(self) -> None:
        # Not by `sys.stdin`: its lock, held by a thread that waits, stops the interpreter's end.
        rest = b""
        with contextlib.suppress(OSError):
            while data := os.read(sys.stdin.fileno(), _MOST):
                *whole, rest = (rest + data).split(b"\n")
                self._has_begun = bool(rest)
                self._add(whole)
        self._add([rest] if rest else [], over=True)

    def _add(self, lines: list[bytes], *, over: bool = False) -> None:
        with self._news:
            for line in lines:
                text = clean(line.decode("utf-8-sig", "replace")).strip()
                if not self._take(text):
                    self._lines.append(text)
            self._is_over = over
            self._news.notify_all()
            if self._wake is not None:
                with contextlib.suppress(RuntimeError):  # The loop has just ended.
                    self._wake()
