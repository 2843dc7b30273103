"""The moment after a choice in which it can be taken back: nothing was sent to an agent yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class ChoiceHold:
    """Holds one choice at a time.

    Args:
        changed: Called when a hold begins and when it ends.
    """

    HOLD_S = 0.7
    """Seconds after the choice in which Esc still takes it back."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._taken_back: asyncio.Event | None = None
        self.chosen = ""
        """The agent that was chosen a moment ago, while the choice can be taken back."""

    @property
    def is_open(self) -> bool:
        """Whether a choice can still be taken back."""
        return self._taken_back is not None

    def take_back(self) -> bool:
        """Take the choice back; whether there was one."""
        if self._taken_back is None:
            return False
        self._taken_back.set()
        return True

    async def stands(self, agent: str) -> bool:
        """Wait `HOLD_S`; whether the choice was not taken back meanwhile."""
        self._taken_back = asyncio.Event()
        self.chosen = agent
        self._changed()
        try:
            await asyncio.wait_for(self._taken_back.wait(), self.HOLD_S)
        except TimeoutError:
            return True
        finally:
            self._taken_back = None
            self.chosen = ""
            self._changed()
        return False
