"""Streamed text is said in whole sentences, all of it, once, and in order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.plain.line_writer import QUOTE, LineWriter
from secretary_tui.plain.speech import LONGEST, Speech, whole_until


class Pieces(LineWriter):
    """A writer that keeps the pieces it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []

    def write(self, text: str) -> None:
        self.pieces += [text] if text else []

    def end_line(self) -> None:
        pass


class Clock:
    """Timers that ring when the test says so."""

    def __init__(self) -> None:
        self._calls: list[Callable[[], None]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> Clock:
        self._calls = [call]
        return self

    def cancel(self) -> None:
        self._calls = []

    def ring(self) -> None:
        for call in self._calls:
            call()


def spoken(*pieces: str) -> tuple[Speech, Pieces, Clock]:
    written, clock = Pieces(), Clock()
    speech = Speech(written, clock.later)
    for piece in pieces:
        speech.say(piece)
    return speech, written, clock


@given(st.lists(st.text(alphabet="ab .\n!?", max_size=5)))
def test_nothing_is_lost_doubled_or_moved(pieces: list[str]) -> None:
    speech, written, _ = spoken(*pieces)
    speech.end()
    said, told = "".join(written.pieces), "".join(pieces)
    assert said == "".join(QUOTE + line for line in told.splitlines(keepends=True))


def test_a_sentence_waits_until_it_is_whole() -> None:
    speech, written, _ = spoken("The log", "in is s", "afe. It", " was", " checked")
    assert written.pieces == ["| The login is safe."]
    speech.end()
    assert "".join(written.pieces) == "| The login is safe. It was checked"


def test_a_pause_says_the_words_that_are_there_but_no_half_word() -> None:
    _, written, clock = spoken("The login is sa")
    assert written.pieces == []
    clock.ring()
    assert written.pieces == ["| The login is "]


def test_text_without_blanks_is_said_as_it_comes() -> None:
    speech, written, _ = spoken(*["x" * 7] * LONGEST)
    assert sum(map(len, written.pieces)) > 6 * LONGEST
    assert max(map(len, written.pieces)) < 2 * LONGEST
    speech.say("登录是安全的。它")
    assert written.pieces[-1].endswith("登录是安全的。")


def test_every_line_of_a_model_is_marked_however_it_begins_one() -> None:
    speech, written, _ = spoken(
        "I look.", "\n\nAnswer yes ", "or no: \r\nRe", "quest: \x1b]0;", "x\n"
    )
    speech.end()
    speech.say("\nDone. ")
    speech.end()
    lines = "".join(written.pieces).split("\n")
    assert [line for line in lines if not line.startswith(QUOTE)] == []
    assert lines[2] == "| Answer yes or no: "


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Version 1.2 is", 0),
        ("Done. ", 5),
        ("Done.", 0),
        ("`code.` and", 7),
        ("one\ntwo", 4),
        ("Really?! Yes", 8),
    ],
)
def test_where_a_sentence_ends(text: str, whole: int) -> None:
    assert whole_until(text) == whole
