"""What a person is shown of a ranking."""

from secretary_tui.config import Config
from secretary_tui.people import AgentMatch, Answer, QuestionAbout
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.advice import NO_AGENTS, AdviceKind, advice_for
from secretary_tui.routing.recommend.interpreter import interpret
from secretary_tui.routing.recommend.recommender import recommend, route_local
from tests.routing.library import LIBRARY

MATCHER = LocalMatcher(LIBRARY)


def rows(**confidences):
    return [
        AgentMatch(name.replace("_", "-"), f"/{name}.md", sure, "words")
        for name, sure in confidences.items()
    ]


def decide(ranking, **settings):
    return recommend(interpret("review it all"), ranking, config=Config(**settings))


def test_above_70_is_recommended_and_from_50_shown():
    made = decide(rows(a=71, b=50, c=49))
    assert made.recommended == "a"
    assert [match.agent for match in made.matches] == ["a", "b"]
    assert len(made.ranking) == 3


def test_exactly_70_is_an_alternative():
    made = decide(rows(a=70))
    assert made.recommended is None
    assert len(made.matches) == 1


def test_thresholds_come_from_the_settings():
    made = decide(rows(a=40, b=20), recommend_above=30, show_above=10)
    assert made.recommended == "a"
    assert len(made.matches) == 2


def test_three_alternatives_at_most():
    assert len(decide(rows(a=99, b=98, c=97, d=96, e=95)).matches) == 4


def test_a_preferred_reviewer_wins_a_tie_of_reviewers():
    ranking = rows(style_reviewer=80, code_reviewer=76, other=60)
    made = decide(ranking, preferred_review_agents=("code-reviewer",))
    assert made.recommended == "code-reviewer"
    assert [match.confidence for match in made.matches] == [80, 80, 60]
    assert made.matches[0].reason.endswith("preferred reviewer")


def test_a_preferred_reviewer_wins_neither_from_afar_nor_over_another_trade():
    far = decide(
        rows(style_reviewer=80, code_reviewer=70), preferred_review_agents=("code-reviewer",)
    )
    assert far.recommended == "style-reviewer"
    trade = decide(rows(debugger=80, code_reviewer=79), preferred_review_agents=("code-reviewer",))
    assert trade.recommended == "debugger"


def test_local_routing_says_what_was_understood_who_fits_and_how_long_it_took():
    made = route_local(MATCHER, "review the code for security vulnerabilities", Config())
    assert made.recommended == "quality:security-reviewer"
    assert made.task == made.request
    assert made.engine == "local"
    assert made.questions == ()
    assert made.elapsed_ms > 0


def test_an_answer_decides_and_is_not_asked_for_again():
    unclear = route_local(MATCHER, "its slow", Config())
    assert [question.about for question in unclear.questions] == [QuestionAbout.OBJECT]
    answers = (
        Answer(unclear.questions[0].question, ("the database",), about=QuestionAbout.OBJECT),
    )
    made = route_local(MATCHER, "its slow", Config(), answers)
    assert made.ranking[0].agent == "data:database-optimizer"
    assert made.ranking[0].confidence > unclear.ranking[0].confidence
    assert made.questions == ()
    assert made.task == "its slow\nIt is about the database."


def test_skipping_the_questions_goes_on_with_the_same_ranking():
    unclear = route_local(MATCHER, "its slow", Config())
    skipped = route_local(MATCHER, "its slow", Config(), (Answer(unclear.questions[0].question),))
    assert skipped.questions == ()
    assert skipped.ranking == unclear.ranking


def test_no_agents_and_no_match_are_sentences_with_suggestions():
    made = route_local(MATCHER, "lasagna recipe with tofu, basil and a cream sauce", Config())
    assert made.matches == ()
    advice = advice_for(made, len(MATCHER))
    assert advice.kind is AdviceKind.NO_MATCH
    assert advice.message == "No suitable agent found for your request."
    assert advice.suggestions[0].startswith("Closest: ")
    nobody = advice_for(route_local(MATCHER, "xyzzy", Config()), len(MATCHER))
    assert nobody.suggestions[0] == "Describe your task more specifically"
    assert advice_for(route_local(LocalMatcher([]), "review", Config()), 0) is NO_AGENTS


def test_a_recommendation_with_matches_needs_no_advice():
    assert advice_for(decide(rows(a=90)), 1) is None
