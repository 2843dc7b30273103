"""A unified diff with its two sides next to each other, for wide screens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from rich.segment import Segment
from rich.style import Style

from secretary_tui.widgets.transcript.code_lines import TAB_SIZE, Line, diff_lines, fold
from secretary_tui.widgets.transcript.transcript_palette import Palette

SIDE_BY_SIDE = 100
"""Cells from which on a diff has two columns: fewer would wrap most lines of code."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class _Side:
    """A line on one side; an absent one has no text."""

    number: int | None
    text: str
    style: str = ""


@dataclass(slots=True)
class _Hunk:
    """Where we are in a hunk: the next line of each side and how many are to come."""

    left: int
    left_count: int
    right: int
    right_count: int
    removed: list[_Side] = field(default_factory=list)
    added: list[_Side] = field(default_factory=list)


_Row = tuple[_Side | None, _Side | None]
"""A pair of lines; a row without a right side goes over both columns."""


def split_diff_lines(source: str, width: int, palette: Palette) -> list[Line]:
    """Give a unified diff in two columns: what was on the left, what is on the right.

    Lines that belong to no hunk (names of files, a diff that was cut) go over both columns.
    """
    rows = list(_rows(source.expandtabs(TAB_SIZE).rstrip("\n").split("\n")))
    numbers = [side.number for row in rows for side in row if side and side.number is not None]
    digits = len(str(max(numbers, default=0)))
    half = (width - 1) // 2
    lines: list[Line] = []
    for left, right in rows:
        if right is None:
            assert left is not None
            lines += diff_lines(left.text, width, palette)
            continue
        columns = (
            _column(left or _Side(None, ""), half, digits, palette),
            _column(right, width - 1 - half, digits, palette),
        )
        for one, other in zip_longest(*columns):
            lines.append(
                [
                    *(one or [Segment(" " * half)]),
                    Segment("│", palette["muted"]),
                    *(other or [Segment(" " * (width - 1 - half))]),
                ]
            )
    return lines


def _column(side: _Side, width: int, digits: int, palette: Palette) -> list[Line]:
    style = palette[side.style] if side.style else Style()
    lines: list[Line] = []
    for row in fold([Segment(side.text, style)], width - digits - 1):
        number = str(side.number) if side.number is not None and not lines else ""
        margin = Segment(f"{number:>{digits}} ", palette["muted"])
        lines.append([margin, *Segment.adjust_line_length(row, width - digits - 1, style)])
    return lines


def _rows(source: list[str]) -> Iterator[_Row]:
    hunk: _Hunk | None = None
    for text in source:
        if hunk is not None and hunk.left_count <= 0 and hunk.right_count <= 0:
            yield from _changes(hunk)
            hunk = None
        match = _HUNK.match(text)
        if match and (hunk is None or not text.startswith(("-", "+", " "))):
            if hunk is not None:
                yield from _changes(hunk)
            left, left_count, right, right_count = match.groups()
            hunk = _Hunk(int(left), int(left_count or 1), int(right), int(right_count or 1))
            yield _Side(None, text), None
        elif hunk is None or text.startswith("\\"):
            yield _Side(None, text), None
        else:
            yield from _take(hunk, text)
    if hunk is not None:
        yield from _changes(hunk)


def _take(hunk: _Hunk, text: str) -> Iterator[_Row]:
    if text.startswith("-"):
        if hunk.added:
            yield from _changes(hunk)
        hunk.removed.append(_Side(hunk.left, text, "diff-removed"))
        hunk.left, hunk.left_count = hunk.left + 1, hunk.left_count - 1
        return
    if text.startswith("+"):
        hunk.added.append(_Side(hunk.right, text, "diff-added"))
        hunk.right, hunk.right_count = hunk.right + 1, hunk.right_count - 1
        return
    yield from _changes(hunk)
    yield _Side(hunk.left, text), _Side(hunk.right, text)
    hunk.left, hunk.left_count = hunk.left + 1, hunk.left_count - 1
    hunk.right, hunk.right_count = hunk.right + 1, hunk.right_count - 1


def _changes(hunk: _Hunk) -> Iterator[_Row]:
    """What was removed beside what was added, row by row."""
    pairs = zip_longest(hunk.removed, hunk.added)
    yield from [(left or _Side(None, ""), right or _Side(None, "")) for left, right in pairs]
    hunk.removed, hunk.added = [], []
