"""Statistics as lines of text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from secretary_tui.number_format import ASCII
from secretary_tui.sessions.statistics.report import (
    ReportSection,
    agent_header,
    agent_line,
    headline,
    moment,
    sections,
)
from secretary_tui.sessions.statistics.statistics import Statistics, summarize
from secretary_tui.spend import Spend
from tests.sessions.stored_decisions import FIRST, decision, three_weeks

FOUND = summarize(three_weeks(), (), zone=UTC)


def section(title: str, found: tuple[ReportSection, ...]) -> tuple[str, ...]:
    return next(s.lines for s in found if title in s.title)


def test_nothing_has_no_section() -> None:
    assert sections(Statistics(), 80) == ()


def test_each_bar_has_its_figure_beside_it() -> None:
    found = sections(FOUND, 80, zone=UTC)
    accepted, right, first = section("How good", found)
    assert accepted.startswith("recommendation accepted")
    assert accepted.endswith(" 74 % of 19")
    assert right.endswith(" 74 % of 19")
    assert first.endswith(" 95 % of 19")
    (band,) = section("confidence", found)
    assert band.startswith("90–100, 92 % on average")
    assert band.endswith(" 74 % of 19")


def test_a_line_of_bars_says_its_top_its_last_and_its_days() -> None:
    lines = section("Day by day", sections(FOUND, 80, zone=UTC))
    assert lines[0].endswith(f"{'▇' * 21} at most 1")
    assert lines[1].endswith("100 % at last")
    assert lines[-1].strip() == "1 day a character, 2026-01-01 to 2026-01-21"


@given(st.integers(40, 200), st.sampled_from([21, 90, 365, 3000]))
@settings(max_examples=40)
def test_no_line_is_wider_than_the_terminal(width: int, days: int) -> None:
    first = (FIRST + timedelta(days=20)).date() - timedelta(days=days - 1)
    found = summarize(three_weeks(), (), since=first, today=date(2026, 1, 21), zone=UTC)
    for part in sections(found, width, zone=UTC):
        for line in part.lines:
            assert len(line) <= width, line
    for use in found.agents:
        assert len(agent_line(use, width)) == len(agent_header(width)) <= max(width, 69)


def test_a_cost_and_a_time_of_minutes_stand_apart() -> None:
    use = replace(FOUND.agents[0], cost=Spend(0.0195), mean_s=93.0)
    assert "$0.0195 1 min 33 s" in agent_line(use, 78)
    use = replace(FOUND.agents[0], cost=Spend(1234.56, 1), mean_s=3540.0)
    assert " $1,234.56 + ?     59 min" in agent_line(use, 78)


def test_days_that_do_not_fit_are_put_together_and_none_is_lost() -> None:
    decisions = tuple(decision(number) for number in range(31))
    found = summarize(decisions, (), zone=UTC)
    lines = section("Day by day", sections(found, 60, zone=UTC))
    assert "3 days a character, 2026-01-01 to 2026-01-29" in lines[-1]
    assert lines[0].endswith("at most 3")


def test_a_pipe_without_blocks_gets_plain_characters() -> None:
    lines = section("How good", sections(FOUND, 80, glyphs=ASCII))
    assert all(line.isascii() for line in lines)


def test_routing_names_its_engines_with_times_and_costs() -> None:
    lines = section("Routing", sections(FOUND, 80, zone=UTC))
    assert lines[1].split() == ["local", "15", "12", "ms", "12", "ms", "0", "$0"]
    assert lines[2].startswith("Claude API · claude-haiku-4-5")
    assert lines[2].endswith("$0.0126")
    assert lines[3] == "All together: half within 12 ms, 95 % within 940 ms."


def test_many_conversations_are_counted_beyond_the_first_eight() -> None:
    decisions = [decision(n, conversation=f"c{n}") for n in range(12)]
    lines = section("Conversations", sections(summarize(decisions, ()), 80))
    assert lines[-1] == "and 4 more"
    assert len(lines) == 10


def test_the_headline_counts_everything() -> None:
    assert headline(FOUND) == "21 requests · 19 answered · 1 cancelled · 0 runs · $0.0126"


def test_a_moment_is_said_where_the_user_is() -> None:
    assert moment(FIRST.timestamp(), UTC) == "2026-01-01 09:00"
    assert moment(1e300) == "?"
