"""What the statistics say on the screen, as texts: the line of views, the overview, the feet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from textual.content import Content

from secretary_tui.figures import BLOCKS
from secretary_tui.sessions.past import Past
from secretary_tui.sessions.statistics.report import AGENT_LEGEND, headline, sections
from secretary_tui.sessions.statistics.statistics import AgentUse, Statistics
from secretary_tui.widgets.key_bar import key_hints

MOST_ROWS = 1_000
"""Decisions on the list at a time."""
OVERVIEW_KEYS = key_hints(("Tab", "views"), ("↑↓", "scroll"), ("t", "time"), ("p", "projects"))

ORDERS: tuple[tuple[str, Callable[[AgentUse], tuple[float, str]]], ...] = (
    ("taken", lambda use: (-use.chosen, use.agent)),
    ("name", lambda use: (0, use.agent)),
    ("shown", lambda use: (-use.shown, use.agent)),
    ("recommended", lambda use: (-use.recommended, use.agent)),
    ("passed over", lambda use: (-use.passed_over, use.agent)),
    ("runs", lambda use: (-use.runs, use.agent)),
    ("cost", lambda use: (-use.cost.usd, use.agent)),
    ("time", lambda use: (-(use.mean_s or 0), use.agent)),
)
"""The ways to sort the table of agents: the largest first, the same ones by name."""

_PLOT = re.compile(f"[{BLOCKS.full}{BLOCKS.empty}{BLOCKS.rising}{BLOCKS.gap}]{{2,}}")
_DIM = "$foreground 60%"


def views_line(views: Sequence[str], shown: int, scope: Iterable[tuple[str, str]]) -> Content:
    """The names of the views, the shown one in brackets, and the keys that change the scope."""
    parts: list[str | tuple[str, str]] = []
    for number, name in enumerate(views):
        here = number == shown
        parts.append((f"{number + 1} ", "bold $accent"))
        parts.append((f"[{name}]" if here else f" {name} ", "bold" if here else ""))
        parts.append("  ")
    for key, value in scope:
        parts += [(f"{key} ", "bold $accent"), (f"{value}  ", _DIM)]
    return Content.assemble(*parts)


def nothing_counted(past: Past, time: str) -> str:
    """What stands where there is nothing to count in a time such as `90 days`."""
    if past.decisions or past.runs:
        return f"Nothing happened in the last {time}. t changes the time."
    return (
        "Nothing to count yet. From the first request on you see here how often the right "
        "agent was recommended, how the agents fared, and what all of it cost."
    )


def overview_page(found: Statistics, columns: int, nothing: str) -> Content:
    """The figures and plots, laid out for that many columns; `nothing` where there are none."""
    if not found.requests and not found.runs:
        return Content(nothing)
    parts: list[str | tuple[str, str]] = [headline(found), "\n"]
    for section in sections(found, columns):
        parts.append((f"\n{section.title}\n", "bold $primary"))
        parts.extend(f"{line}\n" for line in section.lines)
    return Content.assemble(*parts).rstrip().highlight_regex(_PLOT, style="$primary")


def agents_foot(shown: int, all_of: int, order: str, nothing: str) -> Content:
    """What stands below the table of agents."""
    return Content.assemble(
        (f"{AGENT_LEGEND if all_of else nothing}\n", _DIM),
        key_hints(("Enter", "its decisions"), ("s", f"sorted by {order}"), ("/", "filter")),
        (f"   {shown} of {all_of}", _DIM),
    )


def decisions_foot(shown: int, all_of: int, nothing: str, *, can_take_back: bool) -> Content:
    """What stands below the decisions."""
    hint = "" if all_of else f"{nothing}\n"
    if shown > MOST_ROWS:
        hint = f"The newest {MOST_ROWS:,} are listed; the filter finds the others.\n"
    undo = (("u", "take back"),) if can_take_back else ()
    return Content.assemble(
        (hint, _DIM),
        key_hints(("Enter", "read"), ("d", "forget"), *undo, ("/", "filter")),
        (f"   {shown:,} of {all_of:,}", _DIM),
    )
