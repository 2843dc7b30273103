"""Which files of the project a request may mean: `the login` is `app/login.py` or `web/login.tsx`.

The listing comes from outside; a name in it is untrusted text, and is cleaned before it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, islice
from pathlib import PurePosixPath
from typing import Protocol

from secretary_tui.routing.recommend.request_words import Sort, Word, listed
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import stem_all
from secretary_tui.sanitize import clean_line

MOST_PLACES = 4
MOST_FOLDERS = 2
_LONGEST_PATH = 60
_MOST_NAMES = 3
"""Words of one matter, such as `the user settings`."""
_SUPPORT = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?|fixtures|docs?|examples?|vendor)/|"
                      r"(?:^|[/_.-])(?:test|tests|spec)(?=[_.-])", re.I)  # fmt: skip
_NO_TEXT = frozenset(
    ("png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "pdf", "lock", "snap", "map", "woff", "ttf")
) | {"md", "rst", "zip", "gz", "whl", "so", "pyc", "mp4", "mp3", "db", "sqlite", "log"}
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_PLAIN = re.compile(r"[\w.@+/()\[\]-]+")
"""A path that can stand in a sentence of the user's: no words of its own come along."""
_MOST_LIKELY = 500
_BEGINNING = 4
"""Letters of a word that stand in a path that may have it; stems are cut at their ends."""


class ProjectNames(Protocol):
    """The project's files by name, as far as they are known."""

    @property
    def is_repository(self) -> bool:
        """Whether the project is under git."""
        ...

    def paths(self) -> Sequence[str]:
        """Paths below the project, with slashes."""
        ...


def meant_places(
    read: Sequence[Word], paths: Sequence[str], *, loosely: bool
) -> tuple[str, tuple[str, ...]]:
    """The first matter of a request that several files answer to, and 2 to 4 of these.

    `loosely` takes any name and files that have it among others in theirs (`login_view.py`);
    else the matter must be definite (`the login`) and the files' whole name.
    """
    paths = [path for path in paths if _PLAIN.fullmatch(path)]
    for matter in _matters(read, loosely):
        said = " ".join(word.text for word in matter)
        found = _answering(said, paths, loosely) or _answering(in_english(said), paths, loosely)
        if len(found) > 1:
            return said, found[:MOST_PLACES]
    return "", ()


def top_folders(paths: Sequence[str]) -> tuple[str, ...]:
    """The folders at the project's top that hold most of its files."""
    tops = sorted(p.partition("/")[0] for p in paths if "/" in p and _PLAIN.fullmatch(p))
    counts = sorted(((-len(list(same)), top) for top, same in groupby(tops)))
    return tuple(clean_line(f"{top}/") for _, top in counts[:MOST_FOLDERS])


def _matters(read: Sequence[Word], loosely: bool) -> Iterator[tuple[Word, ...]]:
    """The runs of names in a request."""
    at = 0
    for is_name, run in groupby(read, key=lambda word: word.sort is Sort.NAME):
        named = tuple(run)
        before = read[at - 1].key if at else ""
        at += len(named)
        if is_name and len(named) <= _MOST_NAMES and (loosely or before in listed("definite")):
            yield named


def _answering(matter: str, paths: Sequence[str], loosely: bool) -> tuple[str, ...]:
    """The places that have the matter's words in their names, the nearest first."""
    wanted = _stems(matter)
    if not wanted:
        return ()
    ranked: list[tuple[bool, int, int, str]] = []
    for place in islice(_likely(paths, wanted), _MOST_LIKELY):
        *above, name = (_stems(part) for part in place.rstrip("/").partition(".")[0].split("/"))
        if name & wanted and wanted <= name.union(*above):
            is_part = not name <= wanted
            ranked.append((is_part, place.count("/"), len(place), place))
    whole = [row for row in ranked if not row[0]]
    found: list[str] = []
    for *_, place in sorted(whole or (ranked if loosely else [])):
        if len(place) <= _LONGEST_PATH and not place.startswith(tuple(found)):
            found.append(place)
    return tuple(map(clean_line, found))


def _likely(paths: Sequence[str], wanted: frozenset[str]) -> Iterator[str]:
    """The files and folders that may be meant; tests and documents only where these are."""
    about_tests = any(word.startswith(("test", "spec", "doc", "fixtur")) for word in wanted)
    begins = tuple(word[:_BEGINNING] for word in wanted)
    folders: set[str] = set()
    for path in paths:
        low = path.lower()
        if not any(begin in low for begin in begins) or (_SUPPORT.search(path) and not about_tests):
            continue
        pure = PurePosixPath(path)
        above = {f"{folder}/" for folder in pure.parents if folder.name}
        yield from above - folders
        folders |= above
        if pure.suffix.lstrip(".").lower() not in _NO_TEXT:
            yield path


@lru_cache(maxsize=4096)
def _stems(name: str) -> frozenset[str]:
    """The stems of a name's parts: of `LoginView`, `login_view` and `login-view` the same."""
    return frozenset(stem_all(part.lower() for part in _PART.findall(name)))
