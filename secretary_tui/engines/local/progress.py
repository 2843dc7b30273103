"""The progress of a download."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

_WINDOW_S = 5.0


class Phase(StrEnum):
    """What a download is doing."""

    CONNECTING = "connecting"
    DOWNLOADING = "downloading"
    VERIFYING = "verifying"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Progress:
    """One look at a download."""

    phase: Phase
    done: int
    """Bytes that are here (or, while verifying, checked)."""
    total: int
    bytes_per_s: float
    """Over the last seconds; 0.0 when not known."""
    source: str
    """Where the bytes come from: a host, or `package index`."""
    note: str = ""
    """One sentence when something changed, such as a switch to the mirror."""

    @property
    def percent(self) -> int:
        """How much is done, 0-100."""
        return int(100 * self.done / self.total) if self.total else 0

    @property
    def eta_s(self) -> float | None:
        """Seconds left at this speed; None when not known."""
        return (self.total - self.done) / self.bytes_per_s if self.bytes_per_s > 0 else None


class Meter:
    """Turns byte counts into `Progress` and hands them on, ten times a second or each percent."""

    def __init__(self, total: int, show: Callable[[Progress], None]) -> None:
        self._total = total
        self._show = show
        self._seen: deque[tuple[float, int]] = deque()
        self._phase = Phase.CONNECTING
        self._source = ""
        self._note = ""

    def enter(self, phase: Phase, done: int, source: str = "", note: str = "") -> None:
        """Begin a phase; shown at once."""
        self._phase, self._note = phase, note
        self._source = source or self._source
        self._seen.clear()
        self._tell(done, time.monotonic())

    def update(self, done: int) -> None:
        """Say how many bytes there are now."""
        now = time.monotonic()
        last, shown = self._seen[-1] if self._seen else (-1.0, 0)
        if now - last >= 0.1 or done - shown >= self._total / 100 or done >= self._total:
            self._tell(done, now)

    def _tell(self, done: int, now: float) -> None:
        self._seen.append((now, done))
        while self._seen[0][0] < now - _WINDOW_S:
            self._seen.popleft()
        start, first = self._seen[0]
        speed = max(0.0, (done - first) / (now - start)) if now > start else 0.0
        self._show(Progress(self._phase, done, self._total, speed, self._source, self._note))
