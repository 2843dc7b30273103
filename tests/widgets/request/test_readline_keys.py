"""The kill ring, and what readline does to words."""

from __future__ import annotations

import pytest

from secretary_tui.widgets.request.readline_keys import MOST_KILLED, KillRing
from secretary_tui.widgets.vi.word_changes import WORD_CHANGES, swap_words


def test_kills_in_a_row_are_one_text_in_its_order() -> None:
    ring = KillRing()
    ring.kill("two ", forward=False, joins=False)
    ring.kill("one ", forward=False, joins=True)
    ring.kill("three", forward=True, joins=True)
    assert ring.current == "one two three"
    assert ring.turn() == "one two three"


def test_turning_goes_from_the_newest_to_the_oldest_and_around() -> None:
    ring = KillRing()
    assert ring.turn() == ""
    for text in ("one", "two", "three"):
        ring.kill(text, forward=True, joins=False)
    assert ring.current == "three"
    assert [ring.turn() for _ in range(4)] == ["two", "one", "three", "two"]
    ring.kill("four", forward=True, joins=False)
    assert ring.current == "four"


def test_only_the_newest_are_kept_and_nothing_is_no_kill() -> None:
    ring = KillRing()
    for number in range(MOST_KILLED + 1):
        ring.kill(str(number), forward=True, joins=False)
    ring.kill("", forward=True, joins=False)
    assert [ring.turn() for _ in range(MOST_KILLED)][-2:] == ["1", str(MOST_KILLED)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one two|", "two one|"),
        ("one| two", "two one|"),
        ("o|ne two", "two one|"),
        ("a one, |two b", "a two, one| b"),
        ("|one", "|one"),
        ("|", "|"),
    ],
)
def test_alt_t_swaps_two_words(before: str, after: str) -> None:
    at, text = before.index("|"), before.replace("|", "")
    change = swap_words(text, at)
    if change is not None:
        text, at = change.apply(text), change.cursor
    assert f"{text[:at]}|{text[at:]}" == after


@pytest.mark.parametrize(
    ("key", "after"), [("alt+u", "on E| two"), ("alt+l", "on e| two"), ("alt+c", "on E| two")]
)
def test_a_word_in_other_letters_from_the_cursor_on(key: str, after: str) -> None:
    change = WORD_CHANGES[key]("on e two", 2)
    assert change is not None
    text = change.apply("on e two")
    assert f"{text[: change.cursor]}|{text[change.cursor :]}" == after
