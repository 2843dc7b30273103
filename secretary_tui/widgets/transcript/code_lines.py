"""Code, diffs and plain text as lines of segments, wrapped to a width in cells."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from secretary_tui.widgets.transcript.transcript_palette import Palette

if TYPE_CHECKING:
    from rich.console import Console


class _Lexer(Protocol):
    """What is used of a Pygments lexer."""

    def get_tokens(self, text: str) -> Iterable[tuple[Any, str]]:
        """Give token types and texts."""
        ...


Line = list[Segment]
"""One row of the screen; never longer than the width it was made for."""

TAB_SIZE = 4
HIGHLIGHT_LIMIT = 12_000
"""Characters up to which code is coloured; some lexers are slow on what isn't their language."""

_TOKEN_STYLES = {
    "Comment": "code-comment",
    "Keyword": "code-keyword",
    "Keyword.Constant": "code-number",
    "Operator.Word": "code-keyword",
    "Literal.String": "code-string",
    "Literal.Number": "code-number",
    "Name.Function": "code-name",
    "Name.Class": "code-name",
    "Name.Decorator": "code-name",
    "Name.Tag": "code-keyword",
    "Name.Attribute": "code-name",
    "Name.Builtin": "code-name",
    "Generic.Heading": "strong",
    "Generic.Subheading": "diff-hunk",
    "Generic.Inserted": "diff-added",
    "Generic.Deleted": "diff-removed",
}
"""Pygments' token types, most general first; a longer name wins over a shorter one."""


def code_lines(source: str, language: str, width: int, palette: Palette) -> list[Line]:
    """Give code on its own background, coloured when Pygments knows the language."""
    base = palette["code"]
    margin = "│ " if palette.marks else " "
    lines: list[Line] = []
    for tokens in _highlight(source.expandtabs(TAB_SIZE), language, palette):
        for row in fold(tokens, width - len(margin)):
            line = Segment.apply_style([Segment(margin), *row], base)
            lines.append(Segment.adjust_line_length(list(line), width, base))
    return lines


def diff_lines(source: str, width: int, palette: Palette) -> list[Line]:
    """Give a unified diff, each line whole in the colour of its sign."""
    lines: list[Line] = []
    for text in source.expandtabs(TAB_SIZE).rstrip("\n").split("\n"):
        style = _diff_style(text, palette)
        for row in fold([Segment(text, style)], width):
            lines.append(Segment.adjust_line_length(row, width, style))
    return lines


def text_lines(source: str, width: int, style: Style) -> list[Line]:
    """Give plain text, wrapped at words; blanks inside a line stay as they are."""
    from rich.text import Text

    lines: list[Line] = []
    for text in source.split("\n"):
        expanded = text.expandtabs(TAB_SIZE)
        if cell_len(expanded) <= width:
            lines.append([Segment(expanded, style)] if expanded else [])
            continue
        for row in Text(expanded).wrap(console(), width):
            lines.append([Segment(row.plain, style)])
    return lines


def fold(segments: Line, width: int) -> list[Line]:
    """Break one line hard after every `width` cells; code keeps its columns."""
    width = max(width, 2)  # A wide character must fit, or folding would never end.
    if sum(cell_len(segment.text) for segment in segments) <= width:
        return [segments]
    rows: list[Line] = []
    row: Line = []
    room = width
    for text, style, _ in segments:
        rest = text
        while rest:
            head, rest = _take(rest, room)
            if head:
                row.append(Segment(head, style))
                room -= cell_len(head)
            if rest:
                rows.append(row)
                row, room = [], width
    rows.append(row)
    return rows


def _take(text: str, room: int) -> tuple[str, str]:
    """Split off as many characters as `room` cells hold."""
    if len(text) <= room and cell_len(text) <= room:
        return text, ""
    if text.isascii():
        return text[:room], text[room:]
    used = 0
    for index, character in enumerate(text):
        used += cell_len(character)
        if used > room:
            return text[:index], text[index:]
    return text, ""


def _diff_style(line: str, palette: Palette) -> Style:
    if line.startswith(("+++", "---")):
        return palette["strong"]
    if line.startswith("@@"):
        return palette["diff-hunk"]
    if line.startswith("+"):
        return palette["diff-added"]
    if line.startswith("-"):
        return palette["diff-removed"]
    return palette[""]


def _highlight(source: str, language: str, palette: Palette) -> Iterator[Line]:
    lexer = _lexer(language) if language and len(source) <= HIGHLIGHT_LIMIT else None
    if lexer is None:
        for text in source.split("\n"):
            yield [Segment(text)] if text else []
        return
    # Lexers want a newline at the end; with one of ours, blank lines before it are kept.
    tokens = _styled(lexer.get_tokens(source + "\n"), palette)
    row: Line = []
    rows: list[Line] = []
    for text, style in tokens:
        first, *others = text.split("\n")
        if first:
            row.append(Segment(first, style))
        for other in others:
            rows.append(row)
            row = [Segment(other, style)] if other else []
    if row:
        rows.append(row)
    yield from rows


def _styled(tokens: Iterable[tuple[Any, str]], palette: Palette) -> Iterator[tuple[str, Style]]:
    for kind, text in tokens:
        yield text, palette[_style_name(kind)]


@lru_cache(maxsize=256)
def _style_name(kind: Any) -> str:
    """The style for a token type: that of its nearest ancestor that has one."""
    names = [""]
    for part in kind:
        names.append(f"{names[-1]}.{part}".lstrip("."))
    return next((_TOKEN_STYLES[name] for name in reversed(names) if name in _TOKEN_STYLES), "")


@lru_cache(maxsize=32)
def _lexer(language: str) -> _Lexer | None:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer: _Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=True)
    except ClassNotFound:
        return None
    return lexer


def chunks_of(lines: list[str], size: int) -> Iterator[list[str]]:
    """Cut a list of source lines into pieces of at most `size`."""
    bounds = [*range(0, len(lines), size), len(lines)]
    for start, stop in pairwise(bounds):
        yield lines[start:stop]


@cache
def console() -> Console:
    """The console that wraps text; it prints nowhere."""
    from rich.console import Console

    return Console(file=io.StringIO(), width=80, force_terminal=False, legacy_windows=False)
