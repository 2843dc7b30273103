"""What vi finds in a text: a character of the line, the other bracket, words, quotes, brackets."""

from __future__ import annotations

from collections.abc import Callable

FINDS = frozenset("fFtT")
"""Keys that are followed by the character they look for."""
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_BRACKETS = "()[]{}"
_OBJECTS = {
    "b": "(",
    "B": "{",
    **{sign: sign for sign in _PAIRS},
    **{b: a for a, b in _PAIRS.items()},
}


def find_character(
    text: str, at: int, count: int, how: str, sought: str, *, again: bool = False
) -> int | None:
    """Where `f F t T` lead: within the line, None where the character stands less often.

    Args:
        text: The whole text.
        at: Where the cursor is.
        count: Which of the characters is meant, 1 for the nearest.
        how: Which key: `f` and `t` forward, `t` and `T` stop one before it.
        sought: The character.
        again: Whether `;` or `,` repeats it: then one right beside the cursor is passed by.
    """
    step = 1 if how in "ft" else -1
    till = how in "tT"
    place = at + step if till and again and count == 1 else at
    for _ in range(count):
        place += step
        while 0 <= place < len(text) and text[place] not in (sought, "\n"):
            place += step
        if not 0 <= place < len(text) or text[place] == "\n":
            return None
    return place - step if till else place


def other_bracket(text: str, at: int) -> int | None:
    """The partner of the first bracket of the line from the cursor on, None without one."""
    while at < len(text) and text[at] != "\n" and text[at] not in _BRACKETS:
        at += 1
    if at >= len(text) or text[at] == "\n":
        return None
    one = _BRACKETS.index(text[at])
    step, other = (1, _BRACKETS[one + 1]) if one % 2 == 0 else (-1, _BRACKETS[one - 1])
    return _partner(text, at, step, text[at], other)


def find_object(
    text: str, at: int, name: str, *, around: bool, kind: Callable[[str], int]
) -> tuple[int, int] | None:
    """Where the thing under the cursor begins and ends, as `iw`, `a"` or `i(` mean it.

    Args:
        text: The whole text.
        at: Where the cursor is.
        name: `w`, a quote, or a bracket (`b` for `(`, `B` for `{`).
        around: Whether what is around it is meant, too: blanks, quotes, brackets.
        kind: Which characters belong to one word.
    """
    if name in ("w", "W"):
        return _word(text, at, around=around, kind=kind)
    if name and name in "\"'`":
        return _quoted(text, at, name, around=around)
    if name in _OBJECTS:
        return _bracketed(text, at, _OBJECTS[name], around=around)
    return None


def _partner(text: str, at: int, step: int, one: str, other: str) -> int | None:
    depth = 0
    while 0 <= at < len(text):
        depth += (text[at] == one) - (text[at] == other)
        if depth == 0:
            return at
        at += step
    return None


def _word(
    text: str, at: int, *, around: bool, kind: Callable[[str], int]
) -> tuple[int, int] | None:
    if at >= len(text) or text[at] == "\n":
        return None

    def run(place: int, step: int) -> int:
        """The last place of what is of one kind and in one line."""
        like = kind(text[place])
        while (
            0 <= place + step < len(text)
            and text[place + step] != "\n"
            and kind(text[place + step]) == like
        ):
            place += step
        return place

    start, end = run(at, -1), run(at, 1) + 1
    if not around:
        return start, end
    follows = end < len(text) and text[end] != "\n"
    if follows and (kind(text[end]) == 0 or kind(text[at]) == 0):
        return start, run(end, 1) + 1
    if start and text[start - 1] != "\n" and kind(text[start - 1]) == 0:
        return run(start - 1, -1), end
    return start, end


def _quoted(text: str, at: int, quote: str, *, around: bool) -> tuple[int, int] | None:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    quotes = [place for place in range(start, end) if text[place] == quote]
    for one, other in zip(quotes[::2], quotes[1::2], strict=False):
        if at <= other:
            return (one, other + 1) if around else (one + 1, other)
    return None


def _bracketed(text: str, at: int, opening: str, *, around: bool) -> tuple[int, int] | None:
    closing = _PAIRS[opening]
    if at < len(text) and text[at] == opening:
        one: int | None = at
    else:
        # From before the cursor back to the bracket that is still open there.
        depth, place = 1, at - 1
        while place >= 0:
            depth += (text[place] == closing) - (text[place] == opening)
            if depth == 0:
                break
            place -= 1
        one = place if place >= 0 else None
    if one is None:
        return None
    other = _partner(text, one, 1, opening, closing)
    if other is None or other < at:
        return None
    return (one, other + 1) if around else (one + 1, other)
