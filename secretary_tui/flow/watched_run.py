"""A run of another window, shown in a tab as it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from secretary_tui.events import Notice, RunEvent, UsageAdded
from secretary_tui.flow.run_progress import RunProgress, RunState
from secretary_tui.sessions.errors import SessionError
from secretary_tui.sessions.follow import follow

CUT_OFF = "The run was cut off: its process is gone. Reply to continue it."
STILL_WRITTEN = "The run is still in progress in another window. Reply there, or once it has ended."


class WatchedRun:
    """At most one run that another process writes. To stop watching leaves the run as it is.

    Args:
        progress: What is known of the tab's runs.
        show: Shows an event in the tab.
        changed: Called after an event that the tab's name or the status line may show.
        report: Says that something unforeseen happened.
    """

    def __init__(
        self,
        progress: RunProgress,
        show: Callable[[RunEvent], None],
        changed: Callable[[], None],
        report: Callable[[Exception], None],
    ) -> None:
        self._progress = progress
        self._show = show
        self._changed = changed
        self._report = report
        self._task: asyncio.Task[None] | None = None

    @property
    def goes_on(self) -> bool:
        """Whether a run is watched that has not ended."""
        return self._task is not None

    def begin(self, run_id: str, agent: str) -> None:
        """Show a run from its beginning on, until it ends or `stop`."""
        self.stop()
        self._progress.begin(agent)
        self._task = asyncio.create_task(self._watch(run_id), name="watch")
        self._task.add_done_callback(self._ended)

    def stop(self) -> None:
        """Watch no more."""
        if self._task is not None:
            self._task.cancel()
            self._put_down()

    async def _watch(self, run_id: str) -> None:
        try:
            async with aclosing(follow(run_id)) as events:
                async for event in events:
                    if not isinstance(event, UsageAdded):  # It is counted where it is paid for.
                        self._progress.take(event)
                    self._show(event)
                    self._changed()
            if self._progress.state is RunState.WORKING:
                self._progress.fail()
                self._show(Notice(CUT_OFF, "warning"))
        except SessionError as error:
            self._show(Notice(str(error), "warning"))

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._report(error)
        if task is self._task:
            self._put_down()

    def _put_down(self) -> None:
        self._task = None
        self._progress.end()
        self._progress.put_down()
        self._changed()
