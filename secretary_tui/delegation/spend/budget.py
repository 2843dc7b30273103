"""What a run may cost: a cap that asks, a warning before it, shared with the runs it starts."""

from __future__ import annotations

from secretary_tui.figures import dollars
from secretary_tui.people import SAFE, Choice, People

_GO_ON = "g"


class Budget:
    """What is spent, and how much may be; what a part spends, the whole has spent, too.

    A cap is looked at before a turn begins, so that the last answer is always whole: what is spent
    can be above it by the cost of one turn.
    """

    def __init__(
        self,
        max_usd: float | None = None,
        *,
        warn_usd: float | None = None,
        whole: Budget | None = None,
        name: str = "This run",
    ) -> None:
        self._step = max_usd
        self._whole = whole
        self._warn_usd = warn_usd
        self.name = name
        """What it is the budget of, at the beginning of a sentence."""
        self.max_usd = max_usd
        """None for no cap."""
        self.spent_usd = 0.0
        """What is known to be spent; answers without a published price count as nothing."""
        self.is_exact = True
        """False once an answer had no published price."""

    @property
    def is_capped(self) -> bool:
        """Whether there is a cap at all, here or on the whole."""
        return self.max_usd is not None or (self._whole is not None and self._whole.is_capped)

    def pay(self, cost_usd: float | None) -> None:
        """Count what an answer cost; None when its price is unknown."""
        self.spent_usd += cost_usd or 0.0
        self.is_exact = self.is_exact and cost_usd is not None
        if self._whole is not None:
            self._whole.pay(cost_usd)

    def used_up(self, more_usd: float = 0.0) -> Budget | None:
        """Give the budget that is used up: this one, or the whole that it is a part of.

        `more_usd`: what is spent besides, and not counted yet.
        """
        if self.max_usd is not None and self.spent_usd + more_usd >= self.max_usd:
            return self
        return self._whole.used_up(more_usd) if self._whole is not None else None

    @property
    def left_usd(self) -> float | None:
        """What may still be spent, here and of the whole; None without a cap."""
        mine = None if self.max_usd is None else max(0.0, self.max_usd - self.spent_usd)
        whole = self._whole.left_usd if self._whole is not None else None
        return min((left for left in (mine, whole) if left is not None), default=None)

    def extend(self) -> None:
        """Allow the same amount again, counted from what is spent by now."""
        if self._step is not None:
            self.max_usd = max(self.spent_usd, self.max_usd or 0.0) + self._step

    def warning(self) -> str:
        """Give a sentence, once, when more is spent than somebody wanted to know about."""
        if self._warn_usd is None or self.spent_usd < self._warn_usd:
            return ""
        warn, self._warn_usd = self._warn_usd, None
        return (
            f"{self.name} has cost {dollars(self.spent_usd)} so far; the setting warn_cost_usd "
            f"is {dollars(warn)}."
        )

    def share(self, part: float, name: str) -> Budget:
        """Give a part (0–1) of what is left to another run; it is spent here, too."""
        left = None if self.max_usd is None else max(0.0, self.max_usd - self.spent_usd) * part
        return Budget(left, whole=self, name=name)


async def may_go_on(budget: Budget, people: People) -> bool:
    """Ask whether to go on when the money is used up; without an answer the run stops."""
    while (used_up := budget.used_up()) is not None:
        cap = used_up.max_usd or 0.0
        more = used_up._step or 0.0
        key = await people.choose(
            f"{used_up.name} has cost {dollars(used_up.spent_usd)}; it may cost {dollars(cap)}.",
            "Nothing is lost: what was done stays, and a stopped run can be continued.",
            (
                Choice(_GO_ON, f"Go on, {dollars(more)} more"),
                Choice(SAFE, "Stop here"),
            ),
        )
        if key != _GO_ON or not more:
            return False
        used_up.extend()
    return True
