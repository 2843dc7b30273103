"""Blocking work in a thread that no one waits for when it is given up."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def in_daemon_thread(work: Callable[[], Result], timeout_s: float) -> Result:
    """Run `work` off the event loop.

    A daemon thread, because the pool's threads hold up the end of the program. Cancelling, or the
    end of the time, leaves it to itself.

    Raises:
        TimeoutError: it took longer than `timeout_s`.
        Exception: whatever `work` raises.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Result] = loop.create_future()

    def succeed(result: Result) -> None:
        if not answer.done():
            answer.set_result(result)

    def fail(error: Exception) -> None:
        if not answer.done():
            answer.set_exception(error)

    def run() -> None:
        # The loop may have ended meanwhile: then there is nobody to tell.
        with contextlib.suppress(RuntimeError):
            try:
                result = work()
            except Exception as error:  # Carried to the task that waits, not swallowed.
                loop.call_soon_threadsafe(fail, error)
            else:
                loop.call_soon_threadsafe(succeed, result)

    threading.Thread(target=run, name="file-tool", daemon=True).start()
    async with asyncio.timeout(timeout_s):
        return await answer
