"""The line of the match panel that says where the run's model answers, and what it can't do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from secretary_tui.sanitize import clean_line

_NONE = -1


@dataclass(frozen=True, slots=True)
class EngineRow:
    """An engine that the run could have."""

    name: str
    label: str
    limits: tuple[str, ...] = ()
    """What it can't do, in a few words each."""


class EngineLine:
    """The engines there are, and which of them the run gets."""

    def __init__(self) -> None:
        self._rows: tuple[EngineRow, ...] = ()
        self._own = _NONE
        self._at = _NONE

    def offer(self, rows: Sequence[EngineRow], session: str) -> None:
        """Take the engines that can be used; `session` is the name of the session's."""
        self._rows = tuple(rows)
        self._own = next((i for i, row in enumerate(rows) if row.name == session), _NONE)
        self._at = self._own

    @property
    def can_change(self) -> bool:
        """Whether there is another one."""
        return len(self._rows) > (0 if self._own == _NONE else 1)

    @property
    def chosen(self) -> str:
        """The name of the one that was taken; empty for the session's."""
        return "" if self._at == self._own else self._rows[self._at].name

    def change(self) -> str:
        """Take the next one; gives what `chosen` says then."""
        if self._rows:
            self._at = (self._at + 1) % len(self._rows)
        return self.chosen

    @property
    def text(self) -> str:
        """What the panel says; empty when there is nothing to know."""
        if self._at == _NONE:
            return "no engine set: m chooses one" if self._rows else ""
        row = self._rows[self._at]
        limits = f": {', '.join(row.limits)}" if row.limits else ""
        if not limits and not self.can_change:
            return ""
        return f"runs on {clean_line(row.label)}{limits}"
