"""Lines from a pipe or a file, where text is written: one request or command each.

Whoever writes into a pipe may have written everything before the first question, and nothing tells
early lines from late ones. So each question names a word that nobody could know before, and only a
line that begins with it answers; any other line means the safe answer and is kept for later.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator

from secretary_tui.lines.line_source import never
from secretary_tui.plain.keyboard import LineHandler
from secretary_tui.plain.line_writer import LineWriter
from secretary_tui.plain.piped_lines import PipedLines

_LETTERS = "abcdefghkmnprstuwxyz"
_CODE = 6


class PipedKeyboard:
    """Reads the standard input to its end (`keyboard.Keyboard`)."""

    is_interactive = False

    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self._lines = PipedLines()
        self.refused = False

    def read(self, prompt: str, draft: str) -> str:
        """Wait for a line; one that ends with a `\\` goes on with the next."""
        del draft  # Nobody is there who could send it again.
        text = self._lines.next()
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
        line = await self._lines.arrived()
        if line is None:
            self._writer.line("The input has ended: no answer.")
            return None
        first, _, rest = line.partition(" ")
        if first == word:
            self._writer.line(f"Answer: {rest}")
            return rest.strip()
        if names_it(line):
            self._writer.line(f"Answer: {line}")
            return line
        self._lines.put_back(line)
        self.refused = True
        self._writer.line(f"The next line does not begin with {word}: no answer; it is kept.")
        return None

    def take_kept(self) -> str:
        """Give nothing: what is no answer stays among the lines."""
        return ""
