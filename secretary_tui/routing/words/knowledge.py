"""What a request's own words don't say: which technology a product, an error or a file belongs to,
which role makes a deliverable, which field an everyday word is from.

`argo cd` has to do with Kubernetes and deployment, `ORA-00060` is Oracle, a one-pager is written
for executives. The tables in `data/knowledge` are ours; rows of the user's own come from
`knowledge.txt` in the folder of the settings. A row is `key, other spelling = words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

from secretary_tui import paths

TABLES = Path(__file__).parent / "data" / "knowledge"
USER_TABLE = "knowledge.txt"
"""The user's own rows, in the folder of the settings."""
MOST_HINTS = 24
_READ = 6_000
"""Characters of a request that are looked through."""
_LONGEST_KEY = 6
"""Words of the longest key that is looked up."""
_MOST_USER_BYTES = 1_000_000
_LONGEST_ROW = 500
_TOKEN = re.compile(r"(?:[.@/&$-]{0,3}[\w+#])+/?", re.ASCII)
"""Bounded runs of signs: a request of nothing else is read in time."""
_WRITTEN = re.compile(r"[^\s\"'`,;()<>{}]+")
_DIGITS = re.compile(r"\d")


class Topic(StrEnum):
    """Which table a hint is from; each counts differently."""

    ERROR = "errors"
    FILE = "files"
    TERM = "terms"
    DELIVERABLE = "deliverables"
    PRODUCT = "products"


SHARES: Mapping[Topic, float] = {
    Topic.ERROR: 0.7,
    Topic.FILE: 0.25,
    Topic.TERM: 0.5,
    Topic.DELIVERABLE: 0.6,
    Topic.PRODUCT: 0.6,
}
"""How much a word counts that a hint gives, where one of the request counts 1."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Words that a key in a request stands for."""

    key: str
    """As it stands in the table."""
    words: str
    topic: Topic


class KnowledgeError(ValueError):
    """A row of a table can't be read; the message names its file and line."""


Rows = dict[str, str]
"""Words by key."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All tables, looked up by the words of a request."""

    tables: Mapping[Topic, Rows]
    problem: str = ""
    """Why the user's own rows are left out; empty when they count, or there are none."""
    phrases: Mapping[str, list[str]] = field(init=False)
    """The keys of errors that are more than one word or sign, by their first word."""

    def __post_init__(self) -> None:
        phrases: dict[str, list[str]] = {}
        for key in self.tables[Topic.ERROR]:
            first = _WRITTEN.findall(key)[0]
            if _named(first) != key:
                phrases.setdefault(first, []).append(key)
        object.__setattr__(self, "phrases", phrases)

    def hints(self, request: str) -> tuple[Hint, ...]:
        """What the keys in a request stand for, each once, in their order; at most 24."""
        text = request[:_READ]
        found = dict.fromkeys((*self._errors(text), *self._files(text), *self._spoken(text)))
        return tuple(found)[:MOST_HINTS]

    def _spoken(self, text: str) -> Iterator[Hint]:
        """The longest keys of products, deliverables and terms, from left to right."""
        topics = (Topic.PRODUCT, Topic.DELIVERABLE, Topic.TERM)
        tokens = spoken(text)
        start = 0
        while start < len(tokens):
            for length in range(min(_LONGEST_KEY, len(tokens) - start), 0, -1):
                key = " ".join(tokens[start : start + length])
                topic = next((topic for topic in topics if key in self.tables[topic]), None)
                if topic is not None:
                    yield Hint(key, self.tables[topic][key], topic)
                    start += length - 1
                    break
            start += 1

    def _errors(self, text: str) -> Iterator[Hint]:
        rows = self.tables[Topic.ERROR]
        plain = _DIGITS.sub("#", text)
        for token in dict.fromkeys(_WRITTEN.findall(plain)):
            name = _named(token)
            phrases = (phrase for phrase in self.phrases.get(token, ()) if phrase in plain)
            for key in (name, name.rpartition(".")[2], *phrases):
                if key in rows:
                    yield Hint(key, rows[key], Topic.ERROR)

    def _files(self, text: str) -> Iterator[Hint]:
        rows = self.tables[Topic.FILE]
        for token in dict.fromkeys(spoken(text)):
            name = token.rstrip("/").rpartition("/")[2]
            folder = f"{name}/" if token.endswith("/") else ""
            parts = name.split(".") if "." in name[1:] else []
            endings = [f".{'.'.join(parts[-count:])}" for count in (2, 1) if parts]
            if found := next((k for k in (token, name, folder, *endings) if k in rows), None):
                yield Hint(found, rows[found], Topic.FILE)


def _named(written: str) -> str:
    """An error's name or code without what stands around it."""
    return written.strip(":.[]")


def spoken(text: str) -> list[str]:
    """The words of a text as keys of products, deliverables and terms are written."""
    return _TOKEN.findall(text.lower())


def read_table(path: Path) -> Rows:
    """Read the rows of a table, UTF-8; of a key that stands twice the later row counts.

    Raises:
        KnowledgeError: a row has no key, no words or no `=`, or is too long.
        OSError: the file can't be read.
    """
    rows: Rows = {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise KnowledgeError(f"{path} is not UTF-8 text") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.isspace() or line.startswith("# "):
            continue
        left, sign, words = line.strip().rpartition(" = ")
        if not sign or not left:
            raise KnowledgeError(f"{path}:{number}: a row is `key, other spelling = words`")
        if len(line) > _LONGEST_ROW:
            raise KnowledgeError(
                f"{path}:{number}: the row has more than {_LONGEST_ROW} characters"
            )
        for key in left.split(", "):
            rows[key] = words
    return rows


@cache
def knowledge() -> Knowledge:
    """The shipped tables with the user's rows, read once; about 10 ms."""
    tables = {topic: read_table(TABLES / f"{topic}.txt") for topic in Topic}
    errors = tables[Topic.ERROR].items()
    tables[Topic.ERROR] = {_DIGITS.sub("#", key): words for key, words in errors}
    try:
        tables[Topic.PRODUCT] |= _of_the_user()
    except (KnowledgeError, OSError) as error:
        return Knowledge(tables, f"Your own words are not used: {error}")
    return Knowledge(tables)


def _of_the_user() -> Rows:
    mine = paths.config_dir() / USER_TABLE
    if not mine.is_file():
        return {}
    if mine.stat().st_size > _MOST_USER_BYTES:
        raise KnowledgeError(f"{mine} is larger than {_MOST_USER_BYTES // 1_000_000} MB")
    return {" ".join(spoken(key)): words for key, words in read_table(mine).items()}
