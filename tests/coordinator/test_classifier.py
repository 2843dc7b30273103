"""What kind of message it is, without a model: seed 001's examples, and requests for work."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.coordinator.classifier import classify, threshold_applied
from secretary_tui.coordinator.conversation import Exchange
from secretary_tui.coordinator.dispatch_values import IntentClassification
from secretary_tui.people import Intent

SEARCHED = (Exchange("find React libraries"),)
LISTED = (Exchange("find React libraries", "searcher", "1. redux\n2. zustand"),)


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        ("find React libraries", Intent.SEARCH),
        ("search for Python ML tools", Intent.SEARCH),
        ("show me Rust web frameworks", Intent.SEARCH),
        ("what are good alternatives to webpack? any libraries?", Intent.SEARCH),
        ("analyze Zustand", Intent.ANALYZE),
        ("deep dive into Next.js", Intent.ANALYZE),
        ("what's the quality of repo X?", Intent.ANALYZE),
        ("analyze pmndrs/zustand", Intent.ANALYZE),
        ("compare Redux vs Zustand", Intent.COMPARE),
        ("which is better: X or Y?", Intent.COMPARE),
        ("differences between A and B", Intent.COMPARE),
        ("postgres vs mysql", Intent.COMPARE),
        ("thanks", Intent.CHAT),
        ("hello", Intent.CHAT),
        ("that's helpful", Intent.CHAT),
        ("got it", Intent.CHAT),
        ("Danke!", Intent.CHAT),
        ("bonjour", Intent.CHAT),
        ("vergleiche Redux mit Zustand", Intent.COMPARE),
        ("prüfe die Anmeldung auf Sicherheitslücken", Intent.DELEGATE),
        ("what can you do?", Intent.CHAT),
        ("tell me more", Intent.CLARIFY),
        ("something else", Intent.CLARIFY),
        ("what about Y?", Intent.CLARIFY),
        ("the second one", Intent.CLARIFY),
        ("analyze it", Intent.CLARIFY),
        ("review auth for security issues", Intent.DELEGATE),
        ("analyze the performance of our login query", Intent.DELEGATE),
        ("find the memory leak in the parser", Intent.DELEGATE),
        ("find out why the build fails", Intent.DELEGATE),
        ("show the user a spinner while the list loads", Intent.DELEGATE),
        ("write a function that compares two dates", Intent.DELEGATE),
        ("make it possible to log in with a passkey", Intent.DELEGATE),
        ("fix the first page of the report", Intent.DELEGATE),
        ("why does the deploy hang? it worked yesterday", Intent.DELEGATE),
    ],
)
def test_a_message_is_taken_for_what_it_says(request_: str, kind: Intent) -> None:
    found, _ = classify(request_)
    assert found.intent is kind
    assert found.confidence >= 0.7
    assert found.reasoning


@pytest.mark.parametrize("request_", ["make the app better", "kubernetes", "improve things"])
def test_a_vague_message_is_asked_about_and_its_intent_kept(request_: str) -> None:
    found, _ = classify(request_)
    applied = threshold_applied(found, 0.7)
    assert found.intent is Intent.DELEGATE
    assert applied.intent is Intent.CLARIFY
    assert applied.confidence == found.confidence
    assert "delegate" in applied.reasoning


def test_the_threshold_decides_what_is_asked() -> None:
    found = IntentClassification(Intent.SEARCH, 0.6, "It may be a search.")
    assert threshold_applied(found, 0.7).intent is Intent.CLARIFY
    assert threshold_applied(found, 0.6) is found


def test_a_follow_up_is_a_search_like_the_one_before_it() -> None:
    found, resolved = classify("what about Python?", SEARCHED)
    assert found.intent is Intent.SEARCH
    assert resolved.text == "find React libraries\nwhat about Python?"


def test_the_second_one_is_looked_up_in_the_last_list() -> None:
    found, resolved = classify("analyze the second one", LISTED)
    assert resolved.text == "analyze zustand"
    assert resolved.follows_up
    assert found.intent is not Intent.CLARIFY


def test_an_ordinal_beyond_the_list_is_asked_about() -> None:
    found, resolved = classify("analyze the fifth one", LISTED)
    assert found.intent is Intent.CLARIFY
    assert resolved.unresolved == "the fifth one"


def test_it_is_the_only_thing_that_was_listed() -> None:
    data = {"type": "repo_detail", "repo": {"full_name": "pmndrs/zustand"}}
    found, resolved = classify("analyze it", SEARCHED, data=data)
    assert resolved.text == "analyze pmndrs/zustand"
    assert found.intent is Intent.ANALYZE


def test_replies_do_not_hide_the_request_that_they_belong_to() -> None:
    replies = tuple(
        Exchange(said, "searcher", "As you like.", is_reply=True)
        for said in ("shorter", "in French", "why?", "as a table")
    )
    _, resolved = classify("what about Python?", (*SEARCHED, *replies))
    assert resolved.text.startswith("find React libraries\n")
    assert not resolved.unresolved


@given(st.text(max_size=200), st.lists(st.text(max_size=50), max_size=4))
def test_no_text_breaks_the_classifier(request_: str, before: list[str]) -> None:
    found, resolved = classify(request_, [Exchange(text, "agent", text) for text in before])
    assert 0 <= found.confidence <= 1
    assert isinstance(resolved.text, str)


@pytest.mark.parametrize(
    "text",
    ["analyze x" + " " * 20_000 + "y", "tell me more" + " " * 20_000 + "x", "ok, " * 20_000],
)
def test_a_long_message_takes_no_longer_than_its_length(text: str) -> None:
    cpu = time.process_time()
    classify(text, SEARCHED)
    assert time.process_time() - cpu < 0.5  # A quadratic pattern takes seconds.


@pytest.mark.parametrize(
    "said",
    [
        "do the same for the API",
        "please do the same thing to the tests",
        "now the same for Python",
        "repeat that for Go",
        "mach das Gleiche für Rust",
        "haz lo mismo para las facturas",
    ],
)
def test_the_same_for_another_thing_names_what_is_the_same(said: str) -> None:
    _, resolved = classify(said, SEARCHED)
    assert resolved.text == f"{said} (the same: find React libraries)"
    assert resolved.follows_up
    found, alone = classify(said)
    assert found.intent is Intent.CLARIFY
    assert alone.unresolved


@pytest.mark.parametrize(
    "said", ["that one but for Go", "the same, but in Rust", "same but for the invoices"]
)
def test_with_a_change_it_goes_on_from_the_last_request(said: str) -> None:
    _, resolved = classify(said, SEARCHED)
    assert resolved.text == f"find React libraries\n{said}"
    assert resolved.follows_up
    found, alone = classify(said)
    assert alone.unresolved
    assert found.intent is Intent.CLARIFY


@pytest.mark.parametrize(
    "said", ["make it the same color", "it works but for large files it fails"]
)
def test_a_task_that_says_same_or_but_stands_alone(said: str) -> None:
    _, resolved = classify(said)
    assert not resolved.follows_up
