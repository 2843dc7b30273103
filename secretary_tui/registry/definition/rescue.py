"""Read frontmatter that is not valid YAML the way its author meant it.

Real files fail for three reasons: an unquoted `: ` in a description, a `*` read as an alias, and
`<example>` blocks at the left margin. First every `key: value` that fails alone is read as if it
were quoted; when text stands at the margin, only keys known to agent files start a value and
everything else continues the one before. No file with a name and a description is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from secretary_tui.strict_yaml import MAX_CHARACTERS, StrictYamlError, load_mapping

KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?=[ \t]|$)")
"""A line that starts a top-level value."""
_MAX_BLOCKS = 200
"""With more keys than this only the known ones are read: each costs a parse."""
_BLOCK_MARK = re.compile(r"[|>][-+0-9]{0,2}\Z")


@dataclass(frozen=True, slots=True)
class Rescued:
    """What could be read, and for each repaired key the line (from 0) and the fault."""

    values: dict[str, Any]
    repairs: tuple[tuple[str, int, str], ...]
    by_line: bool
    """Whether text at the margin forced the line-wise reading."""
    spans: tuple[tuple[int, int], ...] = ()
    """For each of `repairs`: its first line and the one after its last."""


@dataclass(frozen=True, slots=True)
class _Block:
    key: str
    line: int
    lines: list[str]

    def has_text_at_margin(self) -> bool:
        return any(line[:1].strip() and line[0] not in "-#" for line in self.lines[1:])

    def text(self) -> str:
        """The value as it stands, without the quotes around it or a block mark before it."""
        first = self.lines[0][KEY.match(self.lines[0]).end() :].strip()  # type: ignore[union-attr]
        parts = [] if _BLOCK_MARK.match(first) else [first]
        parts += (line.strip() for line in self.lines[1:])
        value = "\n".join(parts).strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        return value


def rescue(
    text: str,
    *,
    known: frozenset[str],
    as_text: frozenset[str],
    on_duplicate: Callable[[str, int], None],
) -> Rescued:
    """Read as much of invalid frontmatter as can be read; never raises."""
    lines = _without_tabs(text.split("\n"), known)
    blocks = [] if len(text) > MAX_CHARACTERS else _blocks(lines, lambda key, _: True)
    crowded = len(blocks) > _MAX_BLOCKS or not blocks
    broken = {} if crowded else _faults(blocks, as_text)
    by_line = crowded or any(b.line in broken and b.has_text_at_margin() for b in blocks)
    if by_line:
        seen: set[str] = set()

        def starts(key: str, current: str | None) -> bool:
            if key in seen or (key not in known and (crowded or current == "description")):
                return False
            seen.add(key)
            return True

        blocks = _blocks(lines, starts)
        broken = _faults(blocks, as_text)
    values: dict[str, Any] = {}
    repairs = []
    spans = []
    for block in blocks:
        if block.key in values:
            on_duplicate(block.key, block.line)
        if block.line in broken:
            values[block.key] = block.text()
            repairs.append((block.key, block.line, broken[block.line]))
            spans.append((block.line, block.line + len(block.lines)))
        else:
            values.update(_load(block, as_text) or {})
    return Rescued(values, tuple(repairs), by_line, tuple(spans))


def _without_tabs(lines: list[str], known: frozenset[str]) -> list[str]:
    """Move known keys that a tab indents to the margin: YAML has no such indentation.

    Below a text of many lines, or a table, they stay what they are: part of it.
    """
    moved: list[str] = []
    takes_lines = True
    for line in lines:
        bare = line.lstrip(" \t")
        match = KEY.match(bare)
        is_tabbed = "\t" in line[: len(line) - len(bare)]
        if match and bare == line:
            value = bare[match.end() :].strip()
            takes_lines = match[1] == "description" or not value or bool(_BLOCK_MARK.match(value))
        moves = match and is_tabbed and match[1] in known and not takes_lines
        moved.append(bare if moves else line)
    return moved


def _blocks(lines: list[str], starts: Callable[[str, str | None], bool]) -> list[_Block]:
    """Split into values; `starts(key, current key)` decides whether a key begins a new one."""
    blocks: list[_Block] = []
    for number, line in enumerate(lines):
        match = KEY.match(line)
        if match and starts(match[1], blocks[-1].key if blocks else None):
            blocks.append(_Block(match[1], number, [line]))
        elif blocks:
            blocks[-1].lines.append(line)
    return blocks


def _load(block: _Block, as_text: frozenset[str]) -> dict[str, Any] | None:
    return load_mapping("\n".join(block.lines), as_text=as_text, on_duplicate=lambda *_: None)


def _faults(blocks: list[_Block], as_text: frozenset[str]) -> dict[int, str]:
    """What is wrong with each value that is not valid on its own, by its line."""
    faults: dict[int, str] = {}
    for block in blocks:
        try:
            _load(block, as_text)
        except StrictYamlError as error:
            faults[block.line] = str(error)
    return faults
