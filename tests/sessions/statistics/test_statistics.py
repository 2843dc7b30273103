"""What decisions and runs add up to."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.sessions.decisions import Decision, Shown
from secretary_tui.sessions.past import read_past
from secretary_tui.sessions.statistics.spend_sums import percentile
from secretary_tui.sessions.statistics.statistics import Share, Statistics, day_of, summarize
from secretary_tui.sessions.store import RunOutcome, RunSummary
from secretary_tui.spend import Spend
from tests.sessions.stored_decisions import decision, three_weeks


def ran(run_id: str = "r1", **given: Any) -> RunSummary:
    values: dict[str, Any] = {
        "id": run_id,
        "path": Path("/r.jsonl"),
        "project": "/p",
        "agent": "security-auditor",
        "request": "audit",
        "started_at": "2026-01-01T09:00:00+00:00",
        "outcome": RunOutcome.DONE,
        "model": "sonnet",
        "engine": "anthropic",
        "cost_usd": 0.5,
        "turns": 1,
        "tokens": 100,
        "size": 1,
        "elapsed_s": 4.0,
    }
    return RunSummary(**{**values, **given})


def test_nothing_adds_up_to_nothing() -> None:
    assert summarize((), ()) == dataclasses.replace(Statistics(), bands=summarize((), ()).bands)
    assert all(band.chosen.of == 0 and band.says is None for band in summarize((), ()).bands)


def test_a_cancelled_request_is_neither_answered_nor_a_refusal() -> None:
    cancelled = decision(2, action="cancel", agent=None)
    found = summarize((decision(1), cancelled, decision(3, action=None, agent=None)), ())
    assert (found.requests, found.answered, found.cancelled) == (3, 1, 1)
    assert found.accepted == Share(1, 1)
    assert found.right == Share(1, 1)


def test_a_command_taken_instead_is_an_answer_that_says_nothing_of_the_agents() -> None:
    found = summarize((decision(action="workflow", agent="/deploy"),), ())
    assert (found.answered, found.cancelled) == (1, 0)
    assert (found.accepted, found.right) == (Share(0, 1), Share(0, 0))


def test_an_alternative_is_not_right_but_among_the_first_three() -> None:
    found = summarize((decision(action="alternative", agent="code-critic"),), ())
    assert (found.accepted, found.right, found.among_first) == (
        Share(0, 1),
        Share(0, 1),
        Share(1, 1),
    )


def test_the_fourth_shown_is_not_among_the_first_three() -> None:
    four = tuple(Shown(name, f"/{name}.md", 80) for name in "abcd")
    found = summarize((decision(shown=four, recommended="a", action="alternative", agent="d"),), ())
    assert found.among_first == Share(0, 1)


def test_an_agent_asked_for_by_name_is_counted_and_not_judged() -> None:
    found = summarize((decision(request="@security-auditor look at this"),), ())
    assert (found.answered, found.by_name) == (1, 1)
    assert found.accepted.of == found.right.of == found.among_first.of == 0
    assert all(band.chosen.of == 0 for band in found.bands)


def test_calibration_compares_what_the_best_match_said_with_what_was_chosen() -> None:
    def at(confidence: int, agent: str) -> Decision:
        return decision(shown=(Shown("a", "/a", confidence), Shown("b", "/b", 55)), agent=agent)

    found = summarize((at(90, "a"), at(100, "a"), at(92, "b"), at(71, "a")), ())
    bands = {band.low: band for band in found.bands}
    assert bands[90].chosen == Share(2, 3)
    assert bands[90].says == pytest.approx(0.94)
    assert bands[70].chosen == Share(1, 1)
    assert bands[50].chosen == Share()


def test_each_agent_tells_how_it_fared() -> None:
    decisions = (
        decision(1),
        decision(2, action="alternative", agent="code-critic"),
        decision(3, action="cancel", agent=None),
    )
    runs = (
        ran("r1", elapsed_s=2.0),
        ran("r2", outcome=RunOutcome.FAILED, cost_usd=None, elapsed_s=4.0),
        ran("r3", outcome=RunOutcome.CUT_OFF, cost_usd=0.25, elapsed_s=None),
    )
    auditor, critic = summarize(decisions, runs).agents
    assert (auditor.agent, auditor.shown, auditor.recommended) == ("security-auditor", 3, 2)
    assert (auditor.accepted, auditor.chosen, auditor.passed_over) == (1, 1, 1)
    assert (auditor.runs, auditor.done, auditor.mean_s) == (3, 1, 3.0)
    assert dict(auditor.outcomes) == {"done": 1, "failed": 1, "cut off": 1}
    assert auditor.cost == Spend(0.75, 1)
    assert (critic.chosen, critic.accepted, critic.passed_over, critic.mean_s) == (1, 0, 0, None)


def test_one_agent_alone() -> None:
    decisions = (decision(1), decision(2, shown=(), recommended="b", agent="b"))
    found = summarize(decisions, (ran(), ran("r2", agent="b")), agent="code-critic")
    assert (found.requests, found.runs) == (1, 0)
    assert [use.agent for use in found.agents] == ["code-critic"]


def test_days_begin_at_midnight_where_the_user_is() -> None:
    late = datetime(2026, 1, 5, 23, 30, tzinfo=UTC).timestamp()
    east = timezone(timedelta(hours=2))
    assert (day_of(late, UTC), day_of(late, east)) == (date(2026, 1, 5), date(2026, 1, 6))
    found = summarize((decision(at=late),), (), since=date(2026, 1, 6), zone=UTC)
    assert found.requests == 0
    found = summarize((decision(at=late),), (), since=date(2026, 1, 6), zone=east)
    assert [(p.start, p.requests) for p in found.periods] == [(date(2026, 1, 6), 1)]


def test_quiet_days_are_shown_up_to_today() -> None:
    found = summarize(
        (decision(0), decision(2)),
        (ran(),),
        since=date(2025, 12, 31),
        today=date(2026, 1, 5),
        zone=UTC,
    )
    assert [period.requests for period in found.periods] == [0, 1, 0, 1, 0, 0]
    assert [period.runs for period in found.periods] == [0, 1, 0, 0, 0, 0]
    assert found.periods[1].cost == Spend(0.5)
    assert found.periods[0].accepted.value is None


def test_a_longer_time_is_counted_by_weeks_from_monday() -> None:
    found = summarize((decision(0), decision(3), decision(4), decision(40)), (), zone=UTC)
    assert found.by_weeks
    assert [p.start.weekday() for p in found.periods] == [0] * len(found.periods)
    assert [p.requests for p in found.periods] == [2, 1, 0, 0, 0, 0, 1]


def test_a_moment_that_no_calendar_has_is_counted_and_stands_in_no_period() -> None:
    found = summarize((decision(at=1e300), decision(1)), (ran(started_at="soon"),), zone=UTC)
    assert (found.requests, found.runs) == (2, 1)
    assert sum(period.requests for period in found.periods) == 1
    assert summarize((decision(at=1e300),), (), since=date(2026, 1, 1)).requests == 0


def test_the_first_day_of_the_calendar_makes_no_endless_list() -> None:
    ancient = datetime(1, 1, 3, tzinfo=UTC).timestamp()
    found = summarize((decision(at=ancient), decision(1)), (), zone=UTC)
    assert found.requests == 2
    assert len(found.periods) <= 104


def test_costs_add_up_for_each_conversation_with_the_runs_it_led_to() -> None:
    decisions = (
        decision(1, conversation="c", cost_usd=0.01, tokens=10, run_id="r1"),
        decision(2, conversation="c", cost_usd=None, tokens=5),
        decision(3, conversation="d", run_id="r2"),
    )
    newest, older = summarize(decisions, (ran("r1"), ran("r2", cost_usd=None))).conversations
    assert (newest.id, newest.cost) == ("d", Spend(0.0, 1))
    assert (older.requests, older.tokens) == (2, 15)
    assert (older.routing, older.runs) == (Spend(0.01, 1), Spend(0.5))
    assert older.cost == Spend(0.51, 1)


def test_a_run_that_goes_on_has_no_unknown_price() -> None:
    going = ran(outcome=RunOutcome.RUNNING, cost_usd=None)
    assert summarize((), (going,)).cost == Spend()


def test_routing_is_counted_by_engine_and_runs_by_model() -> None:
    model = {"engine": "Claude API · haiku", "latency_ms": 900.0, "tokens": 7, "cost_usd": 0.1}
    found = summarize(
        (decision(1), decision(2, latency_ms=20.0), decision(3, **model)), (ran(), ran("r2"))
    )
    local, api = found.routing
    assert (local.engine, local.requests, local.p50_ms, local.p95_ms) == ("local", 2, 12.0, 20.0)
    assert (api.tokens, api.cost) == (7, Spend(0.1))
    assert (found.p50_ms, found.p95_ms) == (20.0, 900.0)
    assert [(m.model, m.runs, m.tokens, m.cost) for m in found.models] == [
        ("sonnet", 2, 200, Spend(1.0))
    ]


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_a_value_that_so_many_do_not_exceed(
    values: list[float], part: float
) -> None:
    found = percentile(values, part)
    assert found in values
    assert sum(value <= found for value in values) >= part * len(values) - 1e-9


def test_three_weeks_add_up() -> None:
    found = summarize(three_weeks(), (), zone=UTC)
    assert (found.requests, found.answered, found.cancelled) == (21, 19, 1)
    assert (found.accepted, found.right) == (Share(14, 19), Share(14, 19))
    assert found.among_first == Share(18, 19)
    assert len(found.periods) == 21


def test_an_empty_project_has_an_empty_past(tmp_path: Path) -> None:
    past = read_past(tmp_path)
    assert (past.decisions, past.runs, past.agents) == ((), (), ())
