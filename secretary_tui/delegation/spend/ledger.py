"""What a run has used so far, tokens and money, told as it is counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple

from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.engines.base import Engine
from secretary_tui.events import Notice, RunEvent, Usage, UsageAdded

SEARCH_PRICE_USD = 0.01
"""One search of the server's, as published for the API: 10 US dollars a thousand."""


_MOST_TOKENS = 10**9
"""More in one answer is no count: no context is nearly that long."""


def is_counted(usage: Usage) -> bool:
    """Whether a server counted in whole numbers of tokens, as none that takes tokens back does."""
    return all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in astuple(usage))


class Ledger:
    """Adds up what the answers of one run cost, and takes it from the budget."""

    def __init__(
        self, engine: Engine, model: str, budget: Budget, emit: Callable[[RunEvent], None]
    ) -> None:
        self._engine = engine
        self._model = model
        self._budget = budget
        self._emit = emit
        self.usage = Usage()
        self._cost = 0.0
        self._known = True

    @property
    def cost_usd(self) -> float | None:
        """All costs so far; None as soon as one of them is unknown."""
        return self._cost if self._known else None

    @property
    def counted(self) -> int:
        """Tokens that count against a budget; what comes from the cache is nearly free."""
        usage = self.usage
        return usage.input_tokens + usage.output_tokens + usage.cache_write_tokens

    def add(self, usage: Usage, *, whole: bool = False) -> None:
        """Count one answer, or the part of one that came; warn when that is much by now.

        `whole`: it came to its end, so a server that counted nothing doesn't count.
        """
        if usage != Usage() or whole:
            self._pay(usage)
        if warning := self._budget.warning():
            self._emit(Notice(warning, "warning"))

    def take_over(self, paid: UsageAdded) -> None:
        """Count an answer that another run, started by this one, took from the budget already."""
        self.usage += paid.usage
        self._known = self._known and paid.cost_usd is not None
        self._cost += paid.cost_usd or 0.0
        self._emit(paid)

    def _pay(self, usage: Usage) -> None:
        if not is_counted(usage):
            # What it cost is not known, and what was spent before must not shrink.
            self._budget.pay(None)
            self.take_over(UsageAdded(Usage(), None))
            return
        cost = self._engine.price(self._model, usage)
        if usage == Usage() and self._engine.price(self._model, Usage(1)) != 0:
            cost = None
        if cost is not None:
            cost += usage.web_searches * SEARCH_PRICE_USD
        self._budget.pay(cost)
        self.take_over(UsageAdded(usage, cost))
