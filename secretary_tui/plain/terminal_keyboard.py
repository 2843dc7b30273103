"""A user at a terminal: readline between runs, whole lines during one.

A question waits until nothing was typed for half a second, and keeps what was; only a line that is
typed after that answers. During a run the terminal edits the line itself, so what the agent says
may come between the letters; the line that is sent is whole all the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sys
import termios
from collections.abc import Callable, Iterator

from secretary_tui.lines.line_source import never
from secretary_tui.plain.keyboard import LineHandler
from secretary_tui.plain.line_editor import LineEditor
from secretary_tui.plain.line_writer import LineWriter
from secretary_tui.sanitize import clean

GRACE_S = 0.5
"""Seconds without a key before a question takes an answer."""
PASTE_S = 0.05
"""Seconds within which another line belongs to the same paste."""
_MOST = 65_536
_ERASE = "\x7f\b"
_LOCAL_MODES, _CONTROL_CHARACTERS = 3, 6


class TerminalKeyboard:
    """Reads a terminal (`keyboard.Keyboard`)."""

    is_interactive = True
    refused = False

    def __init__(self, writer: LineWriter, editor: LineEditor) -> None:
        self._writer = writer
        self._editor = editor
        self._descriptor = sys.stdin.fileno()
        self._handler: LineHandler | None = None
        self._ended: Callable[[], None] = lambda: None
        self._answer: asyncio.Future[str | None] | None = None
        self._kept = ""

    def read(self, prompt: str, draft: str) -> str:
        """Wait for a text; lines that arrive together, and lines after a `\\`, are one."""
        self._writer.end_line()
        if draft and not self._editor.can_edit:
            self._writer.line(f"Not sent: {draft}")
        text = self._editor.read(prompt, draft)
        while True:
            if self._has_more() and not text.startswith("/"):
                text += "\n" + self._editor.read("", "")
            elif text.endswith("\\"):
                text = text[:-1] + "\n" + self._editor.read("More: ", "")
            else:
                return clean(text)

    @contextlib.contextmanager
    def listening(self, handler: LineHandler, ended: Callable[[], None]) -> Iterator[None]:
        """Take lines while the event loop runs."""
        self._handler, self._ended = handler, ended
        self._open()
        try:
            yield
        finally:
            self._close()
            self._handler = None

    async def answer(self, prompt: str, names_it: Callable[[str], bool] = never) -> str | None:
        """Keep what is being typed, ask, and wait for a line."""
        del names_it  # Whatever came before is no answer here.
        await self._wait_for_silence()
        self._writer.end_line()
        self._writer.write(prompt)
        if self._writer.reader_left:  # Nobody has seen the question, whatever is typed.
            return None
        self._answer = asyncio.get_running_loop().create_future()
        try:
            return await self._answer
        finally:
            self._answer = None

    def take_kept(self) -> str:
        """Give what was typed while a question appeared."""
        kept, self._kept = self._kept, ""
        return kept

    def _open(self) -> None:
        asyncio.get_running_loop().add_reader(self._descriptor, self._take)

    def _close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)

    def _take(self) -> None:
        """Take the line that is there: a terminal hands over one at a time, when it is whole."""
        try:
            data = os.read(self._descriptor, _MOST)
        except OSError:  # The terminal went away.
            data = b""
        self._writer.entered()
        line = clean(data.decode(errors="replace")).strip()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(line if data else None)
        elif not data:
            self._close()
            self._ended()
        elif self._handler is not None:
            self._handler(line)

    async def _wait_for_silence(self) -> None:
        """Keep what was typed, and what still is, until nothing comes for a while."""
        self._close()
        try:
            with _letter_by_letter(self._descriptor):
                typed = self._read_letters()
                while True:
                    await asyncio.sleep(GRACE_S)
                    more = self._read_letters()
                    typed += more
                    if not more:
                        break
        except termios.error:  # The terminal went away; reading says so.
            typed = b""
        finally:
            self._open()
        text = clean(_erased(typed.decode(errors="replace"))).strip()
        if text:
            self._kept = f"{self._kept}\n{text}".strip()
            self._writer.line(f"Kept for later, not taken as an answer: {text}")

    def _read_letters(self) -> bytes:
        found = b""
        while select.select([self._descriptor], [], [], 0)[0]:
            piece = os.read(self._descriptor, _MOST)
            if not piece:
                break
            found += piece
        return found

    def _has_more(self) -> bool:
        return bool(select.select([self._descriptor], [], [], PASTE_S)[0])


@contextlib.contextmanager
def _letter_by_letter(descriptor: int) -> Iterator[None]:
    """Let half a line be read, unechoed; Ctrl+C stays a signal.

    Raises:
        termios.error: it is no terminal any more.
    """
    before = termios.tcgetattr(descriptor)
    during = termios.tcgetattr(descriptor)
    during[_LOCAL_MODES] &= ~(termios.ICANON | termios.ECHO)
    during[_CONTROL_CHARACTERS][termios.VMIN] = 0
    during[_CONTROL_CHARACTERS][termios.VTIME] = 0
    termios.tcsetattr(descriptor, termios.TCSANOW, during)
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSANOW, before)


def _erased(text: str) -> str:
    """Carry out the erase keys in a text that was read letter by letter."""
    kept: list[str] = []
    for letter in text.replace("\r", "\n"):
        if letter not in _ERASE:
            kept.append(letter)
        elif kept:
            kept.pop()
    return "".join(kept)
