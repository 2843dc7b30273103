"""What the keys of the match panel mean, without a screen."""

from __future__ import annotations

import pytest

from secretary_tui.people import AgentMatch, Recommendation, RouteAction, RouteChoice
from secretary_tui.widgets.panels.engine_line import EngineRow
from secretary_tui.widgets.panels.match_page import MatchPage, MatchStep
from secretary_tui.widgets.panels.match_rows import AgentBrief

BEST, SECOND = AgentMatch("a", "/a.md", 90, "fits"), AgentMatch("b", "/b.md", 60, "fits too")
CLEAR = Recommendation("fix it", "fix it", (BEST, SECOND), "a")
WEAK = Recommendation("fix it", "fix it", (SECOND,), None)
ENGINES = (EngineRow("api", "API"), EngineRow("local", "Local"))


def brief(*, own_tree: bool = False) -> AgentBrief:
    return AgentBrief("Read", "tiny", "here", own_tree=own_tree)


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("enter", RouteChoice(RouteAction.ACCEPT, "a", "fix it")),
        ("a", RouteChoice(RouteAction.ACCEPT, "a", "fix it")),
        ("1", RouteChoice(RouteAction.ALTERNATIVE, "b", "fix it")),
        ("escape", RouteChoice(RouteAction.CANCEL)),
        ("o", MatchStep.OTHER),
        ("e", MatchStep.EDIT),
        ("question_mark", MatchStep.WHY),
        ("2", None),
        ("w", None),
        ("m", None),
        ("t", None),
        ("x", None),
    ],
)
def test_a_key_is_an_answer_a_step_or_nothing(key: str, answer: object) -> None:
    assert MatchPage(CLEAR).press(key) == answer


def test_without_a_recommended_agent_enter_looks_at_the_first_before_it_takes_it() -> None:
    page = MatchPage(WEAK)
    assert not page.acts_on("a")
    assert page.press("a") is None
    assert page.press("enter") is MatchStep.LOOK
    assert page.press("enter") == RouteChoice(RouteAction.ALTERNATIVE, "b", "fix it")


def test_where_nothing_matches_only_other_edit_why_and_cancel_mean_something() -> None:
    page = MatchPage(Recommendation("hm", "hm", (), None))
    assert [key for key in ("enter", "a", "1", "up", "w", "m", "t") if page.press(key)] == []
    assert {hint.key for hint in page.hints} == {"o", "e", "escape", "question_mark"}


def test_a_click_goes_to_a_row_and_the_next_one_takes_it() -> None:
    page = MatchPage(CLEAR)
    assert page.click(7) is None
    assert page.click(1) is MatchStep.LOOK
    assert page.click(1) == RouteChoice(RouteAction.ALTERNATIVE, "b", "fix it")


def test_the_answer_carries_task_engine_and_working_tree() -> None:
    said: list[str] = []
    page = MatchPage(CLEAR, {"a": brief(own_tree=True)}, changed=lambda: said.append("changed"))
    page.offer_engines(ENGINES, "api")
    page.offer_own_tree()
    page.set_task("fix it well")
    assert len(said) == 3
    assert page.gets_own_tree
    assert [page.press("t"), page.press("m")] == [MatchStep.DRAW, MatchStep.ENGINE]
    assert not page.gets_own_tree
    assert page.press("enter") == RouteChoice(
        RouteAction.ACCEPT, "a", "fix it well", "local", False
    )


def test_the_models_view_does_not_take_an_edited_task_away() -> None:
    page = MatchPage(CLEAR, refining=True)
    page.refine(Recommendation("fix it", "mend the login", (BEST,), "a"), {"a": brief()}, None)
    assert (page.task, page.refining) == ("mend the login", False)
    page.set_task("mine")
    page.refine(CLEAR, {}, None)
    assert page.task == "mine"
    assert page.briefs == {"a": brief()}
