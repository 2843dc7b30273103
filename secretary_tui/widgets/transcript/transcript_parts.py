"""Blocks cut into parts: the units that are rendered, measured and cached on their own.

A part can be rendered at any width from what it holds, and can guess its height without rendering.
Two columns on the left hold the sign of a block (`❯`, `▸`), so that blocks are told apart without
colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from secretary_tui.widgets.transcript.code_lines import Line, diff_lines, text_lines
from secretary_tui.widgets.transcript.diff_lines import SIDE_BY_SIDE, split_diff_lines
from secretary_tui.widgets.transcript.markdown_lines import markdown_lines
from secretary_tui.widgets.transcript.markdown_stream import Piece
from secretary_tui.widgets.transcript.transcript_palette import Palette

GUTTER = 2
"""Columns left of every block."""

_STRUCK = Style(strike=True, dim=True)


class BlockPart(Protocol):
    """Something that can be rendered at a width."""

    @property
    def gap(self) -> bool:
        """Whether a blank line comes before it."""
        ...

    def lines(self, width: int, palette: Palette) -> list[Line]:
        """Render; no line is longer than `width` cells, except on screens narrower than 12."""
        ...

    def estimate(self, width: int) -> int:
        """How many lines it will probably have."""
        ...


@dataclass(frozen=True, slots=True)
class EmptyPart:
    """Keeps the place of a block that has nothing to show yet."""

    gap: bool = False

    def lines(self, width: int, palette: Palette) -> list[Line]:
        """None."""
        return []

    def estimate(self, width: int) -> int:
        """None."""
        return 0


@dataclass(frozen=True, slots=True)
class MarkdownPart:
    """A piece of an answer."""

    piece: Piece
    gap: bool = False
    struck: bool = False

    def lines(self, width: int, palette: Palette) -> list[Line]:
        """Render the Markdown beside the gutter."""
        piece = self.piece
        lines = markdown_lines(piece.source, width - GUTTER, palette, number=piece.number)
        return [_strike(line) for line in _beside(lines)] if self.struck else _beside(lines)

    def height(self, width: int, palette: Palette) -> int:
        """How many lines it has, without their colours."""
        piece = self.piece
        room = width - GUTTER
        return len(
            markdown_lines(piece.source, room, palette, number=piece.number, highlight=False)
        )

    def estimate(self, width: int) -> int:
        """As plain text."""
        return _rows(self.piece.source.strip("\n"), width - GUTTER)


@dataclass(frozen=True, slots=True)
class TextPart:
    """Plain text, wrapped, with a sign in the gutter of its first line."""

    text: str
    style: str = ""
    """Name of a style in the palette."""
    sign: str = ""
    indent: int = 0
    gap: bool = False
    struck: bool = False

    def lines(self, width: int, palette: Palette) -> list[Line]:
        """Wrap at words."""
        style = palette[self.style] + (_STRUCK if self.struck else Style())
        room = max(width - GUTTER - self.indent, 4)
        lines = _beside(text_lines(self.text, room, style), " " * (GUTTER + self.indent))
        if self.sign:
            room = max(GUTTER, cell_len(self.sign))
            sign = Segment(set_cell_size(self.sign, room), palette[self.style])
            lines[0] = [sign, *lines[0][1:]] if lines[0] else [sign]
        return lines

    def estimate(self, width: int) -> int:
        """Exact but for breaks at words."""
        return _rows(self.text, width - GUTTER - self.indent)


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A unified diff."""

    text: str
    indent: int = 0
    gap: bool = False

    def lines(self, width: int, palette: Palette) -> list[Line]:
        """Colour each line by its sign; both sides next to each other where there is room."""
        room = max(width - GUTTER - self.indent, 4)
        render = split_diff_lines if room >= SIDE_BY_SIDE else diff_lines
        return _beside(render(self.text, room, palette), " " * (GUTTER + self.indent))

    def estimate(self, width: int) -> int:
        """Exact but for wide characters."""
        return _rows(self.text, width - GUTTER - self.indent)


@dataclass(frozen=True, slots=True)
class LinePart:
    """One line that is shortened rather than wrapped: words on the left, a word on the right."""

    sign: str
    words: tuple[tuple[str, str], ...]
    """Text and style name; the last one gives way when room is short."""
    right: tuple[str, str] = ("", "")
    gap: bool = False
    struck: bool = False
    sign_style: str = "mark"

    def lines(self, width: int, palette: Palette) -> list[Line]:
        """Fit it into one line."""
        right = " ".join(self.right[0].split())
        room = max(width - GUTTER - (cell_len(right) + 2 if right else 0), 4)
        line: Line = [Segment(set_cell_size(self.sign, GUTTER), palette[self.sign_style])]
        for text, name in self.words:
            flat = " ".join(text.split())
            if not flat or room <= 0:
                continue
            if cell_len(flat) > room:
                flat = set_cell_size(flat, room - 1) + "…"
            line.append(Segment(flat, palette[name] + (_STRUCK if self.struck else Style())))
            line.append(Segment(" "))
            room -= cell_len(flat) + 1
        if right:
            line.append(Segment(" " * max(room + 1, 0)))
            line.append(Segment(right, palette[self.right[1]]))
        return [line]

    def estimate(self, width: int) -> int:
        """One."""
        return 1


@dataclass(frozen=True, slots=True)
class RulePart:
    """A line across the screen with a label near its left end."""

    label: str
    style: str
    gap: bool = True

    def lines(self, width: int, palette: Palette) -> list[Line]:
        """Draw it; a label that is too long for one line stands below the rule."""
        label = " ".join(self.label.split())
        rule = palette["muted"]
        room = width - cell_len(label) - 4
        if not label:
            return [[Segment("─" * width, rule)]]
        if room < 2:
            below = TextPart(label, self.style).lines(width, palette)
            return [[Segment("─" * width, rule)], *below]
        text = Segment(f" {label} ", palette[self.style])
        return [[Segment("──", rule), text, Segment("─" * room, rule)]]

    def estimate(self, width: int) -> int:
        """One."""
        return 1


def height_of(part: BlockPart, width: int, palette: Palette) -> int:
    """How many lines a part has, at the least cost."""
    if isinstance(part, MarkdownPart):
        return part.height(width, palette)
    return len(part.lines(width, palette))


def source_of(part: BlockPart) -> str:
    """All text that a part may show, for a search."""
    match part:
        case MarkdownPart():
            return part.piece.source
        case TextPart() | DiffPart():
            return part.text
        case LinePart():
            return " ".join([*(text for text, _ in part.words), part.right[0]])
        case RulePart():
            return part.label
    return ""


def _beside(lines: Iterable[Line], margin: str = " " * GUTTER) -> list[Line]:
    return [[Segment(margin), *line] if line else [] for line in lines]


def _strike(line: Line) -> Line:
    return list(Segment.apply_style(line, None, _STRUCK))


def _rows(text: str, width: int) -> int:
    width = max(width, 4)
    length = len(text)
    breaks = text.count("\n")
    if not breaks:
        return max(1, math.ceil(length / width))
    if length // (breaks + 1) < width // 2:
        return breaks + 1
    return sum(max(1, math.ceil(len(line) / width)) for line in text.split("\n"))
