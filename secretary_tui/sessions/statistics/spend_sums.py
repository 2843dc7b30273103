"""What routing and runs took: tokens, time and money, by engine, model and conversation. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from secretary_tui.sessions.decisions import Decision
from secretary_tui.sessions.store import RunOutcome, RunSummary
from secretary_tui.spend import Spend


@dataclass(frozen=True, slots=True)
class RoutingUse:
    """What one way of routing took: `local`, or an engine and its model."""

    engine: str
    requests: int
    p50_ms: float | None
    p95_ms: float | None
    tokens: int
    cost: Spend


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What the runs of one engine and model took."""

    engine: str
    model: str
    runs: int
    tokens: int
    cost: Spend


@dataclass(frozen=True, slots=True)
class ConversationUse:
    """What one sitting took."""

    id: str
    first_at: float
    last_at: float
    requests: int
    tokens: int
    """Of routing."""
    routing: Spend
    runs: Spend

    @property
    def cost(self) -> Spend:
        """All of it."""
        return self.routing + self.runs


def percentile(values: Sequence[float], part: float) -> float | None:
    """The value that `part` of all values do not exceed (nearest rank); None without values."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]


def costs(amounts: Iterable[float | None]) -> Spend:
    """Add up amounts in US dollars; None is an unknown price."""
    found = list(amounts)
    return Spend(math.fsum(c for c in found if c is not None), found.count(None))


def run_costs(runs: Iterable[RunSummary]) -> Spend:
    """Add up what runs cost; one that goes on has no cost yet, which is no unknown price."""
    return costs(r.cost_usd for r in runs if r.outcome is not RunOutcome.RUNNING)


def by_routing(decisions: Sequence[Decision]) -> tuple[RoutingUse, ...]:
    """What routing took, by engine, the most used first."""
    by_engine: dict[str, list[Decision]] = {}
    for decision in decisions:
        by_engine.setdefault(decision.engine, []).append(decision)
    uses = (
        RoutingUse(
            engine,
            len(mine),
            percentile([d.latency_ms for d in mine], 0.5),
            percentile([d.latency_ms for d in mine], 0.95),
            sum(d.tokens for d in mine),
            costs(d.cost_usd for d in mine),
        )
        for engine, mine in by_engine.items()
    )
    return tuple(sorted(uses, key=lambda use: -use.requests))


def by_model(runs: Sequence[RunSummary]) -> tuple[ModelUse, ...]:
    """What runs took, by engine and model, the most used first."""
    together: dict[tuple[str, str], list[RunSummary]] = {}
    for run in runs:
        together.setdefault((run.engine, run.model), []).append(run)
    uses = (
        ModelUse(engine, model, len(mine), sum(run.tokens for run in mine), run_costs(mine))
        for (engine, model), mine in together.items()
    )
    return tuple(sorted(uses, key=lambda use: -use.runs))


def by_conversation(
    decisions: Sequence[Decision], runs: Sequence[RunSummary]
) -> tuple[ConversationUse, ...]:
    """What each conversation took, runs that its requests led to included; newest first."""
    by_id = {run.id: run for run in runs}
    together: dict[str, list[Decision]] = {}
    for decision in decisions:
        together.setdefault(decision.conversation, []).append(decision)
    uses = (
        ConversationUse(
            conversation,
            min(d.at for d in mine),
            max(d.at for d in mine),
            len(mine),
            sum(d.tokens for d in mine),
            costs(d.cost_usd for d in mine),
            run_costs(by_id[run_id] for run_id in {d.run_id for d in mine} if run_id in by_id),
        )
        for conversation, mine in together.items()
    )
    return tuple(sorted(uses, key=lambda use: -use.last_at))
