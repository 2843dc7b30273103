"""A file that says every word it can think of wins nothing by saying them more."""

from __future__ import annotations

import pytest

from secretary_tui.routing.index.lexical import Document, count_document
from secretary_tui.routing.match.matcher import LocalMatcher
from tests.routing.library import LIBRARY, make_agent

STUFF = (
    "review authentication security vulnerabilities fix failing tests parser documentation deploy "
    "kubernetes clusters refactor payment slow query indexes debug error react components "
)
TRADES = (
    "review security docker python react testing database deploy payment legal marketing mobile "
    "frontend backend cloud network data research writing design plan debug build support sales "
    "finance teaching editor game audio video image search cache queue email chat music travel"
)
REQUESTS = (
    "review the authentication for security vulnerabilities",
    "my query is slow, check the indexes",
    "plan kubernetes clusters and deploy",
    "build responsive react components",
)


def confidences(name: str, description: str, prompt: str = "Help.") -> list[int]:
    """What a stuffed agent reaches for each request, 0 where it isn't ranked."""
    stuffer = make_agent(name, description, prompt, file_name="stuffer")
    matcher = LocalMatcher((*LIBRARY, stuffer))
    return [
        next((m.confidence for m in matcher.rank(request) if m.path == str(stuffer.path)), 0)
        for request in REQUESTS
    ]


def test_saying_a_description_twenty_times_lowers_an_agent() -> None:
    once, often = confidences("boss", STUFF), confidences("boss", STUFF * 20)
    assert max(often) < 30
    assert all(more <= one for more, one in zip(often, once, strict=True))


def test_saying_a_body_fifty_times_wins_little() -> None:
    assert max(confidences("boss", "General work.", STUFF * 50)) <= 10


def test_a_name_of_every_trade_wins_little() -> None:
    assert max(confidences("-".join(STUFF.split()), "General work.")) <= 30


def test_the_thirteenth_word_of_a_name_and_the_401st_of_a_description_count_nothing() -> None:
    name = " ".join(f"word{number}" for number in range(20))
    description = " ".join(f"term{number}" for number in range(900))
    fields = count_document(Document(name, description, "")).fields
    assert [len(words) for _, words, _ in fields] == [12, 400, 0]


@pytest.mark.parametrize("words", [8, 12, 40])
@pytest.mark.parametrize("trade", ["terraform", "kafka", "graphql", "stripe"])
def test_who_names_one_trade_is_before_who_names_many(trade: str, words: int) -> None:
    many = make_agent("-".join([trade, *TRADES.split()][:words]), "Does work.")
    one = make_agent(f"{trade}-pro", "Does work!")
    for request in (trade, f"set up {trade} for us"):
        ranked = [match.agent for match in LocalMatcher((*LIBRARY, many, one)).rank(request)]
        assert ranked.index(one.id) < ranked.index(many.id)


@pytest.mark.parametrize("words", [8, 12, 40])
def test_a_word_weighs_less_in_a_long_name_than_in_a_short_one(words: int) -> None:
    other = [f"trade{number}" for number in range(words - 1)]
    long = make_agent("-".join(["terraform", *other]), "Does work.")
    short = make_agent("terraform-pro", "Does work!")
    matcher = LocalMatcher((*LIBRARY, long, short))
    scores = matcher.judge("terraform", 3).scores.lexical
    earned = {group[0].id: score for group, score in zip(matcher.groups, scores, strict=True)}
    assert earned[long.id] < earned[short.id]


def test_a_usual_length_loses_nothing() -> None:
    plain = make_agent("infrastructure-as-code-engineer", "Writes terraform modules.")
    (first, *_) = LocalMatcher((*LIBRARY, plain)).rank("write a terraform module")
    assert first.agent == plain.id
    assert first.confidence >= 50
