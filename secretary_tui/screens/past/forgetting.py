"""Forgetting decisions with one key, and taking that back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.app import App

from secretary_tui.sessions.decisions import Decision, DecisionLog


class Forgetting:
    """Takes decisions out of their logs and remembers them until the screen is closed.

    `written` is called once all that was asked for is in the logs. The work is the app's: closing
    the screen does not stop it.
    """

    def __init__(self, app: App[object], written: Callable[[], object]) -> None:
        self._app = app
        self._written = written
        self._gone: list[tuple[Decision, DecisionLog]] = []
        self._writing = asyncio.Lock()
        self._waiting = 0

    @property
    def busy(self) -> bool:
        """Whether a log is still behind what the screen shows."""
        return self._waiting > 0

    @property
    def can_take_back(self) -> bool:
        """Whether something was forgotten here."""
        return bool(self._gone)

    def forget(self, decision: Decision, log: DecisionLog) -> None:
        """Take a decision out of its log."""
        self._gone.append((decision, log))
        self._start(lambda: log.forget([decision.id]))

    def take_back(self) -> None:
        """Write down again what was forgotten last."""
        decision, log = self._gone.pop()
        self._start(lambda: log.add(decision))

    def _start(self, change: Callable[[], None]) -> None:
        self._waiting += 1
        self._app.run_worker(self._write(change), group="forget")

    async def _write(self, change: Callable[[], None]) -> None:
        async with self._writing:
            try:
                await asyncio.to_thread(change)
            except OSError as error:
                self._app.notify(
                    f"The log of decisions can't be written: {error.strerror}.",
                    severity="error",
                    markup=False,
                )
            finally:
                self._waiting -= 1
        if not self.busy:
            self._written()
