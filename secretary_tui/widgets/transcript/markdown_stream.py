"""Cut text that is still arriving into pieces that can't change any more and one open tail.

Only the tail is parsed again when more text comes, so the cost of a streamed character does not
grow with the length of the answer. The tail is bounded too: a block that goes on and on is frozen
in parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from markdown_it.token import Token

from secretary_tui.widgets.transcript.code_lines import chunks_of
from secretary_tui.widgets.transcript.markdown_lines import has_tables, parser

MAX_ROWS = 60
"""Source lines of a code block or table that are rendered in one piece."""
MAX_TAIL = 4_000
"""Characters of an open paragraph, after which it is cut between two words or lines."""
MAX_NESTED_TAIL = 16_000
"""The same for an open list item or quotation, whose parts depend on each other."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that is rendered on its own."""

    source: str
    gap: bool = False
    """Whether a blank line comes before it."""
    number: int | None = None
    """The number of the ordered list item that it is."""


_SPACED = frozenset({"heading_open", "fence", "code_block", "table_open", "blockquote_open", "hr"})
"""Blocks that have a blank line around them even where the source has none."""


class Splitter(Protocol):
    """Takes text in any portions, gives pieces; the pieces and the tail make up the text."""

    def feed(self, text: str) -> list[Piece]:
        """Add text; give what it finished."""
        ...

    def tail(self) -> list[Piece]:
        """What is open, as it looks now."""
        ...


class MarkdownSplitter:
    """Splits Markdown between its blocks and between the items of a list."""

    def __init__(self) -> None:
        self._open = ""
        self._gap = False
        self._number: int | None = None
        """What the open tail counts from when it goes on with an ordered list."""

    def feed(self, text: str) -> list[Piece]:
        """Add text; give the blocks that it finished.

        Cost is linear in `text` plus the tail: feed long texts in portions of a few kB.
        """
        self._open += text
        if "\n" not in text and len(self._open) <= MAX_TAIL:
            return []
        blocks = self._blocks()
        # A line that is not complete may yet turn out to belong to the block before it.
        if blocks and not self._open.endswith("\n") and blocks[-1].map == self._last_line():
            blocks.pop()
        if not blocks:
            return self._cut_long(None)
        lines = self._open.split("\n")
        starts = [0, *(_range(block)[0] for block in blocks[1:])]
        pieces: list[Piece] = []
        for block, (start, stop) in zip(blocks, pairwise(starts), strict=False):
            pieces += self._block_pieces(block, lines[start:stop])
        self._open = "\n".join(lines[starts[-1] :])
        self._gap = self._gap or (bool(pieces) and blocks[-1].type in _SPACED)
        return pieces + self._cut_long(blocks[-1])

    def tail(self) -> list[Piece]:
        """The open block, or nothing when no text is open."""
        if not self._open.strip():
            return []
        return [Piece(self._open, self._gap, self._number)]

    def _blocks(self) -> list[Token]:
        tokens = parser(tables=has_tables(self._open), inline=False).parse(self._open)
        return [token for token in tokens if token.level == 0 and token.map is not None]

    def _last_line(self) -> list[int]:
        count = self._open.count("\n")
        return [count, count + 1]

    def _piece(self, lines: list[str]) -> Piece:
        """Make a piece and note whether the next one has a blank line before it."""
        piece = Piece("\n".join(lines), self._gap, self._number)
        self._gap = not lines[-1].strip()
        self._number = None
        return piece

    def _block_pieces(self, block: Token, lines: list[str]) -> list[Piece]:
        spaced = block.type in _SPACED
        self._gap = self._gap or spaced
        if block.type in ("bullet_list_open", "ordered_list_open"):
            pieces = self._list_pieces(lines)
        elif block.type in ("fence", "table_open") and len(lines) > MAX_ROWS + 3:
            pieces = self._long_pieces(block, lines)
        else:
            pieces = [self._piece(lines)]
        self._gap = spaced or not lines[-1].strip()
        return pieces

    def _list_pieces(self, lines: list[str]) -> list[Piece]:
        tokens = parser(tables=False, inline=False).parse("\n".join(lines))
        items = [t for t in tokens if t.type == "list_item_open" and t.level == 1 and t.map]
        starts = [0, *(_range(item)[0] for item in items[1:]), len(lines)]
        number = self._first_number(tokens)
        pieces = []
        for index, (start, stop) in enumerate(pairwise(starts)):
            self._number = None if number is None else number + index
            pieces.append(self._piece(lines[start:stop]))
        return pieces

    def _first_number(self, tokens: list[Token]) -> int | None:
        if not tokens or tokens[0].type != "ordered_list_open":
            return None
        return int(tokens[0].attrs.get("start", 1)) if self._number is None else self._number

    def _long_pieces(self, block: Token, lines: list[str]) -> list[Piece]:
        """Cut a long code block or table; each part gets the head (and fence) that it needs."""
        head, body, foot = _anatomy(block, lines)
        return [self._piece([*head, *part, *foot]) for part in chunks_of(body, MAX_ROWS)]

    def _cut_long(self, block: Token | None) -> list[Piece]:
        """Freeze the finished part of an open block that has grown long."""
        lines = self._open.split("\n")
        kind = block.type if block else ""
        if kind in ("bullet_list_open", "ordered_list_open"):
            return self._cut_list(lines)
        if block and kind in ("fence", "table_open") and len(lines) > MAX_ROWS + 20:
            head, _, foot = _anatomy(block, lines)
            stop = len(head) + MAX_ROWS
            piece = self._piece([*lines[:stop], *foot])
            self._gap = False
            self._open = "\n".join([*head, *lines[stop:]])
            return [piece, *self._cut_long(block)]
        if block and kind == "fence":
            return self._cut_code(block, lines)
        limit = MAX_NESTED_TAIL if kind == "blockquote_open" else MAX_TAIL
        return self._cut_text(limit)

    def _cut_list(self, lines: list[str]) -> list[Piece]:
        tokens = parser(tables=False, inline=False).parse(self._open)
        items = [t for t in tokens if t.type == "list_item_open" and t.level == 1 and t.map]
        if len(items) > 1 and not self._open.endswith("\n") and items[-1].map == self._last_line():
            items.pop()
        if len(items) < 2:
            return self._cut_text(MAX_NESTED_TAIL)
        number = self._first_number(tokens)
        last = _range(items[-1])[0]
        pieces = self._list_pieces(lines[:last])
        self._open = "\n".join(lines[last:])
        self._number = None if number is None else number + len(items) - 1
        return pieces

    def _cut_code(self, block: Token, lines: list[str]) -> list[Piece]:
        """Cut code whose few lines are very long, between two lines if it can be."""
        if len(self._open) <= MAX_NESTED_TAIL:
            return []
        head, _, foot = _anatomy(block, lines)
        start = len(head[0]) + 1
        line_end = self._open.rfind("\n", start, MAX_NESTED_TAIL)
        stop, rest = (line_end, line_end + 1) if line_end > start else (MAX_NESTED_TAIL,) * 2
        piece = self._piece([self._open[:stop], *foot])
        self._gap = False
        self._open = f"{head[0]}\n{self._open[rest:]}"
        return [piece, *self._cut_code(block, self._open.split("\n"))]

    def _cut_text(self, limit: int) -> list[Piece]:
        if len(self._open) <= limit:
            return []
        cut = max(self._open.rfind("\n", 0, limit), self._open.rfind(" ", 0, limit)) + 1 or limit
        piece = Piece(self._open[:cut], self._gap, self._number)
        self._open, self._gap, self._number = self._open[cut:], False, None
        return [piece, *self._cut_text(limit)]


class TextSplitter:
    """Splits plain text at line ends into pieces of about 2 kB."""

    SIZE = 2_000

    def __init__(self) -> None:
        self._open = ""

    def feed(self, text: str) -> list[Piece]:
        """Add text; give full pieces."""
        self._open += text
        pieces = []
        while len(self._open) > self.SIZE:
            cut = self._open.rfind("\n", 0, self.SIZE)
            stop = cut if cut > 0 else self.SIZE
            pieces.append(Piece(self._open[:stop]))
            self._open = self._open[stop + (cut > 0) :]
        return pieces

    def tail(self) -> list[Piece]:
        """The last lines."""
        text = self._open.rstrip("\n")
        return [Piece(text)] if text else []


def _range(token: Token) -> list[int]:
    assert token.map is not None
    return token.map


def _anatomy(block: Token, lines: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Head, body and foot of a fenced code block or a table."""
    if block.type == "table_open":
        return lines[:2], lines[2:], []
    body = lines[1:]
    while body and not body[-1].strip():
        body.pop()
    if body and body[-1].strip().startswith(block.markup) and not body[-1].strip(" `~"):
        body.pop()
    return lines[:1], body, [block.markup]
