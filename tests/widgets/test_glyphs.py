"""Glyphs in ASCII: nothing is lost, nothing moves."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from secretary_tui.widgets.glyphs import AsciiGlyphs, terminal_encoding, wants_ascii

GLYPHS = "─━│╭╮╰╯▸▾●○◐✓✗❯◆•◦→↑↓…·▌▏█░⠋⠿—“”"


@pytest.mark.parametrize(
    ("drawn", "ascii_text"),
    [
        ("╭─ request ─╮", "+- request -+"),
        ("━━━━──────", "====------"),
        ("▸ ✓ Edit · 12 ms", "+ v Edit - 12 ms"),
        ("❯ why…", "> why~"),
        ("⠋ loading", "* loading"),
    ],
)
def test_a_glyph_becomes_what_means_the_same(drawn: str, ascii_text: str) -> None:
    assert AsciiGlyphs().text(drawn) == ascii_text


@given(st.text(alphabet=GLYPHS + string.ascii_letters + "äß漢字🙂", max_size=40))
def test_nothing_moves(text: str) -> None:
    assert cell_len(AsciiGlyphs().text(text)) == cell_len(text)
    in_ascii = AsciiGlyphs("ascii").text(text)
    assert in_ascii.isascii()
    assert len(in_ascii) == cell_len(text)


def test_letters_of_any_language_stay_where_the_terminal_has_them() -> None:
    assert AsciiGlyphs().text("Größe 漢字 ─") == "Größe 漢字 -"
    assert AsciiGlyphs("iso8859-1").text("Größe 漢字 ─") == "Größe ???? -"


def test_styles_and_control_codes_stay() -> None:
    segments = [Segment("a", None), Segment("─", None, [(1,)])]  # type: ignore[list-item]
    assert AsciiGlyphs().apply(segments, Color(0, 0, 0)) == segments


@pytest.mark.parametrize(
    ("environ", "encoding"),
    [
        ({}, "utf-8"),
        ({"LANG": "de_DE.UTF-8"}, "utf-8"),
        ({"LANG": "de_DE.ISO-8859-1"}, "iso8859-1"),
        ({"LANG": "C.UTF-8", "LC_ALL": "C"}, "ascii"),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, "utf-8"),
        ({"LANG": "C", "LC_CTYPE": ""}, "ascii"),
        ({"LANG": "de_DE.utf8@euro"}, "utf-8"),
        ({"LANG": "xx_XX.KLINGON-1"}, "utf-8"),
    ],
)
def test_the_locale_says_what_the_terminal_takes(environ: dict[str, str], encoding: str) -> None:
    assert terminal_encoding(environ) == encoding
    assert wants_ascii("auto", environ) is (encoding != "utf-8")
    assert wants_ascii("ascii", environ)
    assert not wants_ascii("unicode", environ)
