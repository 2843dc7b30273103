"""Statistics as lines of text: what `stats` prints and the screen shows.

Each figure stands beside its bar, so nothing is said by a bar or a colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import pairwise

from secretary_tui.number_format import (
    BLOCKS,
    Glyphs,
    bar,
    dollars,
    duration,
    percent,
    sparkline,
)
from secretary_tui.sessions.statistics.statistics import AgentUse, Band, Period, Share, Statistics
from secretary_tui.spend import Spend, said_cost

_LABEL = 26
_MOST_ROWS = 8
"""Rows of a table in the overview; what is more is counted."""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A heading and the lines below it."""

    title: str
    lines: tuple[str, ...]


def headline(statistics: Statistics) -> str:
    """Say in one line how much there is: requests, answers, runs, cost."""
    parts = [_count(statistics.requests, "request"), f"{statistics.answered:,} answered"]
    if statistics.cancelled:
        parts.append(f"{statistics.cancelled:,} cancelled")
    parts += [_count(statistics.runs, "run"), said_cost(statistics.cost)]
    return " · ".join(parts)


def sections(
    statistics: Statistics,
    width: int,
    *,
    glyphs: Glyphs = BLOCKS,
    zone: tzinfo | None = None,
) -> tuple[ReportSection, ...]:
    """Lay the overview out for a width in columns; a part without data is left out."""
    found = (
        ("How good the recommendations were", _quality(statistics, width, glyphs)),
        (
            "What the confidence said, and how often it was chosen",
            _bands(statistics, width, glyphs),
        ),
        (_periods_title(statistics), _periods(statistics, width, glyphs)),
        ("Routing", _routing(statistics, width)),
        ("Runs by model", _models(statistics, width)),
        ("Conversations", _conversations(statistics, width, zone)),
    )
    return tuple(
        ReportSection(title, tuple(_cut(line, width) for line in lines))
        for title, lines in found
        if lines
    )


def moment(at: float, zone: tzinfo | None = None) -> str:
    """Say when, `2026-11-20 09:31`, where the user is; a question mark for what no calendar has."""
    try:
        return datetime.fromtimestamp(at, zone).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return "?"


AGENT_COLUMNS = ("shown", "rec.", "acc.", "taken", "passed", "runs", "done", "cost", "time")
"""The columns after the agent's name: shown, recommended, accepted, taken in any way, passed over
(another one was taken), runs, of which done, what they cost, how long one takes."""
AGENT_LEGEND = "rec. recommended, acc. accepted, passed: recommended but another one taken"
_AGENT_WIDTHS = (6, 5, 5, 6, 7, 5, 5, 9, 11)
_LONG_S = 600


def agent_header(width: int) -> str:
    """The heading of the table of agents."""
    return _agent_line("agent", AGENT_COLUMNS, width)


def agent_line(use: AgentUse, width: int) -> str:
    """One agent of the table."""
    figures = (
        *(use.shown, use.recommended, use.accepted, use.chosen, use.passed_over),
        *(use.runs, use.done),
    )
    cells = (*map(str, figures), said_cost(use.cost), _mean_time(use.mean_s))
    return _agent_line(use.agent, cells, width)


def _mean_time(seconds: float | None) -> str:
    """Say how long a run takes; no seconds from ten minutes on, for which there is no room."""
    if seconds is not None and seconds >= _LONG_S:
        return f"{seconds / 60:.0f} min"
    return duration(None if seconds is None else seconds * 1000)


def _agent_line(name: str, cells: Iterable[str], width: int) -> str:
    room = max(10, width - sum(_AGENT_WIDTHS))
    # A blank before each, also where a figure is wider than was thought of.
    columns = (f" {cell:>{wide - 1}}" for cell, wide in zip(cells, _AGENT_WIDTHS, strict=True))
    return f"{_cut(name, room):<{room}}{''.join(columns)}"


def _quality(statistics: Statistics, width: int, glyphs: Glyphs) -> list[str]:
    rows = (
        ("recommendation accepted", statistics.accepted),
        ("recommended was chosen", statistics.right),
        ("chosen among first three", statistics.among_first),
    )
    lines = [_share_line(label, share, width, glyphs) for label, share in rows if share.of]
    if lines and statistics.by_name:
        lines.append(f"Not counted: {_count(statistics.by_name, 'request')} that named the agent.")
    return lines


def _share_line(label: str, share: Share, width: int, glyphs: Glyphs) -> str:
    room = _bar_room(width)
    return f"{label:<{_LABEL}}{bar(share.value, room, glyphs)} {_of(share)}"


def _bands(statistics: Statistics, width: int, glyphs: Glyphs) -> list[str]:
    return [_band_line(band, width, glyphs) for band in statistics.bands if band.chosen.of]


def _band_line(band: Band, width: int, glyphs: Glyphs) -> str:
    label = f"{band.low}–{band.high}, {percent(band.says)} on average"
    return f"{label:<{_LABEL}}{bar(band.chosen.value, _bar_room(width), glyphs)} {_of(band.chosen)}"


def _of(share: Share) -> str:
    return f"{percent(share.value):>5} of {share.of:,}"


def _bar_room(width: int) -> int:
    return min(50, max(8, width - _LABEL - 16))


def _periods_title(statistics: Statistics) -> str:
    return "Week by week" if statistics.by_weeks else "Day by day"


def _periods(statistics: Statistics, width: int, glyphs: Glyphs) -> list[str]:
    room = max(8, width - _LABEL - 22)
    together = -(-len(statistics.periods) // room)
    shown = _merged(statistics.periods, together)
    if len(shown) < 2:
        return []
    each = _count(together, "week" if statistics.by_weeks else "day")
    requests = [period.requests for period in shown]
    shares = [period.accepted.value for period in shown]
    runs = [period.runs for period in shown]
    usd = [period.cost.usd for period in shown]
    newest = next((share for share in reversed(shares) if share is not None), None)
    lines = [f"{'requests':<{_LABEL}}{sparkline(requests, glyphs=glyphs)} at most {max(requests)}"]
    if newest is not None:
        lines.append(
            f"{'accepted':<{_LABEL}}{sparkline(shares, 1.0, glyphs)} {percent(newest)} at last"
        )
    if any(runs):
        lines.append(f"{'runs':<{_LABEL}}{sparkline(runs, glyphs=glyphs)} at most {max(runs)}")
    if any(usd):
        lines.append(
            f"{'cost':<{_LABEL}}{sparkline(usd, glyphs=glyphs)} at most {dollars(max(usd))}"
        )
    caption = f"{each} a character, {shown[0].start} to {shown[-1].start}"
    lines.append(" " * min(_LABEL, max(0, width - len(caption))) + caption)
    return lines


def _merged(periods: Sequence[Period], together: int) -> list[Period]:
    """Put so many neighbours together, the newest with whole company."""
    if together <= 1:
        return list(periods)
    first = len(periods) % together
    starts = (
        [0, *range(first, len(periods), together)] if first else range(0, len(periods), together)
    )
    chunks = [periods[a:b] for a, b in pairwise((*starts, len(periods)))]
    return [
        Period(
            chunk[0].start,
            sum(p.requests for p in chunk),
            Share(sum(p.accepted.hits for p in chunk), sum(p.accepted.of for p in chunk)),
            sum(p.runs for p in chunk),
            sum((p.cost for p in chunk), Spend()),
        )
        for chunk in chunks
    ]


def _routing(statistics: Statistics, width: int) -> list[str]:
    if not statistics.routing:
        return []
    rows = [
        (
            use.engine or "?",
            f"{use.requests:,}",
            duration(use.p50_ms),
            duration(use.p95_ms),
            f"{use.tokens:,}",
            said_cost(use.cost),
        )
        for use in statistics.routing
    ]
    lines = _table(("ranked by", "requests", "p50", "p95", "tokens", "cost"), rows, width)
    if len(rows) > 1:
        lines.append(
            f"All together: half within {duration(statistics.p50_ms)}, "
            f"95 % within {duration(statistics.p95_ms)}."
        )
    if len(statistics.kinds) > 1:
        kinds = ", ".join(f"{kind or '?'} {count}" for kind, count in statistics.kinds)
        lines.append(_cut(f"Taken for: {kinds}", width))
    return lines


def _models(statistics: Statistics, width: int) -> list[str]:
    if not statistics.models:
        return []
    rows = [
        (
            " ".join(filter(None, (use.engine, use.model))) or "?",
            f"{use.runs:,}",
            f"{use.tokens:,}",
            said_cost(use.cost),
        )
        for use in statistics.models
    ]
    return _table(("engine and model", "runs", "tokens", "cost"), rows, width)


def _conversations(statistics: Statistics, width: int, zone: tzinfo | None) -> list[str]:
    if not statistics.conversations:
        return []
    rows = [
        (
            use.id or "?",
            moment(use.last_at, zone),
            f"{use.requests:,}",
            said_cost(use.routing),
            said_cost(use.runs),
            said_cost(use.cost),
        )
        for use in statistics.conversations
    ]
    return _table(("conversation", "last", "requests", "routing", "runs", "together"), rows, width)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Align: the first column to the left and cut to what the others leave."""
    shown = [header, *rows[:_MOST_ROWS]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    room = min(widths[0], max(12, width - sum(widths[1:]) - 2 * (len(widths) - 1)))
    lines = [
        "  ".join(
            (
                f"{_cut(first, room):<{room}}",
                *(cell.rjust(wide) for cell, wide in zip(rest, widths[1:], strict=True)),
            )
        )
        for first, *rest in shown
    ]
    if len(rows) > _MOST_ROWS:
        lines.append(f"and {len(rows) - _MOST_ROWS:,} more")
    return lines


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
