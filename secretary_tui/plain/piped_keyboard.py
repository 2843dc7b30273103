"""Lines from a pipe or a file: one request or command each, in their order.

Whoever writes into a pipe may have written everything before the first question, and nothing tells
early lines from late ones. So each question names a word that nobody could know before, and only a
line that begins with it answers; any other line means the safe answer and is kept for later.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator

from secretary_tui.lines.line_source import never
from secretary_tui.plain.keyboard import LineHandler
from secretary_tui.plain.line_writer import LineWriter
from secretary_tui.sanitize import clean

_LETTERS = "abcdefghkmnprstuwxyz"
_CODE = 6
_MOST = 65_536


class PipedKeyboard:
    """Reads the standard input to its end (`keyboard.Keyboard`)."""

    is_interactive = False

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self.refused = False
        self._lines: deque[str] = deque()
        self._is_over = False
        self._news = threading.Condition()
        self._wake: Callable[[], object] | None = None
        threading.Thread(target=self._read_all, name="stdin", daemon=True).start()

    def read(self, prompt: str, draft: str) -> str:
        """Wait for a line; one that ends with a `\\` goes on with the next."""
        del draft  # Nobody is there who could send it again.
        text = self._next()
        while text.endswith("\\"):
            text = text[:-1] + "\n" + self._next()
        self._writer.line(f"{prompt}{text}")
        return text

    @contextlib.contextmanager
    def listening(self, handler: LineHandler, ended: Callable[[], None]) -> Iterator[None]:
        """Leave the lines where they are: the next one is for when this is over."""
        del handler, ended
        yield

    async def answer(self, prompt: str, names_it: Callable[[str], bool] = never) -> str | None:
        """Ask with a word of its own, and wait for a line."""
        word = "".join(secrets.choice(_LETTERS) for _ in range(_CODE))
        self._writer.line(f"{prompt.rstrip(': ')}. Begin the line with {word}:")
        line = await self._arrived()
        if line is None:
            self._writer.line("The input has ended: no answer.")
            return None
        first, _, rest = line.strip().partition(" ")
        if first == word:
            self._writer.line(f"Answer: {rest}")
            return rest.strip()
        if names_it(line.strip()):
            self._writer.line(f"Answer: {line}")
            return line.strip()
        self._lines.appendleft(line)
        self.refused = True
        self._writer.line(f"The next line does not begin with {word}: no answer; it is kept.")
        return None

    def take_kept(self) -> str:
        """Give nothing: what is no answer stays among the lines."""
        return ""

    def _next(self) -> str:
        with self._news:
            while not self._lines:
                if self._is_over:
                    raise EOFError
                self._news.wait()
            return self._lines.popleft()

    async def _arrived(self) -> str | None:
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

    def _read_all(self) -> None:
        # Not by `sys.stdin`: its lock, held by a thread that waits, stops the interpreter's end.
        rest = b""
        with contextlib.suppress(OSError):
            while data := os.read(sys.stdin.fileno(), _MOST):
                *whole, rest = (rest + data).split(b"\n")
                self._add(whole)
        self._add([rest] if rest else [], over=True)

    def _add(self, lines: list[bytes], *, over: bool = False) -> None:
        with self._news:
            self._lines.extend(clean(line.decode("utf-8-sig", "replace")).strip() for line in lines)
            self._is_over = over
            self._news.notify_all()
            if self._wake is not None:
                with contextlib.suppress(RuntimeError):  # The loop has just ended.
                    self._wake()
