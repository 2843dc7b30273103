"""One JSON object a line for everything a person is shown, and nothing else on standard output."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator

from secretary_tui.lines.line_query import LineOption, LineQuery
from secretary_tui.lines.output import json_text
from secretary_tui.plain.line_writer import LineWriter
from secretary_tui.sanitize import clean


class JsonWriter:
    """Writes the messages of `--plain --json` (`writer.Writer`); docs/json-lines.md has them."""

    def __init__(self) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        self._lines = LineWriter()

    @property
    def reader_left(self) -> bool:
        """Whether nobody reads it any more."""
        return self._lines.reader_left

    def line(self, text: str = "") -> None:
        """Write a notice."""
        if text.strip():
            self._put("notice", text)

    def quote(self, text: str) -> None:
        """Write an answer."""
        self._put("answer", text)

    def ask(self, query: LineQuery) -> None:
        """Write a query with its options."""
        text = "\n".join((*query.text, *query.after))
        self._put(query.type, text, query.options, query.about)

    def end_line(self) -> None:
        """Nothing: no line is ever open."""

    def end_turn(self) -> None:
        """Write that the turn has ended."""
        self._put("turn_end", "")

    def ring(self) -> None:
        """Nothing: there is no bell."""

    @contextlib.contextmanager
    def printing(self) -> Iterator[None]:
        """Write what is printed meanwhile as notices, a line each."""
        printed = _Printed(self)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                yield
            finally:
                printed.end()

    def _put(
        self,
        type: str,
        text: str,
        options: tuple[LineOption, ...] = (),
        about: str | None = None,
    ) -> None:
        message = {
            "type": type,
            "text": clean(text).strip(),
            "options": [_option(option) for option in options],
            "about": about,
        }
        self._lines.line(json_text(message))


class _Printed(io.StringIO):
    """Hands whole lines on as they come."""

    def __init__(self, writer: JsonWriter) -> None:
        super().__init__()
        self._writer = writer
        self._rest = ""

    def write(self, text: str) -> int:
        """Take a piece."""
        *whole, self._rest = (self._rest + text).split("\n")
        for line in whole:
            self._writer.line(line)
        return len(text)

    def end(self) -> None:
        """Hand on a last line without an end."""
        self._writer.line(self._rest)


def _option(option: LineOption) -> dict[str, object]:
    return {
        "key": option.key,
        "label": option.sentence,
        "action": option.action,
        "agent": option.agent,
        "run": option.run,
        "confidence": option.confidence,
        "fallback": option.fallback,
    }
