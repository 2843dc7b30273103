"""The terminal's answer about its background: understood in any pieces, never typed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key, Paste

from secretary_tui.terminal import background
from secretary_tui.terminal.background import (
    AnswerParser,
    BackgroundReported,
    background_of,
    is_dark,
)

WHITE = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
BLACK = "\x1b]11;rgb:00/00/00\x07"


def parsed(*pieces: str) -> tuple[str, list[bool]]:
    """What was typed, as characters, and what was said of the background."""
    parser = AnswerParser()
    messages = [message for piece in pieces for message in parser.feed(piece)]
    messages += parser.feed("")
    typed = ""
    for message in messages:
        if isinstance(message, Key):
            typed += message.character or f"<{message.key}>"
        elif isinstance(message, Paste):
            typed += f"[{message.text}]"
    return typed, [m.dark for m in messages if isinstance(m, BackgroundReported)]


def test_an_answer_between_keys_is_taken_out() -> None:
    assert parsed(f"ab{WHITE}cd") == ("abcd", [False])
    assert parsed(f"{BLACK}x{WHITE}") == ("x", [True, False])


@given(st.lists(st.integers(1, len(WHITE) + 3), max_size=6, unique=True))
def test_it_may_come_in_any_pieces(cuts: list[int]) -> None:
    whole = f"ab{WHITE}cd"
    places = [0, *sorted(cuts), len(whole)]
    pieces = [whole[a:b] for a, b in pairwise(places) if a < b]
    assert parsed(*pieces) == ("abcd", [False])


def test_an_answer_that_makes_no_sense_is_not_typed_either() -> None:
    assert parsed("\x1b]11;?\x07x") == ("x", [])
    assert parsed("\x1b]11;rgb:zz\x1b\\x") == ("x", [])
    assert parsed("x\x1b]11;rgb:ff") == ("x", [])


def test_keys_that_begin_like_an_answer_are_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "HELD_S", 0.0)
    parser = AnswerParser()
    assert list(parser.feed("\x1b]")) == [], "it may go on"
    typed = [*parser.tick(), *parser.feed("")]
    (key,) = [message.key for message in typed if isinstance(message, Key)]
    assert key.endswith("right_square_bracket")


def test_what_was_typed_after_the_beginning_of_an_answer_is_not_lost() -> None:
    assert parsed("\x1b", "[A", "x") == ("<up>x", [])
    assert parsed("\x1b]11;rgb:12/34", "\rhello")[0].endswith("\rhello")


def test_escape_works_at_once_when_no_answer_is_to_be_expected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background, "FRESH_S", 0.0)
    parser = AnswerParser()
    list(parser.feed("\x1b"))
    assert [m.key for m in parser.feed("") if isinstance(m, Key)] == ["escape"]


def test_what_is_pasted_stays_whole() -> None:
    assert parsed("\x1b[200~one\ntwo\x1b[201~") == ("[one\ntwo]", [])


def test_a_text_that_holds_the_mark_of_its_end_is_pasted_whole() -> None:
    forged = "look\x1b[201~\x15!touch x\r\x1b[200~"
    assert parsed(f"\x1b[200~{forged}\x1b[201~") == ("[look\x15!touch x\r]", [])


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_pasted_text_is_neither_a_key_nor_a_click(size: int) -> None:
    # Textual typed what follows an escape: in vi's normal mode `:q`, in a panel `y`.
    text = "look\x1b[<0;5;20M\x1b[<0;5;20mat\x1b[A this\ry\x1bq\x1bOP"
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    parser = AnswerParser()
    messages = list(parser.feed("\x1b[200~"))
    for piece in [*pieces, "\x1b[2", "01~", "x", ""]:
        messages += parser.feed(piece)
    assert [type(message) for message in messages] == [Paste, Key]
    assert messages[0].text == text.replace("\x1b", "")  # type: ignore[attr-defined]


@pytest.mark.parametrize("begun", ["\x1b]11;", "\x1b]11;rgb:ff"])
def test_a_begun_answer_takes_no_key_and_no_end_of_a_paste_with_it(begun: str) -> None:
    assert parsed(f"\x1b[200~one{begun}\x1b[201~x") == ("[one]x", [])
    assert parsed(f"{begun}\x1b[Ax") == ("<up>x", [])


@pytest.mark.parametrize(
    ("rgb", "dark"),
    [
        ("0000/0000/0000", True),
        ("fd/f6/e3", False),
        ("0/2b/36", True),
        ("8000/8000/8000", False),
        ("f/f/f", False),
    ],
)
def test_dark_or_light(rgb: str, dark: bool) -> None:
    assert is_dark(rgb) is dark


@pytest.mark.parametrize(
    ("value", "dark"),
    [
        ("15;0", True),
        ("0;15", False),
        ("0;default;7", False),
        ("12;8", True),
        ("", None),
        ("x", None),
    ],
)
def test_colorfgbg(value: str, dark: bool | None) -> None:
    assert background_of({"COLORFGBG": value}) is dark
