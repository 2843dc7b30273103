"""A program at the other end of both pipes: it is asked in JSON, and answers a line at a time.

After each offer, question, permission and end of a turn it is its turn to write, so lines are taken
in their order. Those that were there before they were asked for are no consent: they may name an
option of an offer or say no, but allow nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from secretary_tui.lines.line_query import CANCEL_OPTION, LineOption, LineQuery, is_cancel
from secretary_tui.plain.json_writer import JsonWriter
from secretary_tui.plain.keyboard import LineHandler
from secretary_tui.plain.piped_lines import PipedLines
from secretary_tui.plain.slash_commands import STOP


class JsonFace:
    """Asks through a `JsonWriter` and reads standard input (`LineFace`, `Keyboard`)."""

    is_interactive = False
    spoken = True

    def __init__(self, writer: JsonWriter) -> None:
        self._writer = writer
        self._lines = PipedLines()
        self.say = writer.line
        self.refused = False

    def read(self, prompt: str, draft: str) -> str:
        """Wait for a request or a command; a line that ends with a `\\` goes on with the next."""
        del prompt, draft
        return self._lines.next()

    @contextlib.contextmanager
    def listening(self, handler: LineHandler, ended: Callable[[], None]) -> Iterator[None]:
        """Take a command to stop at once; other lines wait until they are asked for."""
        del ended  # What was asked for is carried out: its answer can still be read.
        with self._lines.handing(lambda line: line == STOP, handler):
            yield

    def take_kept(self) -> str:
        """Give nothing: what is no answer stays among the lines."""
        return ""

    def show(self, query: LineQuery) -> None:
        """Wait: it is written whole whenever an answer is waited for."""

    def show_options(self, options: Sequence[LineOption]) -> None:
        """Wait: the query is written again, with these among its options."""

    async def answer(self, query: LineQuery) -> str | None:
        """Write the query and wait for a line; the end of the input cancels."""
        were_early = self._lines.are_waiting
        self._writer.ask(query)
        line = None if self._writer.reader_left else await self._lines.arrived()
        if line is None:
            return CANCEL_OPTION.key if CANCEL_OPTION in query.options else None
        if not were_early or is_cancel(line) or query.may_come_early(line):
            return line
        self._lines.put_back(line)
        self.refused = True
        self.say("The next line was written before this was asked, so it is no answer; it is kept.")
        return None


class JsonRunText:
    """Gathers the text of a run: its answer is written once, what was said on the way as notices.

    Args:
        writer: Where it is written.
    """

    def __init__(self, writer: JsonWriter) -> None:
        self._writer = writer
        self._text = ""

    def say(self, piece: str) -> None:
        """Take the next piece."""
        self._text += piece

    def make_way(self) -> None:
        """Nothing: it is written whole."""

    def end(self) -> None:
        """Write what was said before a tool is used."""
        self._writer.line(self._text)
        self._text = ""

    def finish(self, answer: str) -> None:
        """Write the answer."""
        if answer.strip() or self._text.strip():
            self._writer.quote(answer or self._text)
        self._text = ""

    def drop(self) -> None:
        """Forget what was not written."""
        self._text = ""
