"""What decisions and runs add up to: was the right agent recommended, and what did it cost.

Pure: values in, values out. *Judged* are the requests for which the user chose an agent; one who
cancels, or whose run never began, answers nothing and says nothing about which agent is right, and
one who wrote `@agent` left nothing to guess.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo

from secretary_tui.people import RouteAction
from secretary_tui.sessions.decisions import Decision
from secretary_tui.sessions.statistics.spend_sums import (
    ConversationUse,
    ModelUse,
    RoutingUse,
    by_conversation,
    by_model,
    by_routing,
    costs,
    percentile,
    run_costs,
)
from secretary_tui.sessions.store import RunOutcome, RunSummary
from secretary_tui.spend import Spend

BANDS = ((0, 49), (50, 59), (60, 69), (70, 79), (80, 89), (90, 100))
"""Ranges of confidence, both ends included."""
FIRST = 3
_DAYS_BY_DAY = 31
"""A longer time is shown by weeks."""
_MOST_WEEKS = 104


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int = 0
    of: int = 0

    @property
    def value(self) -> float | None:
        """0–1; None when nothing was counted."""
        return self.hits / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Band:
    """The best matches of one range of confidence: what was said, and what came true."""

    low: int
    high: int
    says: float | None
    """The mean confidence, 0–1."""
    chosen: Share


@dataclass(frozen=True, slots=True)
class Period:
    """A day, or a week from its Monday on."""

    start: date
    requests: int
    accepted: Share
    runs: int
    cost: Spend
    """Of routing and runs."""


@dataclass(frozen=True, slots=True)
class AgentUse:
    """How one agent fared."""

    agent: str
    shown: int
    recommended: int
    """Of the requests that were answered."""
    accepted: int
    """Taken as recommended."""
    chosen: int
    """Taken in any way."""
    passed_over: int
    """Recommended, and another one taken."""
    runs: int
    outcomes: tuple[tuple[str, int], ...]
    """How the runs ended, most frequent first."""
    done: int
    cost: Spend
    mean_s: float | None
    """Of a run, in seconds."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Everything that is counted over some time."""

    requests: int = 0
    answered: int = 0
    """An agent or a command was chosen and begun."""
    cancelled: int = 0
    by_name: int = 0
    """The user named the agent, so that it is not judged."""
    accepted: Share = Share()
    """Of the answered requests with a recommendation."""
    right: Share = Share()
    """Recommended = chosen, of the judged requests with a recommendation."""
    among_first: Share = Share()
    """Chosen among the first three shown, of all judged requests."""
    kinds: tuple[tuple[str, int], ...] = ()
    """What the messages were taken for, most frequent first."""
    bands: tuple[Band, ...] = ()
    p50_ms: float | None = None
    """Of routing."""
    p95_ms: float | None = None
    agents: tuple[AgentUse, ...] = ()
    """Most used first."""
    by_weeks: bool = False
    periods: tuple[Period, ...] = ()
    """Without a gap, oldest first."""
    routing: tuple[RoutingUse, ...] = ()
    models: tuple[ModelUse, ...] = ()
    conversations: tuple[ConversationUse, ...] = ()
    """Newest first."""
    runs: int = 0
    cost: Spend = field(default_factory=Spend)
    """Of routing and runs."""


def summarize(
    decisions: Iterable[Decision],
    runs: Iterable[RunSummary],
    *,
    agent: str | None = None,
    since: date | None = None,
    today: date | None = None,
    zone: tzinfo | None = None,
) -> Statistics:
    """Count decisions and runs, all or those of one agent, from a day on.

    `since` and `today`, up to which periods go on even when nothing happened, are days in `zone`
    (the machine's when None). What bears no possible date is left out when `since` is given.
    """
    asked = [d for d in decisions if _is_from(day_of(d.at, zone), since) and _is_about(d, agent)]
    ran = [r for r in runs if _is_from(_run_day(r, zone), since) and agent in (None, r.agent)]
    answered = [d for d in asked if is_answered(d)]
    open_ones = [d for d in answered if not is_by_name(d)]
    judged = [d for d in open_ones if has_choice(d)]
    by_weeks, periods = _periods(asked, ran, since, today, zone)
    latencies = [d.latency_ms for d in asked]
    return Statistics(
        requests=len(asked),
        answered=len(answered),
        cancelled=sum(d.action == RouteAction.CANCEL for d in asked),
        by_name=len(answered) - len(open_ones),
        accepted=_accepted(open_ones),
        right=_share(d.agent == d.recommended for d in judged if d.recommended),
        among_first=_share(d.agent in [s.agent for s in d.shown[:FIRST]] for d in judged),
        kinds=tuple(Counter(d.intent for d in asked).most_common()),
        bands=tuple(_band(low, high, judged) for low, high in BANDS),
        p50_ms=percentile(latencies, 0.5),
        p95_ms=percentile(latencies, 0.95),
        agents=_agents(asked, ran, agent),
        by_weeks=by_weeks,
        periods=periods,
        routing=by_routing(asked),
        models=by_model(ran),
        conversations=by_conversation(asked, ran),
        runs=len(ran),
        cost=costs(d.cost_usd for d in asked) + run_costs(ran),
    )


def is_answered(decision: Decision) -> bool:
    """Whether the user chose an agent or ran a command; who cancelled did neither.

    A message that went on with a run says nothing of how well agents are found.
    """
    return decision.action == RouteAction.WORKFLOW or has_choice(decision)


def has_choice(decision: Decision) -> bool:
    """Whether the user chose an agent."""
    ways = (RouteAction.ACCEPT, RouteAction.ALTERNATIVE, RouteAction.OTHER)
    return decision.action in ways and bool(decision.agent)


def is_by_name(decision: Decision) -> bool:
    """Whether the request names the agent that was recommended or chosen, as `@agent`."""
    names = {name for name in (decision.recommended, decision.agent) if name}
    return any(f"@{n}" in decision.request.split() or f'@"{n}"' in decision.request for n in names)


def day_of(at: float, zone: tzinfo | None = None) -> date | None:
    """The day of a moment where the user is; None for a moment that no calendar has."""
    try:
        return datetime.fromtimestamp(at, zone).date()
    except (ValueError, OverflowError, OSError):
        return None


def _is_from(day: date | None, since: date | None) -> bool:
    return since is None or (day is not None and day >= since)


def _is_about(decision: Decision, agent: str | None) -> bool:
    names = (decision.agent, decision.recommended, *(shown.agent for shown in decision.shown))
    return agent is None or agent in names


def _run_day(run: RunSummary, zone: tzinfo | None) -> date | None:
    try:
        return datetime.fromisoformat(run.started_at).astimezone(zone).date()
    except (ValueError, OverflowError, OSError):
        return None


def _share(hits: Iterable[bool]) -> Share:
    found = list(hits)
    return Share(sum(found), len(found))


def _accepted(answered: Iterable[Decision]) -> Share:
    return _share(d.action == RouteAction.ACCEPT for d in answered if d.recommended)


def _band(low: int, high: int, judged: Iterable[Decision]) -> Band:
    """Counts the best match only, since the user takes one of several that fit."""
    inside = [d for d in judged if d.shown and low <= d.shown[0].confidence <= high]
    said = sum(d.shown[0].confidence for d in inside)
    return Band(
        low,
        high,
        said / len(inside) / 100 if inside else None,
        _share(d.agent == d.shown[0].agent for d in inside),
    )


def _agents(
    decisions: Sequence[Decision], runs: Sequence[RunSummary], only: str | None
) -> tuple[AgentUse, ...]:
    taken = [d for d in decisions if has_choice(d)]
    shown = Counter(name for d in decisions for name in {s.agent for s in d.shown})
    recommended = Counter(d.recommended for d in decisions if is_answered(d) and d.recommended)
    accepted = Counter(d.agent for d in taken if d.action == RouteAction.ACCEPT)
    chosen = Counter(d.agent for d in taken)
    passed_over = Counter(d.recommended for d in taken if d.agent != d.recommended)
    ran: dict[str, list[RunSummary]] = {}
    for run in runs:
        ran.setdefault(run.agent, []).append(run)
    uses = []
    for agent in {*shown, *recommended, *chosen, *ran}:
        if not agent or only not in (None, agent):
            continue
        mine = ran.get(agent, [])
        times = [run.elapsed_s for run in mine if run.elapsed_s is not None]
        outcomes = Counter(str(run.outcome) for run in mine)
        uses.append(
            AgentUse(
                agent=agent,
                shown=shown[agent],
                recommended=recommended[agent],
                accepted=accepted[agent],
                chosen=chosen[agent],
                passed_over=passed_over[agent],
                runs=len(mine),
                outcomes=tuple(outcomes.most_common()),
                done=outcomes[RunOutcome.DONE],
                cost=run_costs(mine),
                mean_s=math.fsum(times) / len(times) if times else None,
            )
        )
    return tuple(sorted(uses, key=lambda u: (-u.chosen, -u.runs, -u.recommended, u.agent)))


def _periods(
    decisions: Sequence[Decision],
    runs: Sequence[RunSummary],
    since: date | None,
    today: date | None,
    zone: tzinfo | None,
) -> tuple[bool, tuple[Period, ...]]:
    asked = [(day, d) for d in decisions if (day := day_of(d.at, zone)) is not None]
    ran = [(day, r) for r in runs if (day := _run_day(r, zone)) is not None]
    days = [day for day, _ in (*asked, *ran)]
    if not days:
        return False, ()
    first = since or min(days)
    last = max(*days, today or max(days))
    by_weeks = (last - first).days >= _DAYS_BY_DAY

    def start(day: date) -> date:
        return day - timedelta(days=day.weekday()) if by_weeks else day

    step = 7 if by_weeks else 1
    count = min((start(last) - start(first)).days // step + 1, _MOST_WEEKS)
    starts = [start(last) - timedelta(days=step * back) for back in reversed(range(count))]
    asked_in: dict[date, list[Decision]] = {day: [] for day in starts}
    ran_in: dict[date, list[RunSummary]] = {day: [] for day in starts}
    for day, decision in asked:
        asked_in.get(start(day), []).append(decision)
    for day, run in ran:
        ran_in.get(start(day), []).append(run)
    return by_weeks, tuple(
        Period(
            day,
            len(asked_in[day]),
            _accepted(d for d in asked_in[day] if is_answered(d) and not is_by_name(d)),
            len(ran_in[day]),
            costs(d.cost_usd for d in asked_in[day]) + run_costs(ran_in[day]),
        )
        for day in starts
    )
