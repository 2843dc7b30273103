"""The keys of vi in a small text: insert, normal and visual mode, operators, one register, `.`.

A state machine without a screen: each key gives a `ViChange` of text and place, or None when vi has
no use for it. The request box carries the changes out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from secretary_tui.widgets.vi.vi_changes import (
    MOST_PUT,
    Register,
    ViChange,
    join_lines,
    put,
    put_over,
    replace_characters,
    resting,
    swap_case,
    with_typed,
)
from secretary_tui.widgets.vi.vi_commands import ViCommand, read_command
from secretary_tui.widgets.vi.vi_motions import (
    MOTIONS,
    Motion,
    big_kind,
    first_letter,
    kind,
    line_end,
    line_number,
    line_start,
    on_character,
)
from secretary_tui.widgets.vi.vi_objects import FINDS, find_character, find_object
from secretary_tui.widgets.vi.vi_selection import Extent, Selected

_REVERSED = {"f": "F", "F": "f", "t": "T", "T": "t"}
_MOST_KEYS = 12
"""Of an unfinished command; more are digits of a count that nobody means."""
_ON_SELECTION = {
    **{"d": "d", "x": "d", "y": "y", "c": "c", "s": "c"},
    **{"X": "d", "D": "d", "Y": "y", "C": "c", "S": "c", "R": "c"},
}
"""The operator that a key of visual mode stands for; capitals take whole lines."""


class ViMode(StrEnum):
    """What a letter does: it is typed, it is a command, or it acts on what is selected."""

    INSERT = "insert"
    NORMAL = "normal"
    VISUAL = "visual"
    VISUAL_LINE = "visual line"


@dataclass(frozen=True, slots=True)
class _Done:
    """The last command that changed something, for `.`."""

    command: ViCommand
    extent: Extent | None = None
    """How much was selected, if it was a command of visual mode."""
    typed: str = ""
    """What was inserted after it."""


class ViKeys:
    """Remembers mode, unfinished command, selection, register and last change between keys."""

    def __init__(self) -> None:
        self._inserting = True
        self._selected: Selected | None = None
        self._keys: list[str] = []
        self._register = Register()
        self._find: tuple[str, str] | None = None
        """The last of `f F t T`, and the character it looked for."""
        self._done: _Done | None = None
        self._before_typing: tuple[str, int] | None = None
        """Text and cursor when a command began to insert."""

    @property
    def mode(self) -> ViMode:
        """What letters do now."""
        if self._inserting:
            return ViMode.INSERT
        if self._selected is None:
            return ViMode.NORMAL
        return ViMode.VISUAL_LINE if self._selected.lines else ViMode.VISUAL

    @property
    def is_inserting(self) -> bool:
        """Whether a letter is typed."""
        return self._inserting

    @property
    def is_normal(self) -> bool:
        """Whether a letter is a command, and nothing is selected for it."""
        return not self._inserting and self._selected is None

    @property
    def is_visual(self) -> bool:
        """Whether something is selected for the next command."""
        return self._selected is not None

    @property
    def pending(self) -> str:
        """What was typed of an unfinished command."""
        return "".join(self._keys)

    def begin_insert(self) -> None:
        """Type from now on."""
        self._keys, self._selected, self._before_typing = [], None, None
        self._inserting = True

    def leave_visual(self) -> None:
        """What was selected is not any more: somebody put the cursor elsewhere."""
        self._selected = None
        self._keys = []

    def head_is_at(self, at: int) -> None:
        """Characters are selected up to here: the box kept the cursor out of a label."""
        if self._selected is not None and not self._selected.lines:
            self._selected = replace(self._selected, head=at)

    def took(self, text: str) -> None:
        """More was taken away than the last command said: a label goes as a whole."""
        if not self._register.lines:
            self._register = Register(text)

    def escape(self, text: str, at: int) -> ViChange | None:
        """Esc: to normal mode, or drop an unfinished command; None when there was nothing."""
        if self._inserting:
            return self._end_insert(text, at)
        if self._selected is not None:
            head = self._selected.head
            self.leave_visual()
            return ViChange(on_character(text, head))
        if not self._keys:
            return None
        self._keys = []
        return ViChange(at)

    def press(self, key: str, text: str, at: int) -> ViChange | None:
        """A key of normal or visual mode, as a character or `ctrl+r`; None leaves it to others."""
        if key == "ctrl+r":
            counted = read_command([*self._keys, "u"], visual=False)
            self._keys = []
            return ViChange(at, undo=-(counted.count if counted is not None else 1))
        if len(key) != 1:
            return None
        if len(self._keys) < _MOST_KEYS or not key.isdigit():
            self._keys.append(key)
        command = read_command(self._keys, visual=self.is_visual)
        if command is None:
            return self._selected.shown(text) if self._selected is not None else ViChange(at)
        self._keys = []
        if self._selected is not None:
            change = self._on_selection(command, text, self._selected)
        elif command.key == "." and not command.operator:
            change = self._again(command, text, at)
        else:
            change = self._do(command, text, at)
            if change.edits or self._inserting:
                self._done = _Done(command)
        if self._inserting:
            self._before_typing = (change.apply(text), change.cursor)
            return change
        if change.undo:
            return change
        return self._selected.shown(text) if self._selected is not None else resting(change, text)

    # ----------------------------------------------------------------- normal mode

    def _do(self, command: ViCommand, text: str, at: int) -> ViChange:
        motion = None if command.operator else self._motion(command)
        if motion is not None:
            target = motion.target(text, at, command.count)
            return ViChange(at if target is None else target)
        if command.operator:
            return self._operate(command, text, at)
        return self._change(command, text, at)

    def _change(self, command: ViCommand, text: str, at: int) -> ViChange:
        """What is neither motion nor operator."""
        match command.key:
            case "p" | "P":
                return put(self._register, text, at, command.count, before=command.key == "P")
            case "J":
                return join_lines(text, at, command.count)
            case "r":
                return replace_characters(text, at, command.count, command.argument)
            case "~":
                return swap_case(text, at, command.count)
            case "u":
                return ViChange(at, undo=command.count)
            case "v" | "V":
                self._selected = Selected(at, at, lines=command.key == "V")
                return ViChange(at)
        return self._begin_to_insert(command.key, text, at)

    def _motion(self, command: ViCommand) -> Motion | None:
        key, counted = command.key, command.counted
        if key == "gg":
            return Motion(lambda text, at, count: line_number(text, count), linewise=True)
        if key == "G":
            return Motion(
                lambda text, at, count: line_number(text, counted or text.count("\n") + 1),
                linewise=True,
            )
        if key in FINDS:
            self._find = (key, command.argument)
        elif key not in (";", ","):
            return MOTIONS.get(key)
        if self._find is None:
            return Motion(lambda text, at, count: None)
        how, sought = self._find
        how = _REVERSED[how] if key == "," else how
        again = key in (";", ",")
        return Motion(
            lambda text, at, count: find_character(text, at, count, how, sought, again=again),
            inclusive=how in "ft",
        )

    def _begin_to_insert(self, key: str, text: str, at: int) -> ViChange:
        """Keys that begin to insert somewhere; any other one does nothing."""
        start, end = line_start(text, at), line_end(text, at)
        changes = {
            "i": ViChange(at),
            "a": ViChange(min(at + 1, end)),
            "I": ViChange(first_letter(text, at)),
            "A": ViChange(end),
            "o": ViChange(end + 1, end, end, "\n"),
            "O": ViChange(start, start, start, "\n"),
        }
        self._inserting = key in changes
        return changes.get(key, ViChange(at))

    def _end_insert(self, text: str, at: int) -> ViChange:
        """Back to normal mode; a count inserts what was typed as often again."""
        self._inserting = False
        typed = self._typed_since(text, at)
        self._before_typing = None
        extra = ""
        if typed is not None and self._done is not None:
            self._done = replace(self._done, typed=typed)
            extra = _counted(self._done.command, typed)
        change = ViChange(at, at, at, extra)
        after, end = change.apply(text), at + len(extra)
        return resting(replace(change, cursor=max(line_start(after, end), end - 1)), text)

    def _typed_since(self, text: str, at: int) -> str | None:
        """What was typed since a command began to insert; None if something else happened."""
        if self._before_typing is None:
            return None
        before, start = self._before_typing
        behind = before[start:]
        is_one_piece = len(text) >= len(before) and text.endswith(behind)
        if not is_one_piece or not text.startswith(before[:start]):
            return ""
        return text[start : len(text) - len(behind)]

    def _again(self, command: ViCommand, text: str, at: int) -> ViChange:
        """`.`: the last change once more, here; a count takes the place of its own."""
        done = self._done
        if done is None:
            return ViChange(at)
        repeated = replace(done.command, counted=command.counted or done.command.counted)
        self._done = replace(done, command=repeated)
        if done.extent is not None:
            change = self._act(repeated, text, done.extent.begin_at(text, at))
        else:
            change = self._do(repeated, text, at)
        if not self._inserting:
            return change
        self._inserting = False
        return with_typed(change, done.typed + _counted(repeated, done.typed))

    # ------------------------------------------------------------------- operators

    def _operate(self, command: ViCommand, text: str, at: int) -> ViChange:
        operator, key, count = command.operator, command.key, command.count
        if key == operator:
            below = MOTIONS["j"].target(text, at, count - 1)
            return self._take_lines(operator, text, at, at if below is None else below)
        if key in ("i", "a"):
            thing = self._object(command, text, at)
            return ViChange(at) if thing is None else self._take(operator, text, *thing, at)
        begin = at
        if operator == "c" and key in ("w", "W") and at < len(text) and not text[at].isspace():
            # As in vi: to the end of the word, which may be where the cursor is.
            key, begin = {"w": "e", "W": "E"}[key], at - 1
        motion = self._motion(replace(command, key=key))
        target = motion.target(text, begin, count) if motion is not None else None
        if motion is None or target is None:
            return ViChange(at)
        if motion.linewise:
            return self._take_lines(operator, text, at, target)
        start, end = sorted((at, target))
        end += motion.inclusive and end < len(text)
        words = text[start:end].rstrip()
        if key in ("w", "W") and "\n" in text[start + len(words) : end]:
            # The last word of a line does not bring the next line up.
            end = line_end(text, start + len(words))
        return self._take(operator, text, start, end, at)

    def _object(self, command: ViCommand, text: str, at: int) -> tuple[int, int] | None:
        name = command.argument
        around, tells = command.key == "a", big_kind if name == "W" else kind
        return find_object(text, at, name, around=around, kind=tells)

    def _take(self, operator: str, text: str, start: int, end: int, at: int) -> ViChange:
        if start == end and operator != "c":
            return ViChange(at)
        if end > start:
            self._register = Register(text[start:end])
        if operator == "y":
            return ViChange(start)
        self._inserting = operator == "c"
        return ViChange(start, start, end, kept=True)

    def _take_lines(self, operator: str, text: str, one: int, other: int) -> ViChange:
        start, end = line_start(text, min(one, other)), line_end(text, max(one, other))
        self._register = Register(text[start:end] + "\n", lines=True)
        if operator == "y":
            return ViChange(min(one, other))
        if operator == "c":
            self._inserting = True
            return ViChange(start, start, end)
        if end < len(text):
            after = text[:start] + text[end + 1 :]
            return ViChange(first_letter(after, start), start, end + 1)
        start = max(start - 1, 0)
        return ViChange(first_letter(text[:start], start), start, end)

    # ----------------------------------------------------------------- visual mode

    def _on_selection(self, command: ViCommand, text: str, selected: Selected) -> ViChange:
        """Move the end of the selection, or do something with it; any other key does nothing."""
        key, here = command.key, ViChange(selected.head)
        if key in ("v", "V"):
            lines = key == "V"
            self._selected = None if selected.lines == lines else replace(selected, lines=lines)
            return here
        if key == "o":
            self._selected = replace(selected, anchor=selected.head, head=selected.anchor)
            return here
        if key in ("i", "a"):
            thing = self._object(command, text, selected.head)
            if thing is not None and thing[0] < thing[1]:
                self._selected = replace(selected, anchor=thing[0], head=thing[1] - 1)
            return here
        motion = self._motion(command)
        if motion is not None:
            target = motion.target(text, min(selected.head, len(text)), command.count)
            if target is not None:
                self._selected = replace(selected, head=on_character(text, target))
            return here
        if key not in _ON_SELECTION and key not in ("~", "u", "U", "r", "J", "p", "P"):
            return here
        self._selected = None
        change = self._act(command, text, selected)
        if change.edits or self._inserting:
            self._done = _Done(command, selected.extent(text))
        return change

    def _act(self, command: ViCommand, text: str, selected: Selected) -> ViChange:
        key = command.key
        start, end = selected.span(text)
        if key in _ON_SELECTION:
            if selected.lines or key.isupper():
                last = end if selected.lines else max(start, end - 1)
                return self._take_lines(_ON_SELECTION[key], text, start, last)
            return self._take(_ON_SELECTION[key], text, start, end, start)
        if key == "J":
            return join_lines(text, start, text.count("\n", start, end) + 1)
        if key in ("p", "P"):
            if not self._register.text:
                return ViChange(start)
            change = put_over(self._register, text, start, end, lines=selected.lines)
            taken = text[start:end]
            self._register = Register(f"{taken}\n" if selected.lines else taken, selected.lines)
            return change
        old = text[start:end]
        if key == "r":
            new = "".join("\n" if sign == "\n" else command.argument for sign in old)
        else:
            new = {"~": old.swapcase, "u": old.lower, "U": old.upper}[key]()
        return ViChange(start, start, end, new)


def _counted(command: ViCommand, typed: str) -> str:
    """What a count adds to what was typed once, as in `3ix` and `2o`."""
    if command.operator or command.key not in "iaIAoO" or not typed:
        return ""
    again = f"\n{typed}" if command.key in "oO" else typed
    return again * min(command.count - 1, MOST_PUT // len(again))
