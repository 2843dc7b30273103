"""What a request's own words don't say: which technology a product, an error or a file belongs to,
and what kind of work a deliverable is.

`argo cd` has to do with Kubernetes and deployment, `ORA-00060` is Oracle, a one-pager is written
for executives. The tables in `data/knowledge` are ours; rows of the user's own come from
`knowledge.txt` in the folder of the settings. A row is `key, other spelling = words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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
_LONGEST_KEY = 5
"""Words of the longest key that is looked up."""
_MOST_USER_BYTES = 1_000_000
_TOKEN = re.compile(r"[\w.+#@/&$-]*[\w+#]/?", re.ASCII)
_DIGITS = re.compile(r"\d")


class Topic(StrEnum):
    """Which table a hint is from; each counts differently."""

    PRODUCT = "products"
    ERROR = "errors"
    FILE = "files"
    DELIVERABLE = "deliverables"


@dataclass(frozen=True, slots=True)
class Hint:
    """Words that a key in a request stands for."""

    key: str
    """As it stands in the table."""
    words: str
    topic: Topic


class KnowledgeError(ValueError):
    """A row of a table can't be read; the message names its file and line."""


@dataclass(slots=True)
class Knowledge:
    """All tables, looked up by the words of a request."""

    keys: dict[str, Hint] = field(default_factory=dict)
    """Products and deliverables by their lower-case words."""
    errors: dict[str, Hint] = field(default_factory=dict)
    """Names and codes of errors, digits as `#`."""
    phrases: dict[str, list[tuple[str, Hint]]] = field(default_factory=dict)
    """Texts of errors by their first word, digits as `#`."""
    files: dict[str, Hint] = field(default_factory=dict)
    """File names, `.endings` and `folders/`."""

    def add(self, topic: Topic, rows: Iterable[tuple[str, str]]) -> None:
        """Take rows of keys and words; of a key that is there already the later row counts."""
        for key, words in rows:
            hint = Hint(key, words, topic)
            if topic is Topic.FILE:
                self.files[key.lower()] = hint
            elif topic is not Topic.ERROR:
                self.keys[" ".join(_TOKEN.findall(key.lower()))] = hint
            elif " " in key:
                first, _, _ = key.partition(" ")
                self.phrases.setdefault(first, []).append((key, hint))
            else:
                self.errors[key] = hint

    def hints(self, request: str) -> tuple[Hint, ...]:
        """What the keys in a request stand for, each once, in their order; at most 24."""
        text = request[:_READ]
        found = dict.fromkeys((*self._errors(text), *self._files(text), *self._keys(text)))
        return tuple(found)[:MOST_HINTS]

    def _keys(self, text: str) -> Iterator[Hint]:
        tokens = _TOKEN.findall(text.lower())
        start = 0
        while start < len(tokens):
            for length in range(min(_LONGEST_KEY, len(tokens) - start), 0, -1):
                hint = self.keys.get(" ".join(tokens[start : start + length]))
                if hint is not None:
                    yield hint
                    start += length - 1
                    break
            start += 1

    def _errors(self, text: str) -> Iterator[Hint]:
        plain = _DIGITS.sub("#", text)
        for token in dict.fromkeys(re.findall(r"[^\s\"'`,;()<>{}]+", plain)):
            for name in (token.strip(":.[]"), token.strip(":.[]").rpartition(".")[2]):
                if (hint := self.errors.get(name)) is not None:
                    yield hint
            for phrase, hint in self.phrases.get(token, ()):
                if phrase in plain:
                    yield hint

    def _files(self, text: str) -> Iterator[Hint]:
        for token in dict.fromkeys(_TOKEN.findall(text.lower())):
            name = token.rstrip("/").rpartition("/")[2]
            folder = f"{name}/" if token.endswith("/") else ""
            ending = f".{name.rpartition('.')[2]}" if "." in name[1:] else ""
            for key in (token, name, folder, ending):
                if key and ("." in key or "/" in key) and (hint := self.files.get(key)):
                    yield hint
                    break


def read_table(path: Path) -> Iterator[tuple[str, str]]:
    """Read the rows of a table: each key with its words.

    Raises:
        KnowledgeError: a row has no key, no words, or no `=`.
        OSError: the file can't be read.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = line.strip()
        if not row or row.startswith("# ") or row == "#":
            continue
        left, sign, words = row.rpartition(" = ")
        keys = [key.strip() for key in left.split(", ")]
        if not sign or not words.strip() or not all(keys):
            raise KnowledgeError(f"{path}:{number}: a row is `key, other spelling = words`")
        yield from ((key, words.strip()) for key in keys)


@cache
def knowledge() -> Knowledge:
    """The shipped tables with the user's rows, read once; about 10 ms.

    Raises:
        KnowledgeError: a row of the user's can't be read.
    """
    known = Knowledge()
    for topic in Topic:
        known.add(topic, read_table(TABLES / f"{topic}.txt"))
    mine = paths.config_dir() / USER_TABLE
    if mine.is_file() and mine.stat().st_size <= _MOST_USER_BYTES:
        known.add(Topic.PRODUCT, read_table(mine))
    return known


SHARES: Mapping[Topic, float] = {
    Topic.PRODUCT: 0.6,
    Topic.ERROR: 0.7,
    Topic.FILE: 0.25,
    Topic.DELIVERABLE: 0.7,
}
"""How much a word counts that a hint gives, where one of the request counts 1."""
