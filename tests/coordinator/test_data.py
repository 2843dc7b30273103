"""Structured data of messages: scores, references, and what comes back from disk."""

from __future__ import annotations

import pytest

from secretary_tui.codec import from_json, to_json
from secretary_tui.coordinator.context import data_of_answer
from secretary_tui.coordinator.data import WEIGHTS, DimensionScores, named_items, read_data
from secretary_tui.coordinator.referents import listed_items
from secretary_tui.people import AgentMatch, Option, Question, Recommendation


def test_the_overall_score_is_a_mean_although_the_weights_sum_to_more() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.2)
    best = DimensionScores(**dict.fromkeys(WEIGHTS, 10.0))
    assert best.overall == pytest.approx(10)


@pytest.mark.parametrize("data", [None, {}, {"type": "other"}, {"type": "repo_list"}, "x", 3])
def test_data_of_another_shape_is_none(data: object) -> None:
    assert read_data(data) is None


def test_names_are_found_in_every_kind_of_data() -> None:
    item = {"full_name": "a/b"}
    assert named_items({"type": "repo_list", "items": [item]}) == ("a/b",)
    assert named_items({"type": "repo_detail", "repo": item}) == ("a/b",)
    assert named_items({"type": "comparison", "items": [{"repo": item}]}) == ("a/b",)
    asked = {"type": "clarification", "question": "Which?", "options": ["x", "y"]}
    assert named_items(asked) == ("x", "y")


ANSWER = (
    "Here they are:\n\n1. **Redux**: big\n2. [Zustand](https://z) – small\n3. `jotai`\n- MobX: old"
)


def test_a_list_in_an_answer_can_be_pointed_at() -> None:
    assert listed_items(ANSWER) == ("Redux", "Zustand", "jotai", "MobX")
    data = data_of_answer("search", ANSWER)
    assert read_data(data) is not None
    assert named_items(data) == ("Redux", "Zustand", "jotai", "MobX")


def test_an_analysis_is_about_the_repository_it_names() -> None:
    data = data_of_answer("analyze", "pmndrs/zustand is small and well kept.")
    assert named_items(data) == ("pmndrs/zustand",)


def test_a_recommendation_survives_json() -> None:
    question = Question("Which?", "Part", (Option("a", "first"), Option("b")))
    made = Recommendation(
        "r", "i", (AgentMatch("a", "/a.md", 90, "why", ("/b.md",)),), "a", questions=(question,)
    )
    assert from_json(Recommendation, to_json(made)) == made


@pytest.mark.parametrize(
    "change",
    [{"matches": 3}, {"matches": [{"agent": "a"}]}, {"elapsed_ms": "soon"}, {"request": None}],
)
def test_a_tampered_recommendation_is_refused(change: dict[str, object]) -> None:
    data = {**to_json(Recommendation("r", "i", (), None)), **change}
    with pytest.raises(ValueError, match=r"expected|incomplete"):
        from_json(Recommendation, data)
