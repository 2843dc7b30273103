"""What an agent is told of the conversation before its task: in at most five lines, where it helps.

The minimum of context (seed 000, Risk 4): only what a request goes back to, shortened.
"""

from __future__ import annotations

from collections.abc import Sequence

from secretary_tui.routing.recommend.request_words import Sort, read_words
from secretary_tui.routing.words.terms import stem_all
from secretary_tui.sanitize import clean_line

MOST_LINES = 5
_LONGEST = 200
_COMPARED = 1_000
"""Characters of a message whose words are compared."""


def summarise(
    request: str, exchanges: Sequence[tuple[str, str]], *, goes_back: bool
) -> tuple[str, ...]:
    """Say what was asked and answered before, the oldest first, where a request bears on it.

    `goes_back`: whether it only makes sense after what was said; else it gets what shares a name
    with it.
    """
    names = _names(request)
    lines = [
        f"{how}: {_shortened(text)}"
        for exchange in exchanges
        for how, text in zip(("Asked before", "Answered"), exchange, strict=True)
        if text.strip() and (goes_back or names & _names(text))
    ]
    return tuple(lines[-MOST_LINES:])


def _names(text: str) -> frozenset[str]:
    named = (word for word in read_words(text[:_COMPARED]) if word.sort is Sort.NAME)
    return frozenset(stem_all(word.key for word in named))


def _shortened(text: str) -> str:
    line = clean_line(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rsplit(' ', 1)[0]} …"
