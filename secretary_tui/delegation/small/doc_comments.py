"""A docstring or doc comment: the model writes its words, where it stands is known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

_ASKED = re.compile(r"\bdoc[- ]?(?:string|comment)s?\b|\b(?:js|tsdoc|java|go)doc\b", re.I)
_QUOTES = '"""'
_MOST_LINES = 10


@dataclass(frozen=True, slots=True)
class _Style:
    """How a family of languages writes it."""

    opening: str
    line: str
    """Stands ahead of each line between."""
    closing: str


_STARRED = "js jsx ts tsx mjs cjs java kt kts php c h cc cpp hpp scala swift"
_STYLES: Mapping[str, _Style] = {
    **dict.fromkeys(("py", "pyi"), _Style(_QUOTES, "", _QUOTES)),
    **dict.fromkeys(_STARRED.split(), _Style("/**", " * ", " */")),
    "go": _Style("", "// ", ""),
    **dict.fromkeys(("rs", "cs"), _Style("", "/// ", "")),
    **dict.fromkeys(("rb", "sh", "bash"), _Style("", "# ", "")),
}


def is_about_doc_comment(task: str) -> bool:
    """Whether a task asks for a docstring or doc comment."""
    return bool(_ASKED.search(task))


def comment_grammar(path: str) -> str:
    """Give the grammar of a doc comment in the language of a file; empty for others."""
    style = _style(path)
    if style is None:
        return ""
    if style.opening == _QUOTES:
        return 'root ::= "\\"\\"\\"" [^"\\n]+ ("\\n" [^"\\n]*){0,10} "\\"\\"\\""'
    line = f'"{style.line}" [^\\n*/] [^\\n*]* "\\n"'
    opening = f'"{style.opening}\\n" ' if style.opening else ""
    closing = f' "{style.closing}"' if style.closing else ""
    return f"root ::= {opening}({line}){{1,{_MOST_LINES}}}{closing}"


def with_comment(path: str, definition: Sequence[str], comment: str) -> list[str]:
    """Put a doc comment to the lines of a definition; the same lines where it has one."""
    style, lines = _style(path), list(definition)
    if style is None or not comment.strip():
        return lines
    if style.opening != _QUOTES:
        indent = _indent(lines[0])
        return [*(indent + one for one in comment.strip("\n").split("\n")), *lines]
    end = next((n for n, line in enumerate(lines) if line.rstrip().endswith(":")), None)
    if end is None or end + 1 >= len(lines) or lines[end + 1].strip().startswith(('"""', "'''")):
        return lines
    inner = _indent(lines[end + 1]) or f"{_indent(lines[0])}    "
    told = [one.strip() for one in comment.strip().split("\n")]
    if len(told) > 1 and told[-1] != _QUOTES and told[-1].endswith(_QUOTES):
        told[-1:] = [told[-1].removesuffix(_QUOTES).rstrip(), _QUOTES]
    return [*lines[: end + 1], *(inner + one if one else "" for one in told), *lines[end + 1 :]]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _style(path: str) -> _Style | None:
    return _STYLES.get(PurePosixPath(path).suffix.lstrip(".").lower())
