"""The filter line of the history: what each term means, and what is said when one doesn't fit."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.sessions.errors import QueryError
from secretary_tui.sessions.query import OutcomeWord, parse_leniently, parse_query, set_term, term
from secretary_tui.sessions.store import RunSummary, summarize
from tests.sessions.run_logs import answered, write

TODAY = date(2026, 11, 20)


@pytest.fixture
def run(tmp_path: Path) -> RunSummary:
    events = answered("Done.", cost=0.25, stop="max_cost")
    return summarize(write(tmp_path, "20261120-093112-a1b2", "add a table", events))


@pytest.mark.parametrize(
    "line",
    [
        "agent:smith",
        "AGENT:Schema",
        "outcome:partial",
        "outcome:capped",
        "outcome:failed,capped",
        "cost>0.2",
        "cost>=0.25",
        "cost:$0.25",
        "cost<0.3 cost>0.2",
        "since:2026-11-20",
        "since:2026-11",
        "since:1d",
        "until:today",
        "model:sonnet",
        'agent:"schema-smith"',
    ],
)
def test_a_term_keeps_the_run_that_it_means(run: RunSummary, line: str) -> None:
    assert parse_query(line, TODAY).fits(run)


@pytest.mark.parametrize(
    "line",
    [
        "agent:critic",
        "outcome:done",
        "cost>0.25",
        "cost<0.25",
        "since:2026-11-21",
        "until:yesterday",
        "until:2d",
        "model:opus",
        "project:elsewhere",
    ],
)
def test_a_term_leaves_out_what_it_does_not_mean(run: RunSummary, line: str) -> None:
    assert not parse_query(line, TODAY).fits(run)


def test_seven_days_are_today_and_the_six_before() -> None:
    assert parse_query("since:7d", TODAY).since == date(2026, 11, 14)


def test_what_is_no_term_is_a_word_and_quotes_keep_a_phrase_together() -> None:
    query = parse_query('Null "Pointer Error" login.py:2 https://x.org cost', TODAY)
    assert query.words == ("null", "pointer error", "login.py:2", "https://x.org", "cost")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("agent:", "agent: wants an agent's name"),
        ("outcome:won", "outcome:won is none; it is one of done, partial, stopped"),
        ("cost>much", "cost wants an amount of US dollars, not 'much'"),
        ("since:soon", "since:soon is no day"),
        ("cost>", "cost> wants an amount of US dollars"),
    ],
)
def test_a_value_that_does_not_fit_is_explained(line: str, says: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(line, TODAY)
    assert says in str(caught.value)


def test_interrupted_is_what_the_list_calls_stopped() -> None:
    assert parse_query("outcome:interrupted").endings == {OutcomeWord.STOPPED}


def test_a_key_replaces_its_own_term_and_leaves_the_rest_as_it_was() -> None:
    line = set_term('two "whole words" outcome:failed agent:x', "outcome", ":done")
    assert line == 'two "whole words" agent:x outcome:done'
    assert term(line, "outcome") == ":done"
    assert set_term(line, "outcome", "") == 'two "whole words" agent:x'


TERMS = ("agent", "outcome", "cost", "since", "until", ":", "<", ">=", "=", "done", "0.5", "7d")
PIECES = st.sampled_from((*TERMS, "much", " ", '"'))


@given(st.text() | st.lists(PIECES, max_size=12).map("".join))
def test_any_line_is_read_alike_by_both_readers_or_refused_with_the_same_sentence(
    line: str,
) -> None:
    query, fault = parse_leniently(line, TODAY)
    try:
        read = parse_query(line, TODAY)
    except QueryError as error:
        assert fault == f"{error}."
        assert len(fault) > 10
    else:
        assert (read, "") == (query, fault)


def test_a_line_that_is_still_being_typed_is_read_as_far_as_it_goes() -> None:
    query, fault = parse_leniently("login agent:critic cost> since:so", TODAY)
    assert (query.words, query.agent, query.costs, query.since) == (("login",), "critic", (), None)
    assert fault.startswith("cost> wants an amount")
    assert parse_leniently("login", TODAY)[1] == ""


@given(st.text(alphabet='abcost>:"= 0', max_size=30))
def test_leniently_every_line_is_read(line: str) -> None:
    query, fault = parse_leniently(line, TODAY)
    assert fault == "" or len(fault) > 10
    assert query.project == ""


@pytest.mark.parametrize("line", ["since:9999y", "until:9999w", "since:0001-01-01"])
def test_a_day_before_all_days_is_the_first(line: str, run: RunSummary) -> None:
    assert parse_query(line).fits(run) is line.startswith("since")


@pytest.mark.parametrize("start", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_run_of_no_real_day_is_in_no_time(run: RunSummary, start: str) -> None:
    assert not parse_query("since:2020-01-01").fits(replace(run, started_at=start))
