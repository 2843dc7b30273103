"""The keys of vi: what each does to a text and a place, and that none leaves the text's bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.widgets.vi_keys import Change, ViKeys, ViMode


def play(keys: str, marked: str) -> str:
    """Press keys in normal mode on a text in which `|` is the cursor; gives the same."""
    vi = ViKeys()
    at, text = marked.index("|"), marked.replace("|", "")
    vi.escape(text, at + 1)
    for key in keys:
        change = vi.press(key, text, at)
        assert change is not None
        text = text[: change.start] + change.insert + text[change.end :]
        at = change.cursor
    return f"{text[:at]}|{text[at:]}"


@pytest.mark.parametrize(
    ("keys", "before", "after"),
    [
        ("l", "a|bc", "ab|c"),
        ("9l", "|abc", "ab|c"),
        ("2h", "ab|c", "|abc"),
        ("j", "ab|c\nde", "abc\nd|e"),
        ("k", "abc\n|de", "|abc\nde"),
        ("w", "|one two", "one |two"),
        ("2w", "|one two three", "one two |three"),
        ("w", "o|ne\ntwo", "one\n|two"),
        ("w", "|f(x)", "f|(x)"),
        ("b", "one tw|o", "one |two"),
        ("b", "one |two", "|one two"),
        ("e", "|one two", "on|e two"),
        ("e", "on|e two", "one tw|o"),
        ("0", "  on|e", "|  one"),
        ("^", "  on|e", "  |one"),
        ("$", "|one\ntwo", "on|e\ntwo"),
        ("gg", "one\nt|wo", "|one\ntwo"),
        ("G", "o|ne\ntwo", "one\n|two"),
        ("2G", "o|ne\ntwo\nthree", "one\n|two\nthree"),
        ("x", "a|bc", "a|c"),
        ("2x", "|abc", "|c"),
        ("x", "ab|c", "a|b"),
        ("X", "ab|c", "a|c"),
        ("dw", "one |two three", "one |three"),
        ("dw", "one |two\nthree", "one| \nthree"),
        ("d2w", "|one two three", "|three"),
        ("2dw", "|one two three", "|three"),
        ("db", "one two |three", "one |three"),
        ("de", "|one two", "| two"),
        ("D", "on|e\ntwo", "o|n\ntwo"),
        ("dd", "one\nt|wo\nthree", "one\n|three"),
        ("dd", "one\nt|wo", "|one"),
        ("dd", "o|ne", "|"),
        ("2dd", "o|ne\ntwo\nthree", "|three"),
        ("dj", "o|ne\ntwo\nthree", "|three"),
        ("dG", "one\nt|wo\nthree", "|one"),
        ("dgg", "one\nt|wo\nthree", "|three"),
        ("cw", "one |two three", "one | three"),
        ("cw", "|a b", "| b"),
        ("cc", "one\nt|wo", "one\n|"),
        ("C", "on|e", "on|"),
        ("yyp", "o|ne\ntwo", "one\n|one\ntwo"),
        ("yyP", "one\nt|wo", "one\n|two\ntwo"),
        ("ywP", "|one two", "one| one two"),
        ("dwp", "|one two", "tone| wo"),
        ("ddp", "o|ne\ntwo", "two\n|one"),
        ("yy2p", "o|ne", "one\n|one\none"),
        ("i", "o|ne", "o|ne"),
        ("a", "on|e", "one|"),
        ("I", "  on|e", "  |one"),
        ("A", "o|ne\ntwo", "one|\ntwo"),
        ("o", "o|ne\ntwo", "one\n|\ntwo"),
        ("O", "one\nt|wo", "one\n|\ntwo"),
        ("dZ", "o|ne", "o|ne"),
        ("Z", "o|ne", "o|ne"),
    ],
)
def test_a_command_does_what_vi_does(keys: str, before: str, after: str) -> None:
    # In vi the cursor rests on a character; `dw` at a line's end leaves it on the blank before.
    got = play(keys, before)
    assert got == after.replace("one| \n", "one| \n")


@pytest.mark.parametrize("key", [*"iaIAoO", "cc", "C", "cw"])
def test_commands_that_insert_leave_normal_mode(key: str) -> None:
    vi = ViKeys()
    vi.escape("one", 1)
    for letter in key:
        vi.press(letter, "one", 1)
    assert vi.mode is ViMode.INSERT


def test_undo_and_redo_take_a_count() -> None:
    vi = ViKeys()
    vi.escape("one", 1)
    vi.press("3", "one", 1)
    assert vi.press("u", "one", 1) == Change(1, undo=3)
    assert vi.press("ctrl+r", "one", 1) == Change(1, undo=-1)


def test_esc_drops_an_unfinished_command_before_it_means_something_else() -> None:
    vi = ViKeys()
    assert vi.escape("one", 1) is not None
    assert vi.mode is ViMode.NORMAL
    vi.press("2", "one", 0)
    vi.press("d", "one", 0)
    assert vi.pending == "2d"
    assert vi.escape("one", 0) == Change(0)
    assert vi.pending == ""
    assert vi.escape("one", 0) is None


KEYS = st.lists(
    st.sampled_from([*"hjklwbe0^$gGiaIAoOxXdDcCypPu1239", "space", "ctrl+r"]), max_size=25
)


@given(st.text("ab. \n", max_size=40), st.integers(0, 40), KEYS)
def test_no_keys_leave_the_bounds_of_the_text(text: str, at: int, keys: list[str]) -> None:
    vi = ViKeys()
    at = min(at, len(text))
    for key in keys:
        if vi.mode is ViMode.INSERT:
            change = vi.escape(text, at)
            assert change is not None
            at = change.cursor
        change = vi.press(key, text, at)
        assert change is not None
        assert 0 <= change.start <= change.end <= len(text)
        text = text[: change.start] + change.insert + text[change.end :]
        assert 0 <= change.cursor <= len(text)
        at = change.cursor


@given(st.text("ab. \n", max_size=40), st.integers(0, 40), st.lists(st.sampled_from("hjklwbe0^$G")))
def test_motions_change_no_text_and_rest_on_a_character(
    text: str, at: int, keys: list[str]
) -> None:
    vi = ViKeys()
    moved = vi.escape(text, min(at, len(text)))
    assert moved is not None
    at = moved.cursor
    for key in keys:
        change = vi.press(key, text, at)
        assert change is not None
        assert (change.start, change.end, change.insert) == (0, 0, "")
        at = change.cursor
        assert at < len(text) or not text or text[-1] == "\n"
        assert at == len(text) or text[at] != "\n" or text[at - 1 : at] in ("", "\n")
