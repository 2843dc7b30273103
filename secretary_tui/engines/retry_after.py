"""Read how long a server asks to wait, and say it in words."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Mapping


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds from `retry-after-ms` or `retry-after` (seconds or an HTTP date, RFC 9110 §10.2.3).

    None when neither is there or readable; never negative.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    date = email.utils.parsedate_tz(value)
    if date is None:
        return None
    try:
        return max(0.0, email.utils.mktime_tz(date) - time.time())
    except (OverflowError, ValueError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def spoken(seconds: float) -> str:
    """Say a span of time as a person would: `45 seconds`, `2 minutes`, `3 hours`."""
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 1.5 * size or seconds == size:
            number = round(seconds / size)
            return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
    number = max(1, round(seconds))
    return f"{number} second" if number == 1 else f"{number} seconds"
