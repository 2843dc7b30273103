"""What a key of vi does to a text: one change, and the pure functions that make some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from secretary_tui.widgets.vi.vi_motions import first_letter, line_end, line_start, on_character

MOST_PUT = 100_000
"""Characters that one key may put into the text, whatever its count."""


@dataclass(frozen=True, slots=True)
class ViChange:
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
    anchor: int | None = None
    """Where the selection that ends at the cursor begins; None for no selection."""
    kept: bool = False
    """Whether what is taken away can be put back with `p`."""

    @property
    def edits(self) -> bool:
        """Whether the text changes."""
        return self.end > self.start or bool(self.insert)

    def apply(self, text: str) -> str:
        """The text after it."""
        return text[: self.start] + self.insert + text[self.end :]


@dataclass(frozen=True, slots=True)
class Register:
    """What was deleted or copied last."""

    text: str = ""
    lines: bool = False
    """Whether it is whole lines; then it ends in a newline."""


def put(register: Register, text: str, at: int, count: int, *, before: bool) -> ViChange:
    """`p` and `P`: what the register holds, behind or before the cursor or its line."""
    if not register.text:
        return ViChange(at)
    new = register.text * min(count, max(1, MOST_PUT // len(register.text)))
    if not register.lines:
        place = at if before or line_end(text, at) == at else at + 1
        return ViChange(place + len(new) - 1, place, place, new)
    if before:
        place = line_start(text, at)
        return ViChange(first_letter(new, 0) + place, place, place, new)
    place = line_end(text, at)
    return ViChange(first_letter(new, 0) + place + 1, place, place, f"\n{new[:-1]}")


def put_over(register: Register, text: str, start: int, end: int, *, lines: bool) -> ViChange:
    """`p` on a selection: what the register holds in its place."""
    new = register.text
    if register.lines:
        new = new[:-1] if lines else f"\n{new}"
    cursor = start if lines or register.lines else start + max(len(new) - 1, 0)
    return ViChange(cursor, start, end, new, kept=True)


def join_lines(text: str, at: int, count: int) -> ViChange:
    """`J`: so many lines to one, a blank between them where none is."""
    begin, end = line_start(text, at), line_end(text, at)
    for _ in range(min(max(count, 2) - 1, text.count("\n", at))):
        end = line_end(text, end + 1)
    first, *others = text[begin:end].split("\n")
    if not others:
        return ViChange(at)
    joined, place = first, len(first)
    for line in map(str.lstrip, others):
        place = len(joined)
        needs_blank = line and joined and not joined[-1].isspace() and line[0] != ")"
        joined += f" {line}" if needs_blank else line
    start = begin + len(first)
    return ViChange(begin + place, start, end, joined[len(first) :])


def replace_characters(text: str, at: int, count: int, character: str) -> ViChange:
    """`r`: so many characters of the line by another; nothing where there are fewer."""
    if at + count > line_end(text, at):
        return ViChange(at)
    return ViChange(at + count - 1, at, at + count, character * count)


def swap_case(text: str, at: int, count: int) -> ViChange:
    """`~`: small letters to capitals and back, and on to the next character."""
    end = min(at + count, line_end(text, at))
    return ViChange(end, at, end, text[at:end].swapcase())


def with_typed(change: ViChange, typed: str) -> ViChange:
    """A change that begins to insert, and what was then typed, as one change."""
    cursor = change.cursor
    if not change.edits:
        change = ViChange(cursor, cursor, cursor)
    at = cursor - change.start
    insert = change.insert[:at] + typed + change.insert[at:]
    return replace(change, insert=insert, cursor=cursor + max(len(typed) - 1, 0))


def resting(change: ViChange, text: str) -> ViChange:
    """The same with the cursor on a character, as normal mode wants it."""
    return replace(change, cursor=on_character(change.apply(text), change.cursor))
