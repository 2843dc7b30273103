"""File names count for nobody and against nobody."""

from __future__ import annotations

import pytest

from secretary_tui.routing.words.file_names import without_files


@pytest.mark.parametrize(
    ("request_text", "left"),
    [
        ("fix the bug in calc.py", "fix the bug in"),
        ("review src/auth/login.ts and app.tsx", "review and"),
        ("upgrade to v2.5 of node.js", "upgrade to v2.5 of node.js"),
        ("what is wrong with lib/chart.js", "what is wrong with"),
        ("mail ops@shop.example about it", "mail ops@shop.example about it"),
        ("e.g. the parser", "e.g. the parser"),
        ("calc.py", "calc.py"),
    ],
)
def test_file_names_are_left_out(request_text: str, left: str) -> None:
    assert " ".join(without_files(request_text).split()) == left


@pytest.mark.parametrize("piece", ["a/", "a-", "~-.", "...", "at a."])
def test_pieces_without_end_are_no_file_names_and_take_no_time_by_their_square(piece: str) -> None:
    # 20,000 characters of it took up to five seconds; a thousand times as long, for ever.
    text = "fix calc.py " + piece * 500_000 + "b.py"
    if " " not in piece:
        assert without_files(text).split() == ["fix", piece * 500_000 + "b.py"]
    assert without_files(text).startswith("fix   ")
