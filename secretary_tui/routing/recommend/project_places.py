"""Which files of the project a request may mean: `the login` is `app/login.py` or `web/login.tsx`.

The listing comes from outside; a name in it is untrusted text, and is cleaned before it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from typing import Protocol

from secretary_tui.routing.recommend.request_words import Sort, Word
from secretary_tui.routing.words.terms import stem_all, words
from secretary_tui.sanitize import clean_line

MOST_PLACES = 4
MOST_FOLDERS = 2
_LONGEST_PATH = 60
_MOST_NAMES = 3
"""Words of one matter, such as `the user settings`."""
_DEFINITE = frozenset(
    "the my our this that der die das den dem mein meine unser unsere le la les l mon ma notre el los "
    "las mi mis nuestro nuestra il lo gli mio mia".split()
)
_SUPPORT = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?|fixtures|docs?|examples?|vendor)/|"
                      r"(?:^|[/_.-])(?:test|tests|spec)(?=[_.-])", re.I)  # fmt: skip
_NO_TEXT = frozenset(
    "png jpg jpeg gif svg ico webp pdf lock snap map min woff woff2 ttf zip gz whl so pyc mp4 mp3 db "
    "sqlite log".split()
)
_AMBIGUOUS = frozenset("init index main mod __init__".split())
"""Stems of files that speak for their folder."""


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
    for matter in _matters(read, loosely):
        found = _answering(matter, paths, loosely)
        if len(found) > 1:
            return " ".join(word.text for word in matter), found[:MOST_PLACES]
    return "", ()


def top_folders(paths: Sequence[str]) -> tuple[str, ...]:
    """The folders at the project's top that hold most of its files."""
    tops = sorted(path.partition("/")[0] for path in paths if "/" in path)
    counts = sorted(((-len(list(same)), top) for top, same in groupby(tops)))
    return tuple(_shown(f"{top}/") for _, top in counts[:MOST_FOLDERS])


def _matters(read: Sequence[Word], loosely: bool) -> Iterator[tuple[Word, ...]]:
    """The runs of names in a request."""
    at = 0
    for is_name, run in groupby(read, key=lambda word: word.sort is Sort.NAME):
        named = tuple(run)
        before = read[at - 1].key if at else ""
        at += len(named)
        if is_name and len(named) <= _MOST_NAMES and (loosely or before in _DEFINITE):
            yield named


def _answering(matter: Sequence[Word], paths: Sequence[str], loosely: bool) -> tuple[str, ...]:
    """The places that have most of the matter's words in their names, the nearest first."""
    wanted = frozenset(stem_all(words(" ".join(word.text for word in matter))))
    about_tests = any(word.startswith(("test", "spec", "doc", "fixtur")) for word in wanted)
    ranked: list[tuple[int, int, int, str]] = []
    for place, name, above in _named_places(paths, about_tests):
        if len(wanted) == 1 and not wanted.isdisjoint(name) or wanted <= name:
            whole = name == wanted
        elif len(wanted) > 1 and not wanted.isdisjoint(name) and wanted <= name | above:
            whole = True
        else:
            continue
        ranked.append((0 if whole else 1, place.count("/"), len(place), place))
    exact = [row for row in ranked if row[0] == 0]
    best = sorted(exact or (ranked if loosely else []))
    return tuple(dict.fromkeys(_shown(place) for *_, place in best if len(place) <= _LONGEST_PATH))


def _named_places(
    paths: Sequence[str], about_tests: bool
) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Each file with the stems of its name, and of the folders above; a folder for its index."""
    for path in paths:
        pure = PurePosixPath(path)
        if pure.suffix.lstrip(".").lower() in _NO_TEXT or (_SUPPORT.search(path) and not about_tests):
            continue
        name, folders = pure.stem.partition(".")[0], pure.parts[:-1]
        if name.lower() in _AMBIGUOUS and folders:
            path, name, folders = f"{pure.parent}/", folders[-1], folders[:-1]
        yield path, _stems(name), _stems(" ".join(folders))


def _stems(name: str) -> frozenset[str]:
    return frozenset(stem_all(words(name.replace("_", " "))))


def _shown(path: str) -> str:
    return clean_line(path)
