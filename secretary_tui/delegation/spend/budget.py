"""What a run may cost: a cap that asks, a warning before it, shared with the runs it starts."""

from __future__ import annotations

from typing import Protocol

from secretary_tui.number_format import dollars
from secretary_tui.people import SAFE, Choice, People
from secretary_tui.spend import Spend, said_cost

_GO_ON = "g"


class BudgetSpentError(Exception):
    """What would be spent at most is more than what is left of a budget that processes share."""


class BudgetStoreError(Exception):
    """A budget that processes share can't be read or written, so nothing may be spent from it.

    The message says what happened, `suggestion` what to do next.
    """

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.suggestion = suggestion


class Reservation(Protocol):
    """Money that is set aside for one model answer."""

    def settle(self, cost_usd: float | None) -> None:
        """Count what the answer cost and give the rest back; None is an unknown price.

        Raises:
            BudgetStoreError: it can't be written; what was set aside stays counted.
        """
        ...


class BudgetStore(Protocol):
    """A budget that several processes draw on."""

    @property
    def left_usd(self) -> float:
        """What is neither spent nor set aside.

        Raises:
            BudgetStoreError: it can't be read.
        """
        ...

    def reserve(self, most_usd: float) -> Reservation:
        """Set aside what an answer can cost at most.

        Raises:
            BudgetSpentError: less is left.
            BudgetStoreError: it can't be read or written.
        """
        ...

    def pay(self, cost_usd: float | None) -> None:
        """Count what nothing was set aside for; None is an unknown price.

        Raises:
            BudgetStoreError: it can't be written.
        """
        ...


class Budget:
    """What is spent, and how much may be; what a part spends, the whole has spent, too.

    A cap is looked at before a turn begins, so that the last answer is always whole: what is spent
    can be above it by the cost of one turn. Of a store, which other processes draw on as well, what
    an answer can cost at most is set aside before it is asked for; a part draws on the store of its
    whole.
    """

    def __init__(
        self,
        max_usd: float | None = None,
        *,
        warn_usd: float | None = None,
        whole: Budget | None = None,
        store: BudgetStore | None = None,
        name: str = "This run",
    ) -> None:
        if store is not None and whole is not None:
            raise ValueError("a part draws on the store of its whole")
        self._step = max_usd
        self._whole = whole
        self._store: BudgetStore | None = store if whole is None else whole._store
        self._warn_usd = warn_usd
        self.name = name
        """What it is the budget of, at the beginning of a sentence."""
        self.max_usd = max_usd
        """None for no cap."""
        self.spent = Spend()
        """What was paid; only the money is counted."""

    @property
    def is_capped(self) -> bool:
        """Whether there is a cap at all, here, on the whole or in a store."""
        return any(one.max_usd is not None for one in self._chain()) or self._store is not None

    @property
    def is_shared(self) -> bool:
        """Whether other processes draw on it, so that money is set aside before it is spent."""
        return self._store is not None

    def reserve(self, most_usd: float | None) -> Reservation | None:
        """Set aside what an answer can cost at most, where processes share the money.

        None without a store, and for an unknown price (`most_usd` is None), which can't be capped.

        Raises:
            BudgetSpentError, BudgetStoreError: see `BudgetStore.reserve`.
        """
        return None if self._store is None or most_usd is None else self._store.reserve(most_usd)

    def pay(self, cost_usd: float | None, reserved: Reservation | None = None) -> None:
        """Count what an answer cost, and settle what was set aside for it.

        `cost_usd` is None when its price is unknown.

        Raises:
            BudgetStoreError: a store can't be written; it is counted here all the same.
        """
        for one in self._chain():
            one.spent += Spend.of(cost_usd)
        if reserved is not None:
            reserved.settle(cost_usd)
        elif self._store is not None:
            self._store.pay(cost_usd)

    def used_up(self, more_usd: float = 0.0) -> Budget | None:
        """Give the budget that is used up: this one, or the whole that it is a part of.

        `more_usd`: what is spent besides, and not counted yet.
        """
        return next((one for one in self._chain() if one._is_used_up(more_usd)), None)

    @property
    def left_usd(self) -> float | None:
        """What may still be spent, here, of the whole and of a store; None without a cap.

        Raises:
            BudgetStoreError: the store can't be read.
        """
        left = [own for one in self._chain() if (own := one._own_left_usd) is not None]
        if self._store is not None:
            left.append(self._store.left_usd)
        return min(left, default=None)

    def extend(self) -> None:
        """Allow the same amount again, counted from what is spent by now."""
        if self._step is not None:
            self.max_usd = max(self.spent.usd, self.max_usd or 0.0) + self._step

    def warning(self) -> str:
        """Give a sentence, once, when more is spent than somebody wanted to know about."""
        if self._warn_usd is None or self.spent.usd < self._warn_usd:
            return ""
        warn, self._warn_usd = self._warn_usd, None
        return (
            f"{self.name} has cost {said_cost(self.spent)} so far; the setting warn_cost_usd "
            f"is {dollars(warn)}."
        )

    def share(self, part: float, name: str) -> Budget:
        """Give a part (0–1) of what is left to another run; it is spent here, too."""
        left = self._own_left_usd
        return Budget(None if left is None else left * part, whole=self, name=name)

    def _chain(self) -> list[Budget]:
        """This budget and all that it is a part of."""
        return [self, *(self._whole._chain() if self._whole is not None else ())]

    def _is_used_up(self, more_usd: float) -> bool:
        return self.max_usd is not None and self.spent.usd + more_usd >= self.max_usd

    @property
    def _own_left_usd(self) -> float | None:
        return None if self.max_usd is None else max(0.0, self.max_usd - self.spent.usd)


async def may_go_on(budget: Budget, people: People) -> bool:
    """Ask whether to go on when the money is used up; without an answer the run stops."""
    while (used_up := budget.used_up()) is not None:
        cap = used_up.max_usd or 0.0
        more = used_up._step or 0.0
        key = await people.choose(
            f"{used_up.name} has cost {said_cost(used_up.spent)}; it may cost {dollars(cap)}.",
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
