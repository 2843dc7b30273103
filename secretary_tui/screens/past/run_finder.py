"""The runs of the history as they are found: read once, searched in slices, in a thread.

The newest come first, and what is found so far can be shown while the rest is read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from threading import Lock

from secretary_tui.sessions.query import RunQuery
from secretary_tui.sessions.run_search import RunHit, search
from secretary_tui.sessions.statistics.spend_file import whole_costs, with_whole_cost
from secretary_tui.sessions.store import RunSummary, iter_runs

SLICE_S = 0.03
"""Seconds of looking before what was found is handed over; the first slice is shorter."""
FIRST_SLICE_S = 0.01


class RunFinder:
    """Finds the runs of one project, or of all when None. Its slices may overlap: a lock."""

    def __init__(self, project: Path | None) -> None:
        self._source = iter_runs(project)
        self._runs: list[RunSummary] = []
        self._complete = False
        self._costs: Mapping[str, float] | None = None
        self._lock = Lock()

    @property
    def total(self) -> int:
        """How many runs are known so far."""
        return len(self._runs)

    @property
    def complete(self) -> bool:
        """Whether all runs are known."""
        return self._complete

    async def find(self, query: RunQuery) -> AsyncIterator[list[RunHit]]:
        """Give what fits in the order of the list, some at a time."""
        if query.costs and self._costs is None:
            self._costs = await asyncio.to_thread(whole_costs)
        looking = search(self._all(), query)
        slice_s = FIRST_SLICE_S
        more = True
        while more:
            hits, more = await asyncio.to_thread(self._slice, looking, slice_s)
            slice_s = SLICE_S
            yield hits
        if self._costs is None:
            self._costs = await asyncio.to_thread(whole_costs)

    def priced(self, run: RunSummary) -> RunSummary:
        """The run with what all its continuations cost, once that is known."""
        return with_whole_cost(run, self._costs or {})

    def forget(self, run_id: str) -> None:
        """Leave a run out that was deleted."""
        with self._lock:
            self._runs = [run for run in self._runs if run.id != run_id]

    def _slice(self, looking: Iterator[RunHit | None], slice_s: float) -> tuple[list[RunHit], bool]:
        hits = []
        with self._lock:
            until = time.monotonic() + slice_s
            for hit in looking:
                if hit is not None:
                    hits.append(hit)
                if time.monotonic() > until:
                    return hits, True
        return hits, False

    def _all(self) -> Iterator[RunSummary]:
        """Those that are known, then those that are still to be read."""
        at = 0
        while True:
            while at < len(self._runs):
                yield self.priced(self._runs[at])
                at += 1
            run = next(self._source, None)
            if run is None:
                self._complete = True
                return
            self._runs.append(run)
