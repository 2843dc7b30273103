"""What choices do to the ranking, and what they never do."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.config import Config
from secretary_tui.people import RouteAction, RouteChoice
from secretary_tui.routing.index.arithmetic import PlainArithmetic
from secretary_tui.routing.match.explanation import explain_route
from secretary_tui.routing.match.learned import MOST_BONUS, AnalysedRequest, Lift, prepare
from secretary_tui.routing.match.lessons import (
    ELSEWHERE,
    PASSED_OVER,
    WRITTEN,
    Example,
    Lesson,
    Origin,
)
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.recommender import route_local
from secretary_tui.secretary import Secretary
from secretary_tui.sessions.decisions import DecisionLog, new_decision
from secretary_tui.sessions.past import about, forget, read_decisions
from secretary_tui.verbs.hook_library import open_library
from tests.routing.index.test_routing_index import LARGE
from tests.routing.library import LIBRARY, make_agent

SLOW = "slow page in the shop"
OBVIOUS = "review the code for security vulnerabilities"
FRONTEND, DOCS, SECURITY = (
    "web:frontend-developer",
    "words:docs-writer",
    "quality:security-reviewer",
)
FOREIGN = ("vegan lasagna recipe", "who won the world cup", "my plant has yellow leaves", "hello")


def chosen(agent: str, request: str, times: int = 1, weight: float = 1.0) -> Lesson:
    return Lesson(agent, "", Example(request, Origin.CHOSEN, times * weight, times))


def passed_over(agent: str, request: str, times: int = 1) -> Lesson:
    return Lesson(agent, "", Example(request, Origin.PASSED_OVER, times * PASSED_OVER, times))


def taught(*lessons: Lesson) -> LocalMatcher:
    matcher = LocalMatcher(LIBRARY)
    matcher.learn(lessons)
    return matcher


def sure_of(matcher: LocalMatcher, agent: str, request: str) -> int:
    return next(m.confidence for m in matcher.rank(request, len(LIBRARY)) if m.agent == agent)


def test_a_request_like_one_that_was_given_to_an_agent_goes_to_it_again():
    assert LocalMatcher(LIBRARY).rank(SLOW)[0].agent != FRONTEND
    matcher = taught(chosen(FRONTEND, SLOW))
    for request in (SLOW, "the shop page is slow again", "Why is the shop's page slow?"):
        first = matcher.rank(request)[0]
        assert first.agent == FRONTEND, request
        assert first.reason.startswith("you chose it for “slow page in the shop”")


def test_a_request_that_was_accepted_before_is_close_to_certain():
    before = sure_of(LocalMatcher(LIBRARY), "web:frontend-developer", "fix the layout on phones")
    assert before < 80
    matcher = taught(chosen(FRONTEND, "fix the layout on phones"))
    assert sure_of(matcher, FRONTEND, "fix the layout on phones") >= 90


def test_one_odd_choice_does_not_overturn_an_obvious_agent_and_several_do():
    def first(times: int) -> str:
        odd = (chosen(DOCS, OBVIOUS, times), passed_over(SECURITY, OBVIOUS, times))
        return taught(*odd).rank(OBVIOUS)[0].agent

    assert sure_of(LocalMatcher(LIBRARY), SECURITY, OBVIOUS) > 70
    assert first(1) == SECURITY
    assert first(2) == first(5) == DOCS


@pytest.mark.parametrize(
    "again",
    [
        OBVIOUS,
        "please review our code for security vulnerabilities",
        "review the security of the code, vulnerabilities first",
    ],
)
def test_one_deliberate_choice_is_seen_and_two_are_recommended(again):
    plain = LocalMatcher(LIBRARY).rank(again)
    assert sure_of(LocalMatcher(LIBRARY), DOCS, again) < 50
    for times, place in ((1, 1), (2, 0), (3, 0)):
        lessons = (chosen(DOCS, OBVIOUS, times), passed_over(SECURITY, OBVIOUS, times))
        rows = taught(*lessons).rank(again)
        assert rows[place].agent == DOCS
        assert rows[place].confidence >= (plain[0].confidence if place == 0 else 50)


def test_choosing_another_costs_the_right_agents_a_few_points_and_no_place_among_themselves():
    plain = {row.agent: row.confidence for row in LocalMatcher(LIBRARY).rank(OBVIOUS)}
    for times in (1, 2, 5, 20):
        lessons = (chosen(DOCS, OBVIOUS, times), passed_over(SECURITY, OBVIOUS, times))
        rows = taught(*lessons).rank(OBVIOUS)
        assert [row.agent for row in rows if row.agent != DOCS] == [a for a in plain if a != DOCS]
        for row in rows:
            assert row.confidence >= plain[row.agent] - 5, (times, row.agent)


def test_a_choice_in_another_project_is_said_to_be_one():
    elsewhere = Example(SLOW, Origin.CHOSEN, ELSEWHERE, 1, elsewhere=True)
    rows = taught(Lesson(FRONTEND, "", elsewhere)).rank(SLOW)
    assert rows[0].reason.startswith(
        "you chose it for “slow page in the shop” (in another project)"
    )
    rows = taught(Lesson(FRONTEND, "", elsewhere), chosen(FRONTEND, SLOW)).rank(SLOW)
    assert "another project" not in rows[0].reason


def test_what_was_chosen_is_found_however_many_others_fit_better():
    rivals = [make_agent(f"payment-{n}", f"Works on payments, part {n}.") for n in range(60)]
    matcher = LocalMatcher([*rivals, make_agent("gardener", "Prunes trees and hedges.")])
    matcher.learn((chosen("gardener", "work on the payments", 3),))
    assert matcher.rank("work on the payments")[0].agent == "gardener"


def test_the_reason_counts_the_choices():
    rows = taught(chosen(FRONTEND, SLOW, 3)).rank(SLOW)
    assert rows[0].reason.startswith("you chose it 3 times, such as for “slow page in the shop”")
    rows = taught(chosen(DOCS, OBVIOUS), passed_over(SECURITY, OBVIOUS)).rank(OBVIOUS)
    reason = next(row.reason for row in rows if row.agent == SECURITY)
    assert reason.startswith("“Reviews code for ")


def test_the_bonus_is_a_part_of_the_score_with_a_name():
    ranked = taught(chosen(FRONTEND, SLOW, 2)).judge(SLOW, 3)
    number = ranked.order[0]
    (bonus,) = ranked.bonuses[number]
    assert bonus.label == "you chose it twice for such requests"
    plain = LocalMatcher(LIBRARY).judge(SLOW, 3).scores.blended[number]
    assert ranked.scores.blended[number] == pytest.approx(plain + bonus.score)


def test_the_explanation_says_what_an_earlier_choice_did_to_the_confidence():
    matcher = taught(chosen(FRONTEND, OBVIOUS, 9), passed_over(SECURITY, OBVIOUS, 9))
    explained = explain_route(route_local(matcher, OBVIOUS, Config()), matcher, Config())
    rows = {row.agent: row for row in explained.ranking}
    first = rows[FRONTEND]
    assert "you chose it 9 times for such requests" in [part.label for part in first.parts]
    (asked,) = (part for part in first.confidence_parts if part.label == "asked before")
    assert asked.score > 0
    assert asked.detail.endswith(f"→ {first.confidence} %")
    (instead,) = (part for part in rows[SECURITY].confidence_parts if part.label == "asked before")
    assert instead.score < 0


def test_forgetting_undoes_it():
    matcher = taught(chosen(DOCS, OBVIOUS, 9))
    assert matcher.rank(OBVIOUS)[0].agent == DOCS
    matcher.learn(())
    assert matcher.rank(OBVIOUS) == LocalMatcher(LIBRARY).rank(OBVIOUS)


def test_what_counts_less_lifts_less():
    def bonus(weight: float) -> float:
        matcher = taught(chosen(DOCS, SLOW, weight=weight))
        (lift,) = matcher.judge("a slow shop for visitors of another website", 8).lifts.values()
        return lift.bonus

    assert 0 < bonus(0.25) < bonus(ELSEWHERE) < bonus(1.0) < bonus(3.0) < MOST_BONUS


def test_a_typing_error_in_either_request_does_not_hide_the_other():
    for first, again in (
        ("tutorail about layuots for widgetry", "tutorail about layuots for widgetry"),
        ("accessibility of responsive layouts", "accessiblity of responsive layuots"),
    ):
        (lift,) = taught(chosen(DOCS, first)).judge(again, 8).lifts.values()
        assert lift.certainty > 0.89, again


def test_words_that_no_dictionary_knows_tell_requests_apart():
    (lift,) = (
        taught(chosen(DOCS, "zorbing frobnicator page"))
        .judge("zorbing frobnicator page", 8)
        .lifts.values()
    )
    (other,) = taught(chosen(DOCS, "zorbing frobnicator page")).judge(
        "quuxing wibblers page", 8
    ).lifts.values() or [Lift(0, 0, 0, 0, 0, False)]
    assert lift.certainty > 0.85
    assert other.certainty < 0.05


WORDS = ("slow", "page", "shop", "review", "login", "query", "index", "pod", "react", "tests")
REQUESTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
LESSONS = st.lists(
    st.builds(
        lambda agent, request, times, up: (chosen if up else passed_over)(agent, request, times),
        st.sampled_from([spec.id for spec in LIBRARY]),
        REQUESTS,
        st.integers(1, 30),
        st.booleans(),
    ),
    max_size=12,
)
MATCHER = LocalMatcher(LIBRARY)
PLAIN = LocalMatcher(LIBRARY)


@given(LESSONS, st.sampled_from((*FOREIGN, "owasp injection", "valgrind pointers", "helm charts")))
def test_learning_changes_nothing_for_a_request_that_shares_no_word(lessons, request_):
    MATCHER.learn(tuple(lessons))
    assert MATCHER.rank(request_) == PLAIN.rank(request_)


@given(LESSONS, REQUESTS)
def test_whatever_was_learnt_confidences_stay_in_range_and_order(lessons, request_):
    MATCHER.learn(tuple(lessons))
    rows = MATCHER.rank(request_)
    sure = [row.confidence for row in rows]
    assert sure == sorted(sure, reverse=True)
    assert all(0 <= value <= 99 for value in sure)
    for lift in MATCHER.judge(request_, 8).lifts.values():
        assert 0 <= lift.certainty <= 1
        assert 0 <= lift.doubt <= 1


@given(st.lists(st.sampled_from(WORDS), min_size=2, max_size=6, unique=True), st.integers(1, 9))
def test_nothing_changes_for_a_foreign_request_that_shares_one_word(known, times):
    MATCHER.learn(tuple(chosen(spec.id, " ".join(known), times) for spec in LIBRARY))
    for foreign in ("the shop sells vegan lasagna", "a page of my cooking book"):
        assert MATCHER.rank(foreign) == PLAIN.rank(foreign)


def test_both_arithmetics_learn_alike():
    lessons = tuple(
        chosen(spec.id, f"{spec.description} again", number % 3 + 1)
        for number, spec in enumerate(LARGE)
    )
    fast, plain = LocalMatcher(LARGE), LocalMatcher(LARGE)
    plain.index.arithmetic = PlainArithmetic()
    plain.index._matrix = plain.index.arithmetic.matrix(plain.index.vectors)
    for matcher in (fast, plain):
        matcher.learn(lessons)
    for request in (LARGE[3].description, "again and again", SLOW):
        assert fast.rank(request) == plain.rank(request)


def test_a_new_lesson_analyses_its_request_alone_and_keeps_the_index():
    matcher = taught(chosen(DOCS, OBVIOUS))
    matcher.rank(SLOW)
    index, known = matcher.index, dict(matcher._requests)
    matcher.learn((chosen(DOCS, OBVIOUS), chosen(FRONTEND, SLOW)))
    matcher.rank(SLOW)
    assert matcher.index is index
    assert matcher._requests[OBVIOUS] is known[OBVIOUS]
    assert set(matcher._requests) == {OBVIOUS, SLOW}


def test_a_kept_analysis_is_not_made_again():
    kept: dict[str, AnalysedRequest] = {}
    examples = [(0, Example("slow page", Origin.CHOSEN, 1.0))]
    first, kept = prepare(examples, kept, PlainArithmetic())
    second, _ = prepare(examples, kept, PlainArithmetic())
    assert second.analysed[0] is first.analysed[0]


def test_a_matcher_made_from_another_knows_its_lessons():
    before = taught(chosen(FRONTEND, SLOW))
    before.rank(SLOW)
    after = LocalMatcher(LIBRARY[:6], before)
    assert after.rank(SLOW)[0].agent == FRONTEND


def test_the_requests_in_a_description_count_and_say_so():
    told = '<example>\nuser: "my sourdough starter smells odd"\nassistant: "…"\n</example>'
    baker = make_agent("crumb", f"Looks after dough. {told}", "Flour and water.")
    silent = replace(baker, description="Looks after dough.")
    request = "the sourdough starter smells odd today"
    lifted = LocalMatcher([*LIBRARY, baker]).rank(request)[0]
    assert lifted.agent == "crumb"
    assert "its description has such a request" in lifted.reason
    assert lifted.confidence > LocalMatcher([*LIBRARY, silent]).rank(request)[0].confidence
    assert WRITTEN < 1


# ------------------------------------------------------------------ the service


@pytest.fixture
def secretary(tmp_path):
    agents = tmp_path / "agents"
    agents.mkdir()
    for spec in LIBRARY:
        text = f"---\nname: {spec.name}\ndescription: {json.dumps(spec.description)}\n---\n"
        (agents / f"{spec.name}.md").write_text(text + spec.prompt)
    project = tmp_path / "project"
    project.mkdir()
    config = Config(bundled_agents=False)
    made = Secretary(project, config, agents_dirs=[agents], offline=True)
    made.load()
    return made


def choose(secretary: Secretary, request: str, agent: str) -> str:
    decision = new_decision(secretary.library.route_local(request), conversation="c")
    log = DecisionLog.of(secretary.project)
    log.add(decision)
    log.choose(decision.id, RouteChoice(RouteAction.OTHER, agent, request))
    return decision.id


def forget_everything() -> None:
    past = read_decisions(None)
    forget(past, [decision.id for decision in past.decisions])


def test_the_secretary_learns_from_its_log_and_forgets(secretary):
    plain = secretary.library.route_local(SLOW).ranking
    decision = choose(secretary, SLOW, "frontend-developer")
    learnt = secretary.library.route_local(SLOW)
    assert learnt.ranking[0].agent == "frontend-developer"
    assert "you chose it for “slow page in the shop” (today)" in learnt.ranking[0].reason
    forget(read_decisions(secretary.project), [decision])
    assert secretary.library.route_local(SLOW).ranking == plain


def test_forgetting_an_agent_takes_the_choices_that_taught_about_it(secretary):
    choose(secretary, SLOW, "frontend-developer")
    choose(secretary, "a tutorial for pods", "docs-writer")
    past = read_decisions(secretary.project)
    gone = about(past.decisions, "frontend-developer")
    assert len(gone) == 1
    forget(past, [decision.id for decision in gone])
    (left,) = DecisionLog.of(secretary.project).load()
    assert left.agent == "docs-writer"
    forget_everything()
    assert DecisionLog.of(secretary.project).load() == ()


def test_another_project_of_the_user_is_learnt_from_and_forgotten_with_the_rest(
    secretary, tmp_path
):
    other = tmp_path / "other"
    other.mkdir()
    plain = secretary.library.route_local(SLOW).ranking
    decision = replace(
        new_decision(secretary.library.route_local(SLOW), conversation="c"),
        action="other",
        agent="frontend-developer",
    )
    DecisionLog.of(other).add(decision)
    again = Secretary(
        secretary.project,
        secretary.config,
        agents_dirs=secretary.library._agents_dirs,
        offline=True,
    )
    again.load()
    assert again.library.route_local(SLOW).ranking[0].agent == "frontend-developer"
    forget_everything()
    assert again.library.route_local(SLOW).ranking == plain


def test_a_hook_ranks_by_the_agents_files_alone(secretary):
    choose(secretary, SLOW, "frontend-developer")
    dirs = secretary.library._agents_dirs
    for _ in ("made", "stored"):
        library = open_library(secretary.project, secretary.config, dirs)
        ranking = library.route(SLOW, secretary.config).ranking
        assert not any("you chose" in row.reason for row in ranking)
        assert ranking[0].agent == "performance-engineer"


def test_learning_imports_neither_numpy_nor_pydantic():
    code = (
        "import sys; import secretary_tui.routing.match.lessons; "
        "print({'pydantic', 'numpy', 'anthropic', 'textual', 'rapidfuzz'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
