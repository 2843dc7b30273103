"""A generalist is offered where no specialist is sure, and says that it is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.config import Config
from secretary_tui.people import AgentMatch
from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.match.reranker import GENERALISTS
from secretary_tui.routing.recommend.fallback import (
    WHAT_IT_DOES,
    generalist_for,
    marked,
    offered,
)
from secretary_tui.routing.recommend.recommender import MOST_SHOWN, route_local
from tests.routing.library import LIBRARY, make_agent

CONFIG = Config()
ABOVE = CONFIG.recommend_above
DOING = (
    "rename the variable foo to bar everywhere",
    "run the linter",
    "start the dev server",
    "commit and push",
    "convert the csv files to json",
    "delete the old log files",
    "update the version number",
    "move the pictures to a folder of their own",
    "install the dependencies",
)
BUILDING = (
    "add a dark theme to the settings page",
    "implement the coupon feature",
    "build a countdown for the start page",
)
ASKING = (
    "what is in the folder tools",
    "explain how the invoice numbering works",
    "which files mention the tax rate",
)


def bundled(project: Path) -> tuple[AgentSpec, ...]:
    return tuple(LiveIndex(project).snapshot.active)


def row(agent: str, confidence: int, *, fallback: bool = False) -> AgentMatch:
    return AgentMatch(agent, f"/{agent}.md", confidence, "why", (), fallback)


RANKINGS = st.lists(
    st.builds(row, st.sampled_from("abcdefgh"), st.integers(0, 99)), max_size=8, unique_by=id
).map(
    lambda rows: sorted(
        (*rows, *(row(name, 40, fallback=True) for name in sorted(GENERALISTS))),
        key=lambda match: -match.confidence,
    )
)


@pytest.mark.parametrize(
    ("requests", "agent"), [(DOING, "worker"), (BUILDING, "coder"), (ASKING, "surveyor")]
)
def test_who_can_do_it_is_chosen_by_the_kind_of_work(requests, agent) -> None:
    chosen = [generalist_for(request)[0] for request in requests]
    assert chosen.count(agent) >= len(requests) - 1
    # One that only reads is no good where something is to be done, the other way round it is.
    assert agent == "surveyor" or "surveyor" not in chosen


def test_the_kind_of_work_is_told_in_other_languages_too() -> None:
    assert generalist_for("benenne die Variable foo um")[0] == "worker"
    assert generalist_for("wo steht der Steuersatz?")[0] == "surveyor"


@pytest.mark.parametrize("request_", (*DOING, *BUILDING, *ASKING, "hello", "vegan lasagna recipe"))
def test_where_nobody_is_sure_a_generalist_is_offered_and_marked(
    request_: str, project: Path
) -> None:
    for library in ((), LIBRARY):
        matcher = LocalMatcher((*library, *bundled(project)))
        found = route_local(matcher, request_, CONFIG)
        fallbacks = [match for match in found.matches if match.fallback]
        assert len(fallbacks) == (0 if found.recommended else 1)
        assert all(match.confidence <= ABOVE for match in fallbacks)
        assert all(match.reason == WHAT_IT_DOES[match.agent] for match in fallbacks)
        assert len({match.agent for match in found.matches}) == len(found.matches) <= MOST_SHOWN
        assert found.recommended not in {match.agent for match in fallbacks}


@pytest.mark.parametrize("request_", DOING)
def test_who_only_reads_is_not_offered_for_doing(request_: str, project: Path) -> None:
    found = route_local(LocalMatcher((*LIBRARY, *bundled(project))), request_, CONFIG)
    assert "surveyor" not in {match.agent for match in found.matches}


def test_a_coder_that_fits_is_the_specialist_for_building(project: Path) -> None:
    matcher = LocalMatcher((*LIBRARY, *bundled(project)))
    found = route_local(matcher, "implement the coupon feature", CONFIG)
    assert found.recommended == "coder"
    assert not found.matches[0].fallback
    (kept,) = marked([row("coder", ABOVE + 1, fallback=True)], ABOVE)
    (bound,) = marked([row("coder", ABOVE, fallback=True)], ABOVE)
    assert (kept.confidence, kept.fallback) == (ABOVE + 1, False)
    assert (bound.confidence, bound.fallback) == (ABOVE, True)


def test_a_generalist_of_the_users_own_is_an_agent_as_any_other() -> None:
    mine = make_agent("worker", "Carries out every task that is given, edits files.")
    found = route_local(LocalMatcher([*LIBRARY, mine]), "run the linter", CONFIG)
    assert not any(match.fallback for match in found.ranking)


@given(RANKINGS, st.integers(0, 99))
def test_no_fallback_is_above_what_is_recommended_and_none_behind_it(ranking, above) -> None:
    found = marked(ranking, above)
    assert [match.agent for match in found] == [match.agent for match in ranking]
    sure = [match.confidence for match in found]
    assert sure == sorted(sure, reverse=True)
    assert all(match.confidence <= above for match in found if match.fallback)


@given(RANKINGS, st.integers(0, 99), st.sampled_from((*DOING, *ASKING)))
def test_one_generalist_is_offered_the_one_that_plainly_can_do_it(
    ranking, show_above, request_
) -> None:
    found = offered(ranking, request_, show_above=show_above, most=MOST_SHOWN)
    assert len(found) <= MOST_SHOWN
    (generalist,) = (match for match in found if match.fallback)
    assert all(match.confidence >= show_above for match in found if not match.fallback)
    wanted, is_plain = generalist_for(request_)
    if is_plain:
        assert generalist.agent == wanted
