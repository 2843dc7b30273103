"""What a small model writes to change a file: a search/replace block or code, bound by a grammar.

What is searched for can only be whole lines that the model was shown, as many as it takes to name
one place: a block always fits its file, and no space or quote is ever wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_LINES = 400
"""Of one file; the grammar has two rules a line."""
MOST_NEW_LINES = 120
MOST_TO_BE_UNIQUE = 40
_SEARCH, _REPLACE, _END = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
_PLAN = "Plan: "
_NUMBER = re.compile(r"\d+")
_SAME = 3
"""Lines in a row that differ in their numbers alone, of which more are a loop."""
_BLOCK = re.compile(rf"^{_SEARCH}\n((?:.*\n)+?){_REPLACE}\n((?:.*\n)*?){_END}", re.M)
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_CODE = re.compile(r"^(`{3,4})[\w+-]*\n(.*?)(?:^\1\s*$|\Z)", re.M | re.S)


@dataclass(frozen=True, slots=True)
class EditBlock:
    """One change of a file."""

    old: str
    """Whole lines of it, each with its end."""
    new: str


def edit_grammar(lines: Sequence[str]) -> str:
    """Give the grammar of one change to a file of which these lines were shown."""
    rules = [
        f'root ::= "{_PLAN}" [^\\n]+ "\\n" "\\n"? {_literal(_SEARCH)} "\\n" search rline* '
        f'{_literal(_END)} "\\n"?',
        # Any line but the one that ends the block.
        'rline ::= ([^\\n>] [^\\n]*)? "\\n" | ">" ([^\\n>] [^\\n]*)? "\\n" '
        '| ">>" ([^\\n>] [^\\n]*)? "\\n" | ">>>" ([^\\n>] [^\\n]*)? "\\n"',
    ]
    return "\n".join([*rules, *_search_rules(list(lines)[:MOST_LINES])])


def code_grammar(path: str) -> str:
    """Give the grammar of one code block: the text of a file, or code that is added to it."""
    line = '([^\\n`] [^\\n]*)? "\\n" | "`" ([^\\n`] [^\\n]*)? "\\n"'
    fence = "```"
    if path.lower().endswith((".md", ".markdown", ".mdx")):
        fence, line = "````", line + ' | "```" [^\\n`]* "\\n"'
    return (
        f'root ::= "{fence}" [a-z]* "\\n" line{{1,{MOST_NEW_LINES}}} "{fence}" "\\n"?\n'
        f"line ::= {line}"
    )


def read_block(answer: str) -> EditBlock | None:
    """Read the change in an answer; None where it was cut off."""
    found = _BLOCK.search(answer)
    return EditBlock(found[1], found[2]) if found else None


def read_code(answer: str) -> str:
    """Read the code in an answer; of one that went in circles or was cut off, what is whole."""
    found = _CODE.search(answer)
    if found is None:
        return ""
    lines = found[2].split("\n")
    if not answer.rstrip().endswith(found[1]):
        lines.pop()
        shapes = [_NUMBER.sub("0", line) for line in lines]
        while len(lines) > _SAME and shapes[-1] == shapes[-1 - _SAME] == shapes[-2]:
            lines.pop()
            shapes.pop()
    return "\n".join(lines)


def plan_in(answer: str) -> str:
    """The line in which an answer, or its beginning, says what is to be done; may be empty."""
    first = answer.split("\n", 1)[0]
    return first.removeprefix(_PLAN) if first.startswith(_PLAN) else ""


def lines_to_be_unique(lines: Sequence[str], first: int) -> int:
    """How many lines from `first` (from 0) on occur only there; 0 where they never do.

    More than `MOST_TO_BE_UNIQUE` are not tried.
    """
    others = [start for start in range(len(lines)) if start != first]
    for count in range(1, min(MOST_TO_BE_UNIQUE, len(lines) - first) + 1):
        last = lines[first + count - 1]
        others = [
            start
            for start in others
            if start + count <= len(lines) and lines[start + count - 1] == last
        ]
        if not others:
            return count
    return 0


def _search_rules(lines: list[str]) -> Iterator[str]:
    """The rules for one run of a file's lines, long enough to occur only once in it."""
    starts = []
    for first, line in enumerate(lines):
        count = lines_to_be_unique(lines, first)
        if line.strip() and count and _REPLACE not in lines[first : first + count]:
            literal = _literal("".join(f"{one}\n" for one in lines[first : first + count]))
            starts.append(f"{literal} n{first + count}")
    middle = _literal(f"{_REPLACE}\n")
    for number, line in enumerate(lines):
        more = f" | {_literal(f'{line}{chr(10)}')} n{number + 1}" if line != _REPLACE else ""
        yield f"n{number} ::= {middle}{more}"
    yield f"n{len(lines)} ::= {middle}"
    yield "search ::= " + " | ".join(starts or [middle])


def _literal(text: str) -> str:
    """Write a text as a literal of the grammar."""
    return '"' + _ESCAPED.sub(lambda found: f"\\x{ord(found[0]):02X}", text) + '"'
