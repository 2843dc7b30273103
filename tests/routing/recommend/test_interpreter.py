"""When a request is unclear, and what is asked then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.people import AgentMatch, Answer
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.interpreter import Signal, fold_answers, interpret
from secretary_tui.routing.recommend.questions import questions_for
from tests.routing.library import LIBRARY, make_agent

MATCHER = LocalMatcher(LIBRARY)
BY_PATH = {str(spec.path): spec for spec in LIBRARY}


@pytest.mark.parametrize(
    ("request_", "signal"),
    [
        ("", Signal.EMPTY),
        (" \n ", Signal.EMPTY),
        ("thanks!", Signal.CHAT),
        ("hello there", Signal.CHAT),
        ("ok, great", Signal.CHAT),
        ("its slow", Signal.TOO_SHORT),
        ("fix it", Signal.TOO_SHORT),
        ("make the code better", Signal.VAGUE),
        ("improve the app layout", Signal.VAGUE),
        ("change auth and UI", Signal.SEVERAL_DOMAINS),
        ("python backend", Signal.NO_ACTION),
    ],
)
def test_ambiguity_is_noticed(request_, signal):
    found = interpret(request_)
    assert signal in found.signals
    assert not found.clear


@pytest.mark.parametrize(
    "request_",
    [
        "review auth for security",
        "fix the failing django migration tests",
        "pods keep restarting every few minutes and i dont know why",
        "no index is used by the orders query",
        "how do I profile memory?",
        "write docs for the export command",
    ],
)
def test_a_clear_request_is_left_in_peace(request_):
    assert interpret(request_).clear


def test_the_intent_is_the_request_without_control_sequences():
    assert interpret("  review \x1b[31mthis\x1b[0m\nfile ").task == "review this\nfile"


def test_answers_are_folded_in_and_skipped_ones_are_not():
    answers = (
        Answer("Which area is this about?", ("Database",), "the orders table"),
        Answer("What should be done?"),
    )
    folded = "its slow\nWhich area is this about? Database, the orders table"
    assert fold_answers("its slow", answers) == folded
    assert interpret("its slow", answers).task == folded


def test_a_request_with_an_answer_is_clear_and_with_a_skipped_one_still_is_not():
    assert interpret("its slow", (Answer("Which?", ("Database",)),)).clear
    assert not interpret("its slow", (Answer("Which?"),)).clear


def ask(request_, **kwargs):
    return questions_for(interpret(request_), MATCHER.rank(request_), BY_PATH, **kwargs)


def test_a_vague_request_is_asked_about_the_areas_its_best_agents_work_in():
    (question,) = ask("its slow")
    assert question.header == "Nearest"
    assert {option.label for option in question.options} == {"Database", "Performance"}
    assert all(option.description for option in question.options)


def test_several_domains_are_asked_for_the_first_part_each_backed_by_an_agent():
    (question,) = ask("authentication and a readme")
    assert question.header == "First part"
    backed = {option.label: option.description for option in question.options}
    assert backed == {
        "Security": "for example with security-reviewer",
        "Documentation": "for example with docs-writer",
    }


def test_a_topic_is_asked_for_the_action_with_a_different_agent_behind_each():
    agents = [
        make_agent("sql-writer", "Writes SQL queries.", "SQL.", plugin="a"),
        make_agent("sql-checker", "Reviews SQL queries.", "SQL too.", plugin="b"),
    ]
    ranking = tuple(AgentMatch(a.id, str(a.path), 40, "") for a in agents)
    by_path = {str(agent.path): agent for agent in agents}
    (question,) = questions_for(interpret("sql queries"), ranking, by_path)
    assert [(option.label, option.description) for option in question.options] == [
        ("Build it", "for example with sql-writer"),
        ("Review it", "for example with sql-checker"),
    ]


def test_an_area_is_named_without_saying_a_word_twice():
    agents = [
        make_agent("mobile-web-mobile-developer", "Improves apps.", "Apps."),
        make_agent("desktop-developer", "Improves apps.", "Apps too."),
    ]
    ranking = tuple(AgentMatch(a.id, str(a.path), 40, "") for a in agents)
    by_path = {str(agent.path): agent for agent in agents}
    (question,) = questions_for(interpret("make the app better"), ranking, by_path)
    assert [option.label for option in question.options] == ["Mobile web", "Desktop"]


@pytest.mark.parametrize("said", ["translate to French", "deploy to kubernetes", "install it"])
def test_a_short_request_with_a_verb_of_any_work_is_no_mere_topic(said: str) -> None:
    assert Signal.NO_ACTION not in interpret(said).signals


def test_nothing_is_asked_when_an_agent_leads_when_it_is_clear_or_when_nobody_is_likely():
    assert ask("secrets", settled=30) == ()
    assert ask("review auth for security") == ()
    assert ask("better lasagna") == ()
    assert ask("thanks") == ask("") == ()


@given(st.text(max_size=200))
def test_any_request_is_understood_and_asked_about_within_the_dialogs_limits(request_):
    for question in ask(request_):
        assert 1 <= len(question.header) <= 12
        assert 2 <= len(question.options) <= 4
        assert len({option.label for option in question.options}) == len(question.options)


def test_a_sentence_in_another_language_is_as_clear_as_in_english():
    assert interpret("the database query is too slow").clear
    assert interpret("die Datenbankabfrage ist zu langsam").clear
    assert interpret("mach die App besser").signals == interpret("make the app better").signals
