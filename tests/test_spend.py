"""Tokens and money as one value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.events import Usage
from secretary_tui.spend import Spend, cost_json, said_cost

counts = st.integers(0, 10**9)
usages = st.builds(Usage, counts, counts, counts, counts, counts)
costs = st.none() | st.integers(0, 1000).map(float)
spends = st.builds(lambda cost, usage, other: Spend.of(cost, usage, other_tokens=other),
                   costs, usages, counts)  # fmt: skip


def test_nothing_is_spent_by_default() -> None:
    assert (Spend().tokens, Spend().cost_usd, Spend().is_exact) == (0, 0.0, True)


@given(st.lists(spends))
def test_a_sum_holds_all_tokens_and_each_known_price(parts: list[Spend]) -> None:
    total = sum(parts, Spend())
    assert total.tokens == sum(part.tokens for part in parts)
    assert total.usd == sum(part.usd for part in parts)
    assert total.usage == sum((part.usage for part in parts), Usage())


@given(st.lists(spends), spends, st.lists(spends))
def test_an_unknown_price_is_never_lost_in_a_sum(
    before: list[Spend], part: Spend, after: list[Spend]
) -> None:
    total = sum((*before, part + Spend.of(None), *after), Spend())
    assert not total.is_exact
    assert total.cost_usd is None
    assert said_cost(total).endswith("?")
    assert cost_json(total)["unpriced"] == total.unpriced > 0


@given(spends, spends)
def test_the_order_does_not_matter(one: Spend, other: Spend) -> None:
    assert one + other == other + one
    assert one + Spend() == one


@pytest.mark.parametrize(
    ("spend", "said"),
    [
        (Spend(), "$0"),
        (Spend(1.5), "$1.50"),
        (Spend(1.5, 2), "$1.50 + ?"),
        (Spend(0, 1), "$?"),
    ],
)
def test_an_unknown_price_is_said(spend: Spend, said: str) -> None:
    assert said_cost(spend) == said


def test_kinds_of_tokens_are_kept_apart_and_told_together() -> None:
    spend = Spend.of(0.5, Usage(1, 2, 3, 4)) + Spend.of(0.25, other_tokens=5)
    assert (spend.tokens, spend.usage.prompt_tokens, spend.usd) == (15, 8, 0.75)
