"""What the keys of vi say: a count, an operator, and a motion or a command. Reading only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from secretary_tui.widgets.vi.vi_objects import FINDS

MAX_COUNT = 9_999
OPERATORS = frozenset("dcy")
_SHORT = {
    "x": ("d", "l"),
    "X": ("d", "h"),
    "D": ("d", "$"),
    "C": ("c", "$"),
    "s": ("c", "l"),
    "S": ("c", "c"),
    "Y": ("y", "y"),
}
"""Keys that stand for an operator and a motion."""


@dataclass(frozen=True, slots=True)
class ViCommand:
    """A finished command."""

    key: str
    """The motion or the command, such as `w`, `gg`, `f`, `i` (of `iw`), `p`."""
    operator: str = ""
    counted: int = 0
    """The count, 0 when none was typed."""
    argument: str = ""
    """The character after `f F t T r`, or the thing after `i` and `a`."""

    @property
    def count(self) -> int:
        """How often: 1 unless a count was typed."""
        return self.counted or 1


def read_command(keys: Sequence[str], *, visual: bool) -> ViCommand | None:
    """What the keys say, None while they are no whole command yet."""
    rest = list(keys)
    counted = _take_count(rest)
    operator = rest.pop(0) if rest and rest[0] in OPERATORS and not visual else ""
    if operator:
        times = _take_count(rest)
        counted = min(max(counted, 1) * times, MAX_COUNT) if times else counted
    if not rest:
        return None
    key = rest.pop(0)
    names_thing = key in ("i", "a") and (operator or visual)
    takes_more = key in FINDS or key == "g" or (key == "r" and not operator) or names_thing
    if takes_more and not rest:
        return None
    if key == "g":
        return ViCommand(f"g{rest[0]}", operator, counted)
    if key in _SHORT and not operator and not visual:
        operator, key = _SHORT[key]
    return ViCommand(key, operator, counted, rest[0] if takes_more else "")


def _take_count(rest: list[str]) -> int:
    digits = ""
    while rest and rest[0].isascii() and rest[0].isdigit() and (digits or rest[0] != "0"):
        digits += rest.pop(0)
    return min(int(digits or "0"), MAX_COUNT)
