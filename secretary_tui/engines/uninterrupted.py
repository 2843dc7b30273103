"""Let a step end even when the task is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def uninterrupted(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `step` in a thread. A cancellation is obeyed once it has ended, so that nobody closes or
    removes what it still works on.
    """
    return await to_its_end(asyncio.to_thread(step, *args, **kwargs))


async def to_its_end(step: Awaitable[T]) -> T:
    """Wait for a step such as a clean-up; a cancellation is obeyed once it has ended."""
    task = asyncio.ensure_future(step)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
