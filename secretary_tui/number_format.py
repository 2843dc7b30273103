"""Figures as people read them: a bar, a line of bars, a share, a time, a sum of money.

Plain characters, so that a pipe, a screen and a terminal without colours show the same. A library
for plots would bring 3 MB and 0.1 s at the start for these few lines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What plots are drawn with."""

    full: str
    empty: str
    rising: str
    """From the lowest value to the highest."""
    gap: str
    """Where there is no value."""


BLOCKS = Glyphs("▆", "▁", "▁▂▃▄▅▆▇", "·")
"""None reaches the top of its line: bars below each other stay apart."""
ASCII = Glyphs("#", ".", "_,-=+*#", " ")
"""For terminals and pipes that can't show blocks."""


def glyphs_for(encoding: str | None) -> Glyphs:
    """The glyphs that an encoding can write."""
    try:
        "".join((BLOCKS.full, BLOCKS.empty, BLOCKS.rising, BLOCKS.gap)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def bar(share: float | None, width: int, glyphs: Glyphs = BLOCKS) -> str:
    """Draw a share from 0 to 1 as a bar; only nothing is empty, only all is full."""
    if share is None:
        return glyphs.empty * width
    filled = round(min(1.0, max(0.0, share)) * width)
    if 0 < share < 1:
        filled = min(max(filled, 1), width - 1)
    return glyphs.full * filled + glyphs.empty * (width - filled)


def sparkline(
    values: Sequence[float | None], top: float | None = None, glyphs: Glyphs = BLOCKS
) -> str:
    """Draw values as one character each, from 0 to `top` (their maximum); None leaves a gap."""
    known = [value for value in values if value is not None]
    highest = top if top is not None else max(known, default=0.0)
    steps = len(glyphs.rising) - 1

    def glyph(value: float | None) -> str:
        if value is None:
            return glyphs.gap
        part = value / highest if highest > 0 else 0.0
        return glyphs.rising[math.ceil(min(1.0, max(0.0, part)) * steps)]

    return "".join(map(glyph, values))


def percent(share: float | None) -> str:
    """Say a share, `72 %`; a dash when nothing was counted."""
    return "–" if share is None else f"{round(share * 100)} %"


def duration(milliseconds: float | None) -> str:
    """Say a time, `12 ms`, `1.4 s`, `2 min 05 s`; a dash when there is none."""
    if milliseconds is None:
        return "–"
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


def cents(usd: float | None) -> str:
    """Say a cost where there is little room, `$4.56`; `$?` when a price is unknown."""
    return "$?" if usd is None else f"${usd:.2f}"


def dollars(usd: float) -> str:
    """Say a cost, `$0`, `$0.0123`, `$4.56`."""
    if usd == 0:
        return "$0"
    return f"${usd:.4f}" if usd < 0.1 else f"${usd:,.2f}"
