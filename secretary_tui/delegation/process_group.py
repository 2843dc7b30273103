"""Everything that a program started, as long as it stayed in its group: told to end as one."""

from __future__ import annotations

import contextlib
import os
import signal


def signal_group(leader: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to the group of a process that leads one; nothing where it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)
