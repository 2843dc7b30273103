"""What readline does to words: swap two, write one in other letters. Pure functions of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from secretary_tui.widgets.vi.vi_changes import ViChange

_WORD = re.compile(r"[^\W_]+")


def swap_words(text: str, at: int) -> ViChange | None:
    """Alt+T: the word at the cursor, or at a line's end the last one, and the one before it."""
    words = [found.span() for found in _WORD.finditer(text)]
    second = next((number for number, (_, end) in enumerate(words) if end > at), len(words) - 1)
    if len(words) < 2:
        return None
    second = max(second, 1)
    (start, left), (right, end) = words[second - 1], words[second]
    swapped = text[right:end] + text[left:right] + text[start:left]
    return ViChange(end, start, end, swapped)


def change_word(text: str, at: int, write: Callable[[str], str]) -> ViChange | None:
    """From the cursor to the end of its word, or of the next, in other letters."""
    found = _WORD.search(text, at)
    if found is None:
        return None
    return ViChange(found.end(), found.start(), found.end(), write(found[0]))


WORD_CHANGES: Mapping[str, Callable[[str, int], ViChange | None]] = {
    "alt+t": swap_words,
    "alt+u": partial(change_word, write=str.upper),
    "alt+l": partial(change_word, write=str.lower),
    "alt+c": partial(change_word, write=str.capitalize),
}
"""What the keys of readline do to words."""
