"""What the statistics say on the screen, as texts: views, overview, decisions, the feet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from textual.content import Content

from secretary_tui.number_format import BLOCKS, dollars, duration
from secretary_tui.people import RouteAction
from secretary_tui.sessions.decisions import Decision
from secretary_tui.sessions.past import Past, became
from secretary_tui.sessions.statistics.report import AGENT_LEGEND, headline, moment, sections
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
_GLYPHS: dict[str, tuple[str, str]] = {
    RouteAction.ACCEPT: ("✓", "$text-success"),
    RouteAction.ALTERNATIVE: ("→", "$text-warning"),
    RouteAction.OTHER: ("→", "$text-warning"),
    RouteAction.WORKFLOW: ("→", "$text-success"),
    RouteAction.CONTINUE: ("→", "$text-success"),
    RouteAction.CANCEL: ("✗", "$text-error"),
}


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
        return f"No data for the last {time}. t changes the time range."
    return (
        "No data yet. From your first request on, this shows how often the right agent was "
        "recommended, how the agents' runs ended, and what they cost."
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
    undo = (("u", "undo"),) if can_take_back else ()
    return Content.assemble(
        (hint, _DIM),
        key_hints(("Enter", "read"), ("d", "forget"), *undo, ("/", "filter")),
        (f"   {shown:,} of {all_of:,}", _DIM),
    )


def describe_decision(decision: Decision) -> Content:
    """Two lines: when, what became of it, what it took; and what was asked."""
    glyph, style = _GLYPHS.get(decision.action or "", ("·", _DIM))
    facts = [duration(decision.latency_ms)]
    if decision.cost_usd:
        facts.append(dollars(decision.cost_usd))
    facts.append(decision.engine)
    return Content.assemble(
        (f"{glyph} ", style),
        (f"{moment(decision.at)}  ", _DIM),
        (became(decision), "bold"),
        (f"  {' · '.join(facts)}\n", _DIM),
        f"  {' '.join(decision.request.split())[:200]}",
    )


def decision_page(decision: Decision) -> Content:
    """All that is known of a decision."""
    cost = "unknown" if decision.cost_usd is None else dollars(decision.cost_usd)
    shown = "\n".join(f"{s.confidence:>3}  {s.agent}  {s.path}" for s in decision.shown)
    rows = (
        ("Request", decision.request),
        ("When", moment(decision.at)),
        ("Intent", f"{decision.intent}, {decision.intent_confidence:.2f}"),
        ("Why", decision.reasoning or "–"),
        ("Shown", shown or "none"),
        ("Recommended", decision.recommended or "none"),
        ("Then", became(decision)),
        ("Run", decision.run_id or "–"),
        ("Ranked by", decision.engine),
        ("Took", f"{duration(decision.latency_ms)}, {decision.tokens:,} tokens, {cost}"),
        ("Conversation", decision.conversation),
        ("Id", decision.id),
    )
    parts: list[str | tuple[str, str]] = []
    for label, text in rows:
        parts += [(f"{label}\n", "bold $primary"), f"{text}\n\n"]
    return Content.assemble(*parts).rstrip()


def fits(decision: Decision, words: Sequence[str]) -> bool:
    """Whether a decision holds all words of a filter, in lower case."""
    shown = " ".join(s.agent for s in decision.shown)
    facts = (decision.request, became(decision), shown, decision.intent, decision.engine)
    text = " ".join((*facts, decision.conversation, decision.id)).lower()
    return all(word in text for word in words)
