"""The base files: events round-trip, text is cleaned, files are written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui import paths
from secretary_tui.events import (
    Notice,
    Outcome,
    RunFinished,
    RunStarted,
    TextDelta,
    Usage,
    from_json,
    to_json,
)
from secretary_tui.sanitize import clean, clean_line, oddities, reveal

STARTED = RunStarted(
    "20261120-093112-a1b2", "p:a", "/p/a.md", "ff", "do it", "Task: do it", "You are a.",
    "local", "m", ("Read",), "ask", "/p", "2026-11-20T09:31:12+00:00", 80,
)  # fmt: skip


@pytest.mark.parametrize(
    "event",
    [
        STARTED,
        TextDelta("hi\n"),
        Notice("careful", "warning"),
        RunFinished(Outcome.PARTIAL, "max_tokens", "text", Usage(1, 2, 3, 4), None, 2, 0.5),
    ],
)
def test_an_event_survives_json_with_its_type_first(event) -> None:
    line = json.dumps(to_json(event))
    assert next(iter(json.loads(line))) == "type"
    assert from_json(json.loads(line)) == event


def test_an_event_of_a_newer_version_is_none_and_extra_keys_are_ignored() -> None:
    assert from_json({"type": "mind_read"}) is None
    assert from_json({"type": "text_delta", "text": "x", "at": "now"}) == TextDelta("x")


def test_an_incomplete_event_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="text_delta"):
        from_json({"type": "text_delta"})


@given(st.text())
def test_clean_text_holds_nothing_a_terminal_obeys(text: str) -> None:
    cleaned = clean(text)
    assert not any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in cleaned)
    assert not any(c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" for c in cleaned)
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned
    assert "\n" not in clean_line(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\x1b]52;c;aGk=\x07b", "ab"),
        ("a\x1b[2Jb", "ab"),
        ("a\x9b31mb", "ab"),
        ("a\x1b]0;title\x1b\\b", "ab"),
        ("one\r\ntwo\tthree", "one\ntwo\tthree"),
        ("\ud800", "\ufffd"),
    ],
)
def test_sequences_go_and_text_stays(text: str, left: str) -> None:
    assert clean(text) == left


def test_long_runs_of_openings_are_cleaned() -> None:
    assert clean("\x1b]" * 200_000) == ""
    assert clean("\x1b[" * 200_000) == ""


def test_what_hides_in_a_command_is_shown_and_named() -> None:
    command = "git status\u200b;\x1b[8m rm -rf x" + " " * 40 + "; echo"
    assert "\\u200b" in reveal(command)
    assert "\\x1b" in reveal(command)
    assert len(oddities(command)) == 3
    assert oddities("git status") == ()


HIDDEN_CODES = (
    *(0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x1680, 0x180E, *range(0x2000, 0x2010)),
    *(0x2028, 0x2029, *range(0x202A, 0x2030), *range(0x205F, 0x2070), 0x2800, 0x3000, 0x3164),
    *(*range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0, 0xE0000, 0xE0041, 0xE007F, 0xE0100, 0xE0FFF),
)


@pytest.mark.parametrize("code", HIDDEN_CODES, ids=hex)
def test_no_character_that_shows_as_nothing_or_as_a_blank_stays_hidden(code: int) -> None:
    escape = f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    assert reveal(f"rm{chr(code)}-rf x") == f"rm{escape}-rf x"
    (warning,) = oddities(f"rm{chr(code)}-rf x")
    assert f"U+{code:04X}" in warning


def test_a_warning_names_a_few_kinds_and_says_that_there_are_more() -> None:
    (warning,) = oddities("".join(map(chr, range(0xFE00, 0xFE10))))
    assert warning.endswith("(U+FE00, U+FE01, U+FE02, U+FE03 and more)")


def test_a_line_that_runs_off_the_screen_is_named() -> None:
    assert oddities("echo " + "x" * 500) == ()
    (warning,) = oddities("echo " + "x" * 501)
    assert "500 characters without a blank" in warning


@pytest.mark.parametrize("text", ["grüße 你好 \u0627\u0644 日本語 ½ é – “x” →", "a\tb\nc"])
def test_ordinary_text_of_any_language_is_neither_changed_nor_named(text: str) -> None:
    assert reveal(text) == text
    assert oddities(text) == ()


def test_a_file_is_written_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    paths.write_atomic(path, "one")
    path.chmod(0o600)
    paths.write_atomic(path, "two")
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["file.txt"]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    target = tmp_path / "real.txt"
    target.write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    paths.write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_the_repository_root_is_the_nearest_folder_with_git(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    inner = tmp_path / "repo" / "a" / "b"
    inner.mkdir(parents=True)
    assert paths.repository_root(inner) == tmp_path / "repo"
    assert paths.repository_root(tmp_path) == tmp_path
