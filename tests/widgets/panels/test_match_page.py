"""What the keys of the match panel mean, without a screen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.content import Content

from secretary_tui.people import (
    AgentMatch,
    Continuation,
    Recommendation,
    RouteAction,
    RouteChoice,
    WorkflowMatch,
)
from secretary_tui.widgets.panels.engine_line import EngineRow
from secretary_tui.widgets.panels.match_body import match_body
from secretary_tui.widgets.panels.match_page import MatchPage, MatchStep
from secretary_tui.widgets.panels.match_rows import AgentBrief

BEST, SECOND = AgentMatch("a", "/a.md", 90, "fits"), AgentMatch("b", "/b.md", 60, "fits too")
CLEAR = Recommendation("fix it", "fix it", (BEST, SECOND), "a")
WEAK = Recommendation("fix it", "fix it", (SECOND,), None)
GOING_ON = replace(CLEAR, continuation=Continuation("r1", "sql-pro", 92, "“them” is its answer"))
ANYONE = AgentMatch("surveyor", "/s.md", 40, "finds out and explains", fallback=True)
FALLBACK = Recommendation("where is it", "where is it", (ANYONE,), None)
LESS = tuple(AgentMatch(f"c{n}", f"/c{n}.md", 48 - n, f"because {n}") for n in range(5))
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
        ("c", None),
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


def test_what_was_looked_up_is_one_line_and_a_key_leaves_it_out() -> None:
    page = MatchPage(CLEAR)
    page.add_looked_up({"a": "text.py, 3 lines of app.py"})
    assert lines(page)[0] == "with: text.py, 3 lines of app.py  c leaves it out"
    assert lines(page, 40)[0] == "with: text.py, 3…  c leaves it out"
    assert page.acts_on("c")
    assert page.press("c") is MatchStep.DRAW
    assert lines(page)[0] == "without: text.py, 3 lines of app.py  c puts it back"
    assert page.press("enter") == RouteChoice(RouteAction.ACCEPT, "a", "fix it", looks_up=False)
    page.press("down")  # Who may not read it gets nothing of it.
    assert not page.acts_on("c")
    assert not lines(page)[0].startswith("with")


def test_a_run_that_goes_on_shows_nothing_that_was_looked_up() -> None:
    page = MatchPage(GOING_ON)
    page.add_looked_up({"sql-pro": "text.py"})
    assert not page.acts_on("c")
    assert "text.py" not in "".join(lines(page))


def test_what_is_too_much_is_said_under_the_task_as_it_stands() -> None:
    page = MatchPage(CLEAR, beyond=lambda agent, task: f"{agent}: too much." * ("all" in task))
    assert "too much" not in "".join(lines(page))
    page.set_task("fix all")
    assert lines(page)[0] == "a: too much."


def test_the_models_view_does_not_take_an_edited_task_away() -> None:
    page = MatchPage(CLEAR, refining=True)
    page.refine(Recommendation("fix it", "mend the login", (BEST,), "a"), {"a": brief()}, None)
    assert (page.task, page.refining) == ("mend the login", False)
    page.set_task("mine")
    page.refine(CLEAR, {}, None)
    assert page.task == "mine"
    assert page.briefs == {"a": brief()}


def lines(page: MatchPage, width: int = 80) -> list[str]:
    """What the panel says, without its first line, the task."""
    return [line.strip() for line in str(Content.assemble(*match_body(page, width))).split("\n")][
        1:
    ]


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("enter", RouteChoice(RouteAction.CONTINUE, "sql-pro", "fix it")),
        ("1", RouteChoice(RouteAction.CONTINUE, "sql-pro", "fix it")),
        ("a", RouteChoice(RouteAction.ACCEPT, "a", "fix it")),
        ("2", RouteChoice(RouteAction.ALTERNATIVE, "b", "fix it")),
        ("3", None),
    ],
)
def test_going_on_with_the_run_before_comes_first(key: str, answer: object) -> None:
    assert MatchPage(GOING_ON).press(key) == answer


def test_going_on_is_said_with_its_confidence_and_its_reason() -> None:
    said = lines(MatchPage(GOING_ON))
    assert said[0].startswith("1 Enter • go on with sql-pro")
    assert " 92 ━━━━━━━━━─" in said[0]
    assert said[1] == "“them” is its answer"
    assert [line.split()[0] for line in said if "━" in line] == ["1", "a", "2"]
    hints = {hint.key: hint.does for hint in MatchPage(GOING_ON).hints}
    assert (hints["enter"], hints["1"]) == ("go on", "choose")


def test_a_run_that_is_gone_on_with_has_its_engine_and_its_working_tree() -> None:
    page = MatchPage(GOING_ON)
    page.offer_engines(ENGINES, "api")
    page.offer_own_tree()
    page.press("m")
    page.press("t")
    assert not page.gets_own_tree
    assert page.press("enter") == RouteChoice(RouteAction.CONTINUE, "sql-pro", "fix it")


def test_going_on_is_not_offered_when_it_is_unlikely() -> None:
    unlikely = replace(CLEAR, continuation=Continuation("r1", "sql-pro", 49, "short"))
    assert MatchPage(unlikely).press("enter") == RouteChoice(RouteAction.ACCEPT, "a", "fix it")


def test_a_row_the_user_moved_to_is_kept_beside_going_on_with_the_same_agent() -> None:
    same = replace(GOING_ON, continuation=Continuation("r1", "a", 92, "short"))
    page = MatchPage(same)
    page.press("down")
    page.refine(same, {}, None)
    assert page.press("enter") == RouteChoice(RouteAction.ACCEPT, "a", "fix it")


def test_a_generalist_has_a_heading_and_no_number() -> None:
    page = MatchPage(FALLBACK)
    heading, row, reason, foot = lines(page)
    assert heading == "no specialist fits; a generalist can:"
    assert row.split() == ["1", "•", "surveyor", "generalist"]
    assert reason == "finds out and explains"
    assert "No strong match" not in foot


def test_a_generalist_is_looked_at_before_enter_takes_it_and_has_a_digit() -> None:
    chosen = RouteChoice(RouteAction.ALTERNATIVE, "surveyor", "where is it")
    page = MatchPage(FALLBACK)
    assert page.press("a") is None
    assert page.press("1") == chosen
    assert page.press("enter") is MatchStep.LOOK
    assert page.press("enter") == chosen


def test_a_generalist_beside_weak_matches_comes_behind_them() -> None:
    said = lines(MatchPage(replace(WEAK, matches=(ANYONE, SECOND))))
    assert [said[0].split()[2], *said[2:4]] == [
        "b",
        "or a generalist:",
        "2       • surveyor   generalist  finds out and explains",
    ]


def test_space_unfolds_the_next_three_with_digits_and_folds_them_again() -> None:
    page = MatchPage(replace(CLEAR, ranking=(BEST, SECOND, *LESS)))
    assert page.press("2") is None
    assert page.press("space") is MatchStep.LOOK
    said = lines(page)
    at = said.index("less likely:")
    assert [line.split()[0] for line in said[at + 1 : at + 4]] == ["2", "3", "4"]
    assert " 48 " in said[at + 1]
    assert said[at + 1].endswith("because 0")
    assert page.press("4") == RouteChoice(RouteAction.ALTERNATIVE, "c2", "fix it")
    assert [hint.does for hint in page.hints if hint.key == "space"] == ["fewer"]
    page.press("space")
    assert "less likely:" not in lines(page)
    assert page.press("2") is None


def test_unfolding_gives_nobody_else_the_keys_that_were_there() -> None:
    command = WorkflowMatch("notes", "/n.md", 60, "fits")
    page = MatchPage(replace(GOING_ON, ranking=(BEST, SECOND, *LESS), workflow=command))
    before = {key: page.press(key) for key in ("1", "2", "a", "w", "enter")}
    page.press("space")
    assert {key: page.press(key) for key in before} == before


def test_there_is_nothing_to_unfold_among_agents_without_a_word_in_common() -> None:
    none = replace(LESS[0], confidence=0)
    page = MatchPage(replace(CLEAR, ranking=(BEST, SECOND, none, ANYONE)))
    assert page.press("space") is None
    assert "space" not in {hint.key for hint in page.hints}


def test_what_is_unfolded_is_seen_at_once_on_a_small_screen() -> None:
    many = replace(GOING_ON, ranking=(BEST, SECOND, *LESS), close="Close: a “x”, b “y”.")
    page = MatchPage(many, {"a": brief()})
    assert "Close: a “x”, b “y”." in lines(page)
    page.press("space")
    assert len(lines(page)) < 13
    assert "fits too" in lines(page)[3]
