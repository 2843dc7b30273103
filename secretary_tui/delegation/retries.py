"""When to try again: which wait, how often, and when to stop instead.

The SDK's own retries are switched off: it sleeps silently for as long as a server asks, and never
repeats a stream that broke.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from secretary_tui.engines.faults import MAX_RETRY_AFTER_S, Fault

MAX_ATTEMPTS = 5
"""Attempts for one model answer, the first included."""
BASE_DELAY_S = 1.0
MAX_DELAY_S = 20.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently one model answer is asked for."""

    max_attempts: int = MAX_ATTEMPTS
    base_delay_s: float = BASE_DELAY_S
    max_delay_s: float = MAX_DELAY_S

    def delay(self, fault: Fault, attempt: int) -> float | None:
        """Give the seconds to wait after the failed `attempt` (from 1); None to stop.

        What the server asks for is obeyed up to `MAX_RETRY_AFTER_S`. Otherwise full jitter:
        anything from nothing to a bound that doubles, so that many clients don't return at once.
        """
        if not fault.retryable or attempt >= self.max_attempts:
            return None
        if fault.retry_after_s is not None:
            return fault.retry_after_s if fault.retry_after_s <= MAX_RETRY_AFTER_S else None
        bound = min(self.max_delay_s, self.base_delay_s * 2 ** (attempt - 1))
        return secrets.SystemRandom().uniform(0.0, bound)
