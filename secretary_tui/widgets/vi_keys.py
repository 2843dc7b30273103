"""The keys of vi in a small text: normal and insert mode, counts, operators, one register.

A state machine without a screen: each key gives a `Change` of text and place, or None when vi has
no use for it. The request box carries the changes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from secretary_tui.widgets.vi_motions import (
    MOTIONS,
    Motion,
    first_letter,
    line_end,
    line_number,
    line_start,
    on_character,
)

MAX_COUNT = 9_999
_OPERATORS = frozenset("dcy")
_SHORT = {"x": ("d", "l"), "X": ("d", "h"), "D": ("d", "$"), "C": ("c", "$")}
"""Keys that stand for an operator and a motion."""
_GO_TO = Motion(lambda text, at, count: line_number(text, count), linewise=True)


class ViMode(StrEnum):
    """What a letter does: it is typed, or it is a command."""

    INSERT = "insert"
    NORMAL = "normal"


@dataclass(frozen=True, slots=True)
class Change:
    """What a key does to the text."""

    cursor: int
    """Where the cursor stands after it."""
    start: int = 0
    end: int = 0
    """What is taken away lies between them."""
    insert: str = ""
    """What comes in its place."""
    undo: int = 0
    """Changes to undo; below 0: to make again. Then the rest is void."""


class ViKeys:
    """Remembers mode, count, operator and register between keys."""

    def __init__(self) -> None:
        self.mode = ViMode.INSERT
        self._count = ""
        self._operator = ""
        self._operator_count = 1
        self._g = False
        self._register = ""
        self._lines = False
        """Whether the register holds whole lines."""

    @property
    def pending(self) -> str:
        """What was typed of an unfinished command."""
        times = str(self._operator_count) if self._operator_count > 1 else ""
        return f"{times}{self._operator}{self._count}{'g' if self._g else ''}"

    def begin_insert(self) -> None:
        """Type from now on."""
        self._forget()
        self.mode = ViMode.INSERT

    def escape(self, text: str, at: int) -> Change | None:
        """Esc: to normal mode, or drop an unfinished command; None when there was nothing."""
        if self.mode is ViMode.INSERT:
            self.mode = ViMode.NORMAL
            return Change(on_character(text, max(line_start(text, at), at - 1)))
        if not self.pending:
            return None
        self._forget()
        return Change(at)

    def press(self, key: str, text: str, at: int) -> Change | None:
        """A key of normal mode, as a character or `ctrl+r`; None leaves it to others."""
        if key == "ctrl+r":
            return self._done(Change(at, undo=-self._take_count()))
        if len(key) != 1 and key != "space":
            return None
        if (key.isascii() and key.isdigit()) and (key != "0" or self._count):
            self._count = (self._count + key)[: len(str(MAX_COUNT))]
            return Change(at)
        if key == "g" and not self._g:
            self._g = True
            return Change(at)
        if key in _OPERATORS and not self._operator and not self._g:
            self._operator, self._operator_count = key, self._take_count()
            self._count = ""
            return Change(at)
        change = self._command(key, text, at)
        self._forget()
        if self.mode is ViMode.INSERT or change.undo:
            return change
        after = text[: change.start] + change.insert + text[change.end :]
        return Change(on_character(after, change.cursor), change.start, change.end, change.insert)

    def _command(self, key: str, text: str, at: int) -> Change:
        if key in _SHORT and not self._operator:
            self._operator, key = _SHORT[key]
        if self._operator:
            return self._operate(key, text, at)
        motion = self._motion(key, text)
        if motion is not None:
            return Change(motion.target(text, at, self._take_count()))
        if key in ("p", "P"):
            return self._put(text, at, before=key == "P")
        if key == "u":
            return Change(at, undo=self._take_count())
        return self._to_insert(key, text, at)

    def _motion(self, key: str, text: str) -> Motion | None:
        if self._g:
            if key != "g":
                return None
            self._count = self._count or "1"
            return _GO_TO
        if key == "G":
            self._count = self._count or str(text.count("\n") + 1)
            return _GO_TO
        return MOTIONS.get(key)

    def _to_insert(self, key: str, text: str, at: int) -> Change:
        """Keys that begin to insert somewhere; any other one does nothing."""
        start, end = line_start(text, at), line_end(text, at)
        changes = {
            "i": Change(at),
            "a": Change(min(at + 1, end)),
            "I": Change(first_letter(text, at)),
            "A": Change(end),
            "o": Change(end + 1, end, end, "\n"),
            "O": Change(start, start, start, "\n"),
        }
        if key not in changes or self._g:
            return Change(at)
        self.mode = ViMode.INSERT
        return changes[key]

    # ----------------------------------------------------------------- operators

    def _operate(self, key: str, text: str, at: int) -> Change:
        operator, count = self._operator, self._operator_count * self._take_count()
        if key == operator and not self._g:
            end = MOTIONS["j"].target(text, at, count - 1)
            return self._take_lines(operator, text, at, end)
        counted = bool(self._count)
        motion = self._motion(key, text)
        if motion is None:
            return Change(at)
        if motion is _GO_TO and not counted:
            count = int(self._count)
        begin = at
        if operator == "c" and key == "w" and at < len(text) and not text[at].isspace():
            # As in vi: to the end of the word, which may be where the cursor is.
            motion, key, begin = MOTIONS["e"], "e", at - 1
        target = motion.target(text, begin, count)
        if motion.linewise:
            return self._take_lines(operator, text, at, target)
        start, end = sorted((at, target))
        end += motion.inclusive and end < len(text)
        words = text[start:end].rstrip()
        if key == "w" and "\n" in text[start + len(words) : end]:
            # The last word of a line does not bring the next line up.
            end = line_end(text, start + len(words))
        return self._take(operator, text, start, end, at)

    def _take(self, operator: str, text: str, start: int, end: int, at: int) -> Change:
        if start == end and operator != "c":
            return Change(at)
        self._register, self._lines = text[start:end] or self._register, False
        if operator == "y":
            return Change(start)
        if operator == "c":
            self.mode = ViMode.INSERT
        return Change(start, start, end)

    def _take_lines(self, operator: str, text: str, one: int, other: int) -> Change:
        start, end = line_start(text, min(one, other)), line_end(text, max(one, other))
        self._register, self._lines = text[start:end] + "\n", True
        if operator == "y":
            return Change(min(one, other))
        if operator == "c":
            self.mode = ViMode.INSERT
            return Change(start, start, end)
        if end < len(text):
            after = text[:start] + text[end + 1 :]
            return Change(first_letter(after, start), start, end + 1)
        start = max(start - 1, 0)
        return Change(first_letter(text[:start], start), start, end)

    def _put(self, text: str, at: int, *, before: bool) -> Change:
        count = self._take_count()
        if not self._register:
            return Change(at)
        new = self._register * min(count, max(1, 100_000 // len(self._register)))
        if not self._lines:
            place = at if before or line_end(text, at) == at else at + 1
            return Change(place + len(new) - 1, place, place, new)
        if before:
            place = line_start(text, at)
            return Change(first_letter(new, 0) + place, place, place, new)
        place = line_end(text, at)
        return Change(first_letter(new, 0) + place + 1, place, place, f"\n{new[:-1]}")

    # --------------------------------------------------------------------- state

    def _take_count(self) -> int:
        return max(1, min(int(self._count or 1), MAX_COUNT))

    def _done(self, change: Change) -> Change:
        self._forget()
        return change

    def _forget(self) -> None:
        self._count = self._operator = ""
        self._operator_count, self._g = 1, False
