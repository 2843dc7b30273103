"""Where a ranking comes from, in numbers that add up."""

from dataclasses import asdict, replace

import pytest

from secretary_tui.config import Config
from secretary_tui.people import Continuation
from secretary_tui.registry.definition.spec import SourceKind
from secretary_tui.routing.match.explanation import explain_route
from secretary_tui.routing.match.explanation_text import explanation_lines
from secretary_tui.routing.match.lessons import Example, Lesson, Origin
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.recommend.recommender import route_local
from tests.routing.library import LIBRARY, make_agent

GENERALISTS = tuple(
    make_agent(name, text, kind=SourceKind.BUNDLED)
    for name, text in (
        ("coder", "Builds and changes code."),
        ("surveyor", "Finds out how things are and explains them."),
        ("worker", "Carries out clear instructions."),
    )
)
CONFIG = Config()
MATCHER = LocalMatcher(LIBRARY)
REQUEST = "review the code for security vulnerabilities"


def explained(request=REQUEST, matcher=MATCHER, config=CONFIG):
    route = route_local(matcher, request, config)
    return explain_route(route, matcher, config)


@pytest.mark.parametrize(
    "request_",
    [
        "why is the databse query slow",
        "fix the crash in redux thunk",
        "write a readme",
        "add a button",
    ],
)
def test_the_parts_of_a_score_add_up_to_it(request_):
    matcher = LocalMatcher((*LIBRARY, *GENERALISTS, make_agent("debugger", "Finds causes.")))
    for each in explained(request_, matcher).ranking:
        assert sum(part.score for part in each.parts) == pytest.approx(each.score)


def test_what_was_learnt_adds_up_too():
    matcher = LocalMatcher(LIBRARY)
    example = Example("slow page", Origin.CHOSEN, 1.0)
    matcher.learn((Lesson("words:docs-writer", "", example),))
    for each in explained("slow page", matcher).ranking:
        assert sum(part.score for part in each.parts) == pytest.approx(each.score)


def test_a_generalist_is_not_said_to_be_short_of_a_recommendation():
    anyone = make_agent("worker", "Carries out any instruction", kind=SourceKind.BUNDLED)
    found = explained("commit my changes", LocalMatcher([*LIBRARY, anyone]))
    assert found.verdict == "no specialist fits; a generalist is offered, not recommended."


def test_the_parts_are_named_in_plain_words_the_largest_first_and_small_ones_together():
    for each in explained("why is the databse query slow").ranking:
        labels = [part.label for part in each.parts]
        assert set(labels) <= {
            *("words", "its name", "hints", "meaning", "words and meaning together"),
            *("sentences", "kind of work", "generalist", "bundled", "reads only", "other"),
        }
        assert len(set(labels)) == len(labels)
        large = [abs(part.score) for part in each.parts if part.label != "other"]
        assert large == sorted(large, reverse=True)
        assert "other" not in labels[:-1]


def test_the_kind_of_work_that_is_asked_for_is_named():
    matcher = LocalMatcher((*LIBRARY, make_agent("crash-debugger", "Finds causes of crashes.")))
    best = explained("debug the crash", matcher).ranking[0]
    (work,) = (part for part in best.parts if part.label == "kind of work")
    assert work.detail.startswith("debug 0.")


def test_it_explains_what_the_ranking_says_for_each_row():
    route = route_local(MATCHER, REQUEST, CONFIG)
    ranked = MATCHER.judge(REQUEST, len(route.ranking))
    scores = [float(ranked.scores.blended[number]) for number in ranked.order]
    assert [each.score for each in explained().ranking] == pytest.approx(scores)


def test_what_was_chosen_in_another_project_is_named_with_how_to_see_and_forget_it():
    matcher = LocalMatcher(LIBRARY)
    example = Example(REQUEST, Origin.CHOSEN, 0.5, elsewhere=True)
    matcher.learn((Lesson("words:docs-writer", "", example),))
    assert "log --all-projects" in " ".join(explanation_lines(explained(matcher=matcher)))
    assert "--all-projects" not in " ".join(explanation_lines(explained()))


def test_each_word_says_where_it_was_found_and_what_it_earned():
    best = explained().ranking[0]
    assert best.agent == "quality:security-reviewer"
    words = {word.word: word for word in best.words}
    assert {"security", "review", "code", "vulnerabilities"} <= words.keys()
    assert words["security"].fields[:2] == ("name", "description")
    assert all(word.score > 0 and word.idf > 0 for word in best.words)
    found = f"BM25F {sum(word.score for word in best.words):.2f}"
    assert found in {part.detail for part in best.parts if part.label == "words"}


def test_a_typing_error_says_what_it_was_taken_for():
    ranking = explained("review the code for securty").ranking
    (words,) = (each.words for each in ranking if each.agent == "quality:security-reviewer")
    assert ("securty", "security") in {(word.word, word.found) for word in words}


def test_the_closest_words_come_with_their_cosine():
    closest = explained().ranking[0].closest
    assert closest[0][1] >= closest[-1][1]
    assert closest[0][1] > 0.3


def test_a_bonus_is_a_part_of_its_own():
    matcher = LocalMatcher((*LIBRARY, make_agent("debugger", "Finds the cause of crashes.")))
    best = explained("why does it crash", matcher).ranking[0]
    assert [part.label for part in best.parts][-1] == "finds causes"


def test_the_shown_ones_are_not_hidden_and_the_others_say_why():
    first, *others = explained().ranking
    assert (first.shown, first.hidden) == (True, "")
    below = [each.hidden for each in others if not each.shown]
    assert below
    assert all("is below 50 (show_above)" in why for why in below)


def test_none_fits_says_so_and_which_words_nobody_knows():
    found = explained("vegan lasagna recipe")
    assert found.verdict.startswith("None fits")
    assert found.fits < found.fits_from
    assert "lasagna" in found.unknown
    assert all("no agent fits" in each.hidden for each in found.ranking)


def test_the_fit_is_what_its_parts_make_of_it():
    found = explained()
    logit = sum(part.score for part in found.fit_parts)
    assert found.fits == pytest.approx(1 / (1 + 2.718281828**-logit), abs=1e-6)


def test_nobody_recommended_names_the_threshold():
    found = explained(config=Config(recommend_above=99))
    assert "more than 99 is asked (recommend_above)" in found.verdict


def test_a_models_judgement_is_said_to_be_the_models():
    route = route_local(MATCHER, REQUEST, CONFIG)
    judged = replace(route, matches=(), recommended=None, engine="Claude API · m-1")
    found = explain_route(replace(judged, reasoning="It is about law."), MATCHER, CONFIG)
    assert found.verdict == "m-1: none of the agents fits. It is about law."
    assert found.ranking[0].hidden.startswith("the model did not name it")
    assert any("confidences are those of m-1" in row for row in lines(found, 200))


def lines(found, width=80):
    return explanation_lines(found, width)


@pytest.mark.parametrize("width", [40, 76, 120])
def test_the_text_fits_the_width_and_names_every_agent(width):
    found = explained("why is the databse query slow")
    text = lines(found, width)
    assert max(map(len, text)) <= width
    assert all(any(each.agent in row for row in text) for each in found.ranking)


def test_it_is_plain_data():
    assert asdict(explained())["ranking"][0]["words"][0]["word"]


def test_going_on_with_a_run_comes_first_with_its_reason():
    route = route_local(MATCHER, REQUEST, CONFIG)
    going_on = Continuation("r1", "sql-pro", 92, "“them” refers to its answer; 12 s later")
    told = explain_route(replace(route, continuation=going_on), MATCHER, CONFIG)
    assert explanation_lines(told)[:2] == [
        " 92 %  go on with sql-pro",
        "       since “them” refers to its answer; 12 s later",
    ]


def test_nothing_ranked_is_nothing_to_explain():
    assert explained("", MATCHER) is None


def test_a_request_in_another_language_is_said_to_be_read_as_english():
    german = explained("die Datenbankabfrage ist zu langsam")
    assert german.read_as == "database query slow"
    assert "Read as: database query slow" in explanation_lines(german)
    assert not explained("slow query").read_as
