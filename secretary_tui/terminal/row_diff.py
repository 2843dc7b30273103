"""Rows of styled text as runs, and where two of them differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.style import Style


class Ink(NamedTuple):
    """A style as the parameters of SGR sequences; empty is the terminal's default."""

    attributes: str
    color: str | None
    """None where no colour is seen: behind blanks."""
    background: str
    link: Style | None = None
    """The style of a terminal hyperlink, which is written as Rich writes it."""


DEFAULT = Ink("", "", "")
Run = tuple[str, Ink]
"""Characters that follow each other in one ink."""


def cut(runs: Iterable[Run], start: int, stop: int) -> list[Run]:
    """The runs from one character to before another."""
    between: list[Run] = []
    at = 0
    for text, ink in runs:
        part = text[max(start - at, 0) : max(stop - at, 0)]
        if part:
            between.append((part, ink))
        at += len(text)
    return between


def changed(old: Sequence[Run], new: Sequence[Run], length: int) -> tuple[int, int]:
    """First and last character in which two rows of the same length differ."""
    start = _common(old, new)
    backwards = [(text[::-1], ink) for text, ink in reversed(old)]
    stop = length - _common(backwards, [(text[::-1], ink) for text, ink in reversed(new)])
    return start, max(stop, start)


def _common(old: Sequence[Run], new: Sequence[Run]) -> int:
    """How many characters two rows begin with in common, ink included."""
    count = 0
    before, after = iter(old), iter(new)
    a_text, a_ink = next(before, ("", DEFAULT))
    b_text, b_ink = next(after, ("", DEFAULT))
    while a_text and b_text and a_ink == b_ink:
        size = min(len(a_text), len(b_text))
        if a_text[:size] != b_text[:size]:
            pairs = zip(a_text, b_text, strict=False)
            return count + next(n for n, (a, b) in enumerate(pairs) if a != b)
        count += size
        a_text, b_text = a_text[size:], b_text[size:]
        if not a_text:
            a_text, a_ink = next(before, ("", DEFAULT))
        if not b_text:
            b_text, b_ink = next(after, ("", DEFAULT))
    return count
