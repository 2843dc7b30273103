"""How far the local model has read a prompt, which takes up to a minute before the first word.

llama.cpp says so beside the answer, not in it: its list of slots tells how many tokens were read,
and the same request sent to be counted tells of how many.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

LOOK_EVERY_S = 1.5
"""How often is looked; a prompt that is read sooner is never shown. Only after a quiet second does
llama.cpp see that nobody waits any more: looked at more often, it read a stopped run to its end."""


@dataclass(frozen=True, slots=True)
class ReadingProgress:
    """One look at how far a prompt was read."""

    tokens: int
    """Read so far, those that were still known from before included."""
    total: int
    elapsed_s: float
    left_s: float | None
    """How long it still takes at this speed; None when that isn't known yet."""


@runtime_checkable
class TellsReading(Protocol):
    """An engine that can tell how far it has read a prompt."""

    async def follow_reading(
        self, request: Mapping[str, Any], tell: Callable[[ReadingProgress], None]
    ) -> None:
        """Tell how far `request` (the body of a message) was read, until cancelled.

        Never raises for what goes wrong on the way: it is only told, not relied on.
        """
        ...


async def follow(
    client: AsyncAnthropic, request: Mapping[str, Any], tell: Callable[[ReadingProgress], None]
) -> None:
    """Look at llama.cpp's only slot, again and again, until cancelled."""
    import anthropic
    import httpx2

    speed = _Speed()
    with contextlib.suppress(anthropic.AnthropicError, httpx2.HTTPError, LookupError, TypeError):
        counted: Any = await client.post(
            "/v1/messages/count_tokens", cast_to=object, body=dict(request)
        )
        total = int(counted["input_tokens"])
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            slots: Any = await client.get("/slots", cast_to=object)
            slot = slots[0]
            if not slot["is_processing"] or slot["next_token"][0]["n_decoded"]:
                continue  # Not begun, or another answer is being written first.
            known, fresh = slot["n_prompt_tokens_cache"], slot["n_prompt_tokens_processed"]
            tokens = min(known + fresh, total)
            speed.note(fresh)
            tell(ReadingProgress(tokens, total, speed.elapsed_s, speed.left_s(total - tokens)))


class _Speed:
    """How fast a prompt is read, in batches: between two of them nothing seems to move."""

    def __init__(self) -> None:
        self._began = self._moved = time.monotonic()
        self._fresh = 0

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._began

    def note(self, fresh: int) -> None:
        if fresh != self._fresh:
            self._fresh, self._moved = fresh, time.monotonic()

    def left_s(self, rest: int) -> float | None:
        if not self._fresh:
            return None
        needed = (self._moved - self._began) / self._fresh * rest
        return max(0.0, needed - (time.monotonic() - self._moved))
