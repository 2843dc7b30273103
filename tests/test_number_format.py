"""Bars, lines of bars and numbers as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.number_format import (
    ASCII,
    BLOCKS,
    bar,
    cents,
    dollars,
    duration,
    glyphs_for,
    percent,
    sparkline,
)


@given(st.floats(0, 1), st.integers(2, 60))
def test_a_bar_has_its_width_and_only_nothing_is_empty_and_only_all_is_full(
    share: float, width: int
) -> None:
    drawn = bar(share, width)
    assert len(drawn) == width
    assert (BLOCKS.full not in drawn) == (share == 0)
    assert (BLOCKS.empty not in drawn) == (share == 1)


def test_a_bar_of_a_half_is_half_full() -> None:
    assert bar(0.5, 8) == "▆▆▆▆▁▁▁▁"
    assert bar(None, 3) == "▁▁▁"


@given(st.lists(st.one_of(st.none(), st.floats(0, 1e9)), max_size=40))
def test_a_sparkline_has_one_character_for_each_value(values: list[float | None]) -> None:
    drawn = sparkline(values)
    assert len(drawn) == len(values)
    assert [c == BLOCKS.gap for c in drawn] == [value is None for value in values]


def test_a_sparkline_rises_with_its_values_and_shows_little_as_more_than_nothing() -> None:
    assert sparkline([0, 1, 50, 100]) == "▁▂▄▇"
    assert sparkline([0.5], top=1.0) == "▄"
    assert sparkline([0, 0]) == "▁▁"


def test_what_cannot_write_blocks_gets_plain_characters() -> None:
    assert glyphs_for("utf-8") is BLOCKS
    assert glyphs_for("ascii") is ASCII
    assert glyphs_for("latin-1") is ASCII
    assert glyphs_for(None) is ASCII
    assert glyphs_for("no-such-encoding") is ASCII
    assert sparkline([0, 1], glyphs=ASCII).isascii()


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [(None, "–"), (0.4, "0 ms"), (12, "12 ms"), (1400, "1.4 s"), (125_000, "2 min 05 s")],
)
def test_a_duration_is_said_in_the_unit_that_fits(milliseconds: float | None, said: str) -> None:
    assert duration(milliseconds) == said


def test_shares_and_costs() -> None:
    assert (percent(None), percent(0.724)) == ("–", "72 %")
    assert (dollars(0), dollars(0.0021), dollars(1234.5)) == ("$0", "$0.0021", "$1,234.50")
    assert (cents(0), cents(1.234), cents(None)) == ("$0.00", "$1.23", "$?")
