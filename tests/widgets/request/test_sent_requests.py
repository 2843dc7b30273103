"""Walking through the requests sent before."""

from __future__ import annotations

from secretary_tui.widgets.request.request_box import SentRequests


def test_up_goes_to_the_oldest_and_down_comes_back_to_the_unsent_text() -> None:
    sent = SentRequests()
    sent.load(("one", "two"))
    assert [sent.older("draft"), sent.older("two"), sent.older("one")] == ["two", "one", None]
    assert [sent.newer(), sent.newer(), sent.newer()] == ["two", "draft", None]


def test_a_request_sent_twice_in_a_row_stands_there_once_and_the_walk_begins_anew() -> None:
    sent = SentRequests()
    assert sent.older("draft") is None
    for text in ("one", "two", "two"):
        sent.add(text)
    sent.older("")
    sent.older("")
    sent.add("three")
    assert sent.texts == ["one", "two", "three"]
    assert sent.newer() is None
    assert sent.older("") == "three"
