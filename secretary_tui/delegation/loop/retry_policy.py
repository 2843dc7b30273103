"""When to try again: which wait, how often, and when to stop instead.

The SDK's own retries are switched off: it sleeps silently for as long as a server asks, and never
repeats a stream that broke.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from secretary_tui.engines.faults import MAX_RETRY_AFTER_S, Fault, FaultKind

MAX_ATTEMPTS = 5
"""Attempts for one model answer, the first included."""
MAX_NETWORK_ATTEMPTS = 40
"""Where the server answered before in this run and can't be reached now: some five minutes."""
MAX_NETWORK_DELAY_S = 10.0
BASE_DELAY_S = 1.0
MAX_DELAY_S = 20.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently one model answer is asked for."""

    max_attempts: int = MAX_ATTEMPTS
    base_delay_s: float = BASE_DELAY_S
    max_delay_s: float = MAX_DELAY_S
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    """Waits the seconds between two attempts."""

    def attempts(self, fault: Fault, *, reached: bool) -> int:
        """Give how often to try; `reached` says whether the server answered in this run before.

        A network that was there comes back; one that never was is a wrong address.
        """
        gone = fault.kind is FaultKind.NETWORK and reached
        return max(self.max_attempts, MAX_NETWORK_ATTEMPTS) if gone else self.max_attempts

    def delay(self, fault: Fault, attempt: int, *, reached: bool = False) -> float | None:
        """Give the seconds to wait after the failed `attempt` (from 1); None to stop.

        What the server asks for is obeyed up to `MAX_RETRY_AFTER_S`. Otherwise full jitter:
        anything from nothing to a bound that doubles, so that many clients don't return at once.
        """
        most = self.attempts(fault, reached=reached)
        if not fault.retryable or attempt >= most:
            return None
        if most > self.max_attempts and fault.retry_after_s is None:
            # At least half of the bound, or all attempts could be over in a moment.
            bound = min(MAX_NETWORK_DELAY_S, self.base_delay_s * 2 ** min(attempt - 1, 10))
            return secrets.SystemRandom().uniform(bound / 2, bound)
        if fault.retry_after_s is not None:
            return fault.retry_after_s if fault.retry_after_s <= MAX_RETRY_AFTER_S else None
        bound = min(self.max_delay_s, self.base_delay_s * 2 ** (attempt - 1))
        return secrets.SystemRandom().uniform(0.0, bound)
