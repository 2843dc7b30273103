"""The ways to sort the table of agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from secretary_tui.sessions.statistics.statistics import AgentUse


@dataclass(frozen=True, slots=True)
class Order:
    """One way: the largest first, the same ones by name."""

    title: str
    key: Callable[[AgentUse], tuple[float, str]]


ORDERS = (
    Order("taken", lambda use: (-use.chosen, use.agent)),
    Order("name", lambda use: (0, use.agent)),
    Order("shown", lambda use: (-use.shown, use.agent)),
    Order("recommended", lambda use: (-use.recommended, use.agent)),
    Order("passed over", lambda use: (-use.passed_over, use.agent)),
    Order("runs", lambda use: (-use.runs, use.agent)),
    Order("cost", lambda use: (-use.cost.usd, use.agent)),
    Order("time", lambda use: (-(use.mean_s or 0), use.agent)),
)
