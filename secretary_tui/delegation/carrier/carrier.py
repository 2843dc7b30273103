"""The seam between a run and whoever carries it out, and what a carrier is handed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from secretary_tui.delegation.carrier.run_control import Inbox
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.engines.base import Engine
from secretary_tui.events import RunEvent
from secretary_tui.people import People


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run: who answers in it, whom it asks, and where its events go."""

    delegation: Delegation
    engine: Engine
    people: People
    emit: Callable[[RunEvent], None]
    settled: Callable[[], Awaitable[object]]
    """Waits until all that was told is logged: nothing has an effect before."""
    inbox: Inbox = field(default_factory=Inbox)
    """What the user says while the run goes on."""


class Carrier(Protocol):
    """Carries out one run, from its first event to its last."""

    async def run(self) -> None:
        """Run to the end: `RunStarted` is told first, one of `RunFinished` and `RunFailed` last.

        Cancelling it leaves the last event to `interrupt`.
        """
        ...

    def interrupt(self) -> None:
        """Tell the last event of a run that was cancelled: what came so far is kept."""
        ...

    def say(self, text: str) -> None:
        """Have the agent told at its next turn; see `Inbox.say`."""
        ...

    async def close(self) -> None:
        """Put away what the run needed only while it went on; called once, however it ended."""
        ...
