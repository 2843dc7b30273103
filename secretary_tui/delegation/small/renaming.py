"""A rename that a task spells out, done word by word: no model is needed for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_QUOTED = r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|'([^'\n]{1,80})'|“([^”\n]{1,80})”"
_WORD = r"(--?[A-Za-z][\w-]*|[A-Za-z_$@][\w$.#@/-]*)(?:\(\))?"
_NAME = re.compile(rf"{_QUOTED}|{_WORD}")
_KINDS = (
    r"(?:name|key|function|method|class|variable|flag|option|field|constant|section|heading|column"
    r"|parameter|argument|type|interface|property|attribute|setting|command|module|struct|label)"
)
_OPENING = re.compile(
    rf"\brename\b|\bchange the name of\b|\bchange the {_KINDS}\b|\bcall(?=\s+\S+\s+\S+\s*$)", re.I
)
_TO = re.compile(r"\s(?:to|into|as|->|→|=>)\s+(?:be (?:called|named)\s+)?", re.I)
_SHOULD = re.compile(
    r"\s(?:should|must|shall|needs? to) be (?:called|named|renamed(?: to)?)\s+", re.I
)
_PLAIN_WORDS = """
    the a an all every each of in from it its this that function method class variable flag option
    field constant section heading column parameter argument type interface property attribute
    setting key command module struct label name file use uses usage usages config please and
    everywhere string title env environment
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
MOST_READ = 200
"""Characters around the word that may hold the names."""


@dataclass(frozen=True, slots=True)
class Rename:
    """One name that becomes another one."""

    old: str
    new: str

    @property
    def is_plain(self) -> bool:
        """Whether the old name is a word like any other: it may not be meant as a name."""
        return _looks_plain(self.old)

    def pattern(self) -> re.Pattern[str]:
        """Match the old name as a whole word."""
        return re.compile(rf"(?<![\w$-]){re.escape(self.old)}(?![\w$]|-\w)")

    def apply(self, text: str) -> str:
        """Give the text with the new name."""
        return self.pattern().sub(lambda _: self.new, text)


def renames_in(task: str, files: Collection[str]) -> tuple[Rename, ...]:
    """Read which rename a task may mean, the likeliest first; empty where none is spelled out.

    Of a dotted name (`Item.total`) the last part is renamed. To rename one of the project's
    `files` is something else.
    """
    found = dict.fromkeys(
        Rename(_bare(old), _bare(new))
        for old, new in _pairs(task)
        if not any(path == old or path.endswith(f"/{old}") for path in files)
    )
    return tuple(one for one in found if one.old and one.new and one.old != one.new)


def _pairs(task: str) -> Iterator[tuple[str, str]]:
    """Give old and new names as they are spelled."""
    if opening := _OPENING.search(task):
        rest = task[opening.end() : opening.end() + MOST_READ]
        for to in _TO.finditer(rest):
            new = next(_names(rest[to.end() :]), "")
            for old in sorted(_names(rest[: to.start()]), key=_looks_plain):
                yield old, new
    elif should := _SHOULD.search(task):
        before = task[max(0, should.start() - MOST_READ) : should.start()]
        new = next(_names(task[should.end() :]), "")
        for old in reversed(list(_names(before))):
            yield old, new


def _names(text: str) -> Iterator[str]:
    """Give what is quoted or could be a name, in its order."""
    for found in _NAME.finditer(text):
        name = next(filter(None, found.groups()), "").rstrip(".")
        if name.lower() not in _PLAIN or not found[5]:
            yield name.removesuffix("()")


def _looks_plain(name: str) -> bool:
    """Whether a name is a word like any other, rather than one in code."""
    return name.islower() and name.isalpha()


def _bare(name: str) -> str:
    return name if " " in name or "/" in name else name.rpartition(".")[2] or name
