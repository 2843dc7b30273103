"""The second look at a ranking's best: names, kinds of work, generalists."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from secretary_tui.registry.definition.spec import SourceKind
from secretary_tui.routing.index.arithmetic import PlainArithmetic
from secretary_tui.routing.index.numpy_arithmetic import NumpyArithmetic
from secretary_tui.routing.index.routing_index import RoutingIndex
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.match.reranker import (
    GENERALIST,
    GENERALISTS,
    READS_ONLY,
    WEIGHTS,
    agent_traits,
    describe,
    is_generalist,
    reads_only,
    reranker_weights,
)
from secretary_tui.routing.match.work import ROLES, Work
from secretary_tui.routing.words.request_reading import read_request
from tests.routing.index.test_routing_index import LARGE
from tests.routing.library import LIBRARY, make_agent

BUNDLED = tuple(
    make_agent(name, f"Does what a {name} does.", kind=SourceKind.BUNDLED)
    for name in sorted(GENERALISTS)
)
MATCHER = LocalMatcher((*LIBRARY, *BUNDLED))
REQUESTS = ("review the login", "why is the query slow", "rename the file", "kafka", "a readme")
BOTH = pytest.mark.parametrize("sentences", [False, True])


def shortlist(request: str, matcher: LocalMatcher = MATCHER):
    return matcher.judge(request, 20).shortlist


@pytest.mark.parametrize("trade", ["terraform", "kafka", "graphql", "stripe", "ansible"])
def test_a_names_whole_match_wins_over_a_mention_in_a_description_or_body(trade: str) -> None:
    agents = (
        make_agent(f"{trade}-pro", "Does work."),
        make_agent("helper", "Does something.", f"Knows all about {trade}. " * 3),
        make_agent("other-pro", f"Works with {trade}."),
    )
    for request in (trade, f"help me with {trade}"):
        assert LocalMatcher((*LIBRARY, *agents)).rank(request)[0].agent == f"{trade}-pro"


def test_who_does_the_work_that_is_asked_for_wins_over_who_knows_the_field() -> None:
    agents = [
        make_agent(f"payment-{role}", "Works on payments and refunds in the shop.")
        for role in ("reviewer", "debugger", "tester")
    ]
    matcher = LocalMatcher((*LIBRARY, *agents))
    for request, agent in (
        ("look over my changes to the refunds", "payment-reviewer"),
        ("why do refunds fail since monday", "payment-debugger"),
        ("cover the refunds with tests", "payment-tester"),
    ):
        assert matcher.rank(request)[0].agent == agent


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_score_is_the_sum_of_what_is_counted(request_: str) -> None:
    found = shortlist(request_)
    weights = reranker_weights(sentences=False)
    for number, score in found.scores(weights).items():
        assert sum(part for _, part in found.counted(number, weights)) == pytest.approx(score)


@pytest.mark.parametrize("request_", REQUESTS)
def test_both_arithmetics_describe_and_score_the_same(request_: str) -> None:
    matcher, reading = LocalMatcher(LARGE), read_request(request_)
    numbers = range(len(matcher))
    traits = [agent_traits(spec) for spec, *_ in matcher.groups]
    scores = []
    for arithmetic in (PlainArithmetic(), NumpyArithmetic()):
        index = RoutingIndex(matcher.index.lexical, matcher.index.vectors, arithmetic)
        scored = index.score(reading.text, hints=reading.hints)
        found = describe(reading.text, numbers, traits.__getitem__, index, scored)
        scores.append(found.scores(reranker_weights(sentences=False)))
    plain, numpy = scores
    assert plain == pytest.approx(numpy, rel=1e-6, abs=1e-6)


def test_generalists_are_always_looked_at() -> None:
    matcher = LocalMatcher((*LARGE, *BUNDLED))
    found = matcher.judge("kubernetes namespaces", 5).shortlist
    marked = [number for number, each in found.candidates.items() if GENERALIST in each.marks]
    assert {matcher.groups[number][0].name for number in marked} == GENERALISTS
    assert {row.agent for row in matcher.rank("kubernetes", 5, generalists=True)} > GENERALISTS


def test_only_what_comes_along_is_a_generalist() -> None:
    assert all(map(is_generalist, BUNDLED))
    assert not is_generalist(make_agent("worker", "Mine.", kind=SourceKind.USER))
    assert not is_generalist(make_agent("debugger", "Ours.", kind=SourceKind.BUNDLED))


@pytest.mark.parametrize(
    ("tools", "reading"),
    [
        (("Read", "Grep", "Glob"), True),
        (("Read", "Bash"), False),
        (("Read", "Edit"), False),
        (None, False),
    ],
)
def test_who_can_neither_change_nor_run_anything_reads_only(tools, reading) -> None:
    spec = replace(LIBRARY[0], tools=tools)
    assert reads_only(spec) is reading
    assert (READS_ONLY in agent_traits(spec).marks) is reading


def test_a_name_of_every_trade_has_no_role_and_its_words_count_less() -> None:
    many = agent_traits(make_agent("review-test-debug-write-design-plan-build-data", "Does it."))
    few = agent_traits(make_agent("code-reviewer", "Does it."))
    assert not many.marks & ROLES.keys()
    assert few.marks & ROLES.keys() == {"review"}
    assert many.name_share < few.name_share == 1


@BOTH
def test_every_weight_is_of_a_feature_that_exists(sentences: bool) -> None:
    weights = reranker_weights(sentences)
    numbers = {name for each in shortlist("review").candidates.values() for name in each.numbers}
    assert set(weights.numbers) == numbers
    marks = {*ROLES, "area", GENERALIST, READS_ONLY, "bundled"}
    for name, weight in weights.marks.items():
        mark = name
        for kind in Work:
            mark = mark.removesuffix(f" {kind}")
        assert mark in marks or mark.startswith("bundled ") or name in marks, name
        assert -20 < weight < 20


def test_the_file_of_weights_holds_two_sets_and_nothing_else() -> None:
    read = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert set(read) == {"words", "sentences"}
    assert all(set(each) == {"numbers", "marks"} for each in read.values())
    assert read["words"]["numbers"]["sentences"] == 0
