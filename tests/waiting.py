"""Wait for something that is about to be true, and look at processes meanwhile."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

LOOK_EVERY_S = 0.01


def until(condition: Callable[[], object], timeout: float = 60.0) -> None:
    """Wait until it holds; blocking."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"waited {timeout:g} s in vain"
        time.sleep(LOOK_EVERY_S)


async def until_it_holds(condition: Callable[[], object]) -> None:
    """Wait until it holds, while the event loop goes on; it is looked at in a thread."""
    await asyncio.to_thread(until, condition)


def is_alive(pid: int) -> bool:
    """Whether a process goes on; one that ended and was not reaped yet does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:  # No such file system, or it has just gone.
        return not Path("/proc/self").exists()
