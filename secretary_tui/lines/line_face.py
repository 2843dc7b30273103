"""The protocol of all faces in lines, and the face that writes text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from secretary_tui.lines.line_query import LineOption, LineQuery, listed_lines
from secretary_tui.lines.line_source import LineSource


class LineFace(Protocol):
    """Says what `LinePeople` has to say, and gives the lines that answer."""

    spoken: bool
    """Whether lines are whole sentences, and answers whole words: a letter is none."""

    def say(self, line: str) -> None:
        """Tell something."""
        ...

    def show(self, query: LineQuery) -> None:
        """Put a query, before the first answer to it."""
        ...

    def show_options(self, options: Sequence[LineOption]) -> None:
        """Show more options of the query that was shown."""
        ...

    async def answer(self, query: LineQuery) -> str | None:
        """Wait for a line that answers; None as in `LineSource.answer`."""
        ...


class TextFace:
    """Asks in text.

    Args:
        say: Writes a line.
        source: Where answers come from.
        spoken: Whether the lines are read aloud: one an option, words for signs.
    """

    def __init__(self, say: Callable[[str], None], source: LineSource, *, spoken: bool) -> None:
        self.say = say
        self.spoken = spoken
        self._source = source

    def show(self, query: LineQuery) -> None:
        """Say the text and a line for each option."""
        if not self.spoken:
            self.say("")
        first, *more = query.text or ("",)
        options = listed_lines(query.options, spoken=self.spoken)
        for line in (query.lead + first, *more, *options, *query.after):
            self.say(line)

    def show_options(self, options: Sequence[LineOption]) -> None:
        """Say a line for each option."""
        for line in listed_lines(options, spoken=self.spoken):
            self.say(line)

    async def answer(self, query: LineQuery) -> str | None:
        """Prompt, and wait for a line."""
        return await self._source.answer(query.prompt, query.names_it)
