"""Run a blocking step in a thread and let it end even when the task is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def uninterrupted(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `step` in a thread. A cancellation is obeyed once it has ended, so that nobody closes or
    removes what it still works on.
    """
    task = asyncio.ensure_future(asyncio.to_thread(step, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
