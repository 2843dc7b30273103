"""Where the motions of vi lead in a text: pure functions of text, place and count.

Places are characters of the text; a line ends before its newline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from secretary_tui.widgets.vi.vi_objects import other_bracket


def line_start(text: str, at: int) -> int:
    """Where the line of a place begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Where the line of a place ends: its newline, or the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def first_letter(text: str, at: int) -> int:
    """The first character of the line that is no blank."""
    start, end = line_start(text, at), line_end(text, at)
    line = text[start:end]
    return start + len(line) - len(line.lstrip())


def on_character(text: str, at: int) -> int:
    """The nearest place in the line that has a character, as normal mode wants it."""
    at = max(0, min(at, len(text)))
    return max(line_start(text, at), min(at, line_end(text, at) - 1))


Kind = Callable[[str], int]
"""Tells the characters of a word from those of the next: 0 are blanks, which belong to none."""


def kind(character: str) -> int:
    """The kind of a character as `w` sees it: letters, or other signs."""
    if character.isspace():
        return 0
    return 1 if character.isalnum() or character == "_" else 2


def big_kind(character: str) -> int:
    """The same as `W` sees it: all that is no blank is one."""
    return 0 if character.isspace() else 1


def _left(text: str, at: int, count: int) -> int:
    return max(line_start(text, at), at - count)


def _right(text: str, at: int, count: int) -> int:
    return min(line_end(text, at), at + count)


def _down(text: str, at: int, count: int) -> int:
    column = at - line_start(text, at)
    for _ in range(min(count, text.count("\n", at))):
        at = line_end(text, at) + 1
    return min(line_start(text, at) + column, line_end(text, at))


def _up(text: str, at: int, count: int) -> int:
    column = at - line_start(text, at)
    for _ in range(min(count, text.count("\n", 0, at))):
        at = line_start(text, at) - 1
    return min(line_start(text, at) + column, line_end(text, at))


def _next_word(text: str, at: int, count: int, kind: Kind = kind) -> int:
    for _ in range(min(count, len(text))):
        here = kind(text[at]) if at < len(text) else 0
        while at < len(text) and here and kind(text[at]) == here:
            at += 1
        while at < len(text) and text[at].isspace():
            at += 1
            if text[at - 1 : at + 1] == "\n\n":
                break  # An empty line counts as a word.
    return at


def _word_before(text: str, at: int, count: int, kind: Kind = kind) -> int:
    for _ in range(min(count, len(text))):
        while at > 0 and text[at - 1].isspace():
            at -= 1
            if text[at - 1 : at + 1] == "\n\n":
                break
        else:
            here = kind(text[at - 1]) if at else 0
            while at > 0 and kind(text[at - 1]) == here:
                at -= 1
    return at


def _word_end(text: str, at: int, count: int, kind: Kind = kind) -> int:
    last = max(len(text) - 1, 0)
    for _ in range(min(count, len(text))):
        at = min(at + 1, last)
        while at < last and text[at].isspace():
            at += 1
        while at < last and kind(text[at + 1]) == kind(text[at]):
            at += 1
    return at


def _of_big_words(target: Callable[[str, int, int, Kind], int]) -> Callable[[str, int, int], int]:
    return lambda text, at, count: target(text, at, count, big_kind)


def _to_line_end(text: str, at: int, count: int) -> int:
    return line_end(text, _down(text, at, count - 1))


def line_number(text: str, number: int) -> int:
    """The first letter of a line, counted from 1; of the last one, if there are not as many."""
    return first_letter(text, _down(text, 0, number - 1))


@dataclass(frozen=True, slots=True)
class Motion:
    """Where a key leads, and what an operator takes on the way."""

    target: Callable[[str, int, int], int | None]
    """Gives the place from text, place and count; None when there is none."""
    linewise: bool = False
    """Whether an operator takes whole lines."""
    inclusive: bool = False
    """Whether it takes the character that is reached, too."""


MOTIONS: dict[str, Motion] = {
    "h": Motion(_left),
    "l": Motion(_right),
    " ": Motion(_right),
    "j": Motion(_down, linewise=True),
    "k": Motion(_up, linewise=True),
    "w": Motion(_next_word),
    "b": Motion(_word_before),
    "e": Motion(_word_end, inclusive=True),
    "W": Motion(_of_big_words(_next_word)),
    "B": Motion(_of_big_words(_word_before)),
    "E": Motion(_of_big_words(_word_end), inclusive=True),
    "0": Motion(lambda text, at, count: line_start(text, at)),
    "^": Motion(lambda text, at, count: first_letter(text, at)),
    "$": Motion(_to_line_end),
    "%": Motion(lambda text, at, count: other_bracket(text, at), inclusive=True),
}
"""By character; `gg`, `G` and the finds are with the keys: they depend on more than a count."""
