"""The course of a run with any carrier: its turns, its cost cap, and its last event."""

from __future__ import annotations

import time
from collections.abc import Callable

from secretary_tui.delegation.carrier.carrier import RunContext
from secretary_tui.delegation.carrier.endings import INTERRUPTED, MAX_COST, RunEnding, ending
from secretary_tui.delegation.spend.budget import may_go_on
from secretary_tui.engines.faults import Fault
from secretary_tui.events import Notice, Outcome, RunFailed, RunFinished, TurnStarted, Usage


class RunCourse:
    """Counts the turns of one run, holds it to its budget, and tells how it ended.

    Args:
        spent: Gives the tokens and the US dollars so far; None for dollars that nobody knows.
    """

    def __init__(self, run: RunContext, spent: Callable[[], tuple[Usage, float | None]]) -> None:
        self._run = run
        self._emit = run.emit
        self._spent = spent
        self._began = time.monotonic()
        self.turns = 0
        self.text = ""
        """The latest answer that said something."""

    async def may_go_on(self) -> bool:
        """Ask the user whether to go on where the money is used up; if not, the run has ended."""
        if await may_go_on(self._run.delegation.budget, self._run.people):
            return True
        self.end_at_cap()
        return False

    def begin_turn(self) -> None:
        """Tell that the next turn begins."""
        self.turns += 1
        self._emit(TurnStarted(self.turns))

    def end(self, stop_reason: str, how: RunEnding) -> None:
        """Tell that the run ended by itself, with a warning where it may not be finished."""
        if how.sentence:
            self._emit(Notice(how.words, "warning"))
        elif not self.text:
            self._emit(Notice("The agent ended without an answer.", "warning"))
        self._finish(how.outcome, stop_reason)

    def end_at_cap(self) -> None:
        """Tell that the run ended because the money that it may cost is used up."""
        self.end(MAX_COST, ending(MAX_COST, {}))

    def interrupt(self) -> None:
        """Tell that the user ended the run."""
        self._finish(Outcome.INTERRUPTED, INTERRUPTED)

    def fail(self, fault: Fault) -> None:
        """Tell that the run could not go on."""
        usage, cost_usd = self._spent()
        words = (fault.sentence, fault.suggestion, fault.retryable)
        self._emit(RunFailed(*words, usage, cost_usd, self._elapsed_s))

    def _finish(self, outcome: Outcome, stop_reason: str) -> None:
        usage, cost_usd = self._spent()
        spent = (usage, cost_usd, self.turns, self._elapsed_s)
        self._emit(RunFinished(outcome, stop_reason, self.text, *spent))

    @property
    def _elapsed_s(self) -> float:
        return time.monotonic() - self._began
