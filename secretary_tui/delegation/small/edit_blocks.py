"""What a small model writes to change a file: a search/replace block or code, bound by a grammar.

What is searched for can only be whole lines that the model was shown, as many as it takes to name
one place: a block always fits its file, and no space or quote is ever wrong.
"""

from __future__ import annotations

import json
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
"""More lines in a row than this that differ only in their numbers are a loop."""
_BLOCK = re.compile(rf"^{_SEARCH}\n((?:.*\n)*?){_END}", re.M)
_BETWEEN = re.compile(rf"^{_REPLACE}\n", re.M)
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


def read_block(answer: str, text: str) -> EditBlock | None:
    """Read the change of a `text` in an answer; None where it was cut off.

    Where the text itself holds lines like the one between old and new, as much as it can hold is
    old.
    """
    found = _BLOCK.search(answer)
    cuts = _BETWEEN.finditer(found[1]) if found else ()
    blocks = [EditBlock(found[1][: at.start()], found[1][at.end() :]) for at in cuts if found]
    blocks = [block for block in blocks if block.old]
    held = [block for block in blocks if block.old in text]
    return next(iter(held[-1:] or blocks), None)


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
    """How many lines from `first` (from 0) on make a text that occurs once; 0 where none do.

    More than `MOST_TO_BE_UNIQUE` are not tried.
    """
    text = "".join(f"{line}\n" for line in lines)
    piece = ""
    for count, line in enumerate(lines[first : first + MOST_TO_BE_UNIQUE], 1):
        piece += f"{line}\n"
        if text.count(piece) == 1:
            return count
    return 0


def _search_rules(lines: list[str]) -> Iterator[str]:
    """The rules for one run of a file's lines, long enough to occur only once in it."""
    starts = []
    for first, line in enumerate(lines):
        count = lines_to_be_unique(lines, first)
        if line.strip() and count:
            literal = _literal("".join(f"{one}\n" for one in lines[first : first + count]))
            starts.append(f"{literal} n{first + count}")
    middle = _literal(f"{_REPLACE}\n")
    for number, line in enumerate(lines):
        yield f"n{number} ::= {middle} | " + f"{_literal(f'{line}{chr(10)}')} n{number + 1}"
    yield f"n{len(lines)} ::= {middle}"
    yield "search ::= " + " | ".join(starts or [middle])


def _literal(text: str) -> str:
    """Write a text as a literal of the grammar."""
    # Both know the same escapes, but for those of characters that cleaned text doesn't hold.
    return json.dumps(text, ensure_ascii=False)
