"""How far a run is, as its tab shows it."""

from __future__ import annotations

from enum import StrEnum


class RunState(StrEnum):
    """The state of a tab's last run."""

    NEW = "new"
    """Nothing was run yet."""
    WORKING = "working"
    ASKING = "asking"
    """It waits for the user."""
    DONE = "done"
    PARTIAL = "ended early"
    STOPPED = "stopped"
    FAILED = "failed"
