"""Requests that ask for a cause prefer those who find causes."""

import pytest

from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.words.investigation import INVESTIGATES, asks_for_a_cause, investigates
from tests.routing.library import LIBRARY, make_agent


@pytest.mark.parametrize(
    "request_",
    [
        *("why is it slow", "the app crashes at start", "Trace the request", "tests are failing"),
        *("find the bug in here", "track down this leak", "what is the root cause", "debug it"),
    ],
)
def test_a_request_for_a_cause_is_noticed(request_):
    assert asks_for_a_cause(request_)


@pytest.mark.parametrize("request_", ["add a trial", "find a designer", "write docs", "crashpad"])
def test_another_request_is_none(request_):
    assert not asks_for_a_cause(request_)


def test_names_say_who_finds_causes():
    assert investigates("error-detective")
    assert investigates("devops-troubleshooter")
    assert not investigates("frontend-developer")


def rails(*names):
    agents = [make_agent(name, "Works on Rails checkouts and payments.") for name in names]
    return LocalMatcher([*LIBRARY, *agents])


def test_among_close_candidates_the_debugger_wins_and_the_reason_says_why():
    matcher = rails("rails-builder", "rails-debugger")
    plain = matcher.rank("rails checkout payments")
    asked = matcher.rank("why rails checkout payments")
    assert plain[0].agent == "rails-builder"
    assert asked[0].agent == "rails-debugger"
    assert asked[0].reason.endswith(INVESTIGATES)
    assert INVESTIGATES not in asked[1].reason
    assert INVESTIGATES not in plain[1].reason


def test_a_debugger_of_another_area_is_not_brought_up():
    matcher = LocalMatcher([*LIBRARY, make_agent("cobol-debugger", "Mends COBOL batch jobs.")])
    assert matcher.rank("why is my SQL query slow")[0].agent == "data:database-optimizer"
