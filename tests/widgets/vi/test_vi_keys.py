"""The keys of vi: what each does to a text and a place, and that none leaves the text's bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.widgets.vi.vi_changes import ViChange
from secretary_tui.widgets.vi.vi_keys import ViKeys, ViMode


def play(keys: str, marked: str, typing: str = "") -> str:
    """Press keys in normal mode on a text in which `|` is the cursor; gives the same.

    Once a command begins to insert, `typing` is typed and Esc pressed, if it is not empty.
    """
    vi = ViKeys()
    at, text = marked.index("|"), marked.replace("|", "")
    vi.escape(text, at + 1)
    for key in keys:
        change = vi.press(key, text, at)
        assert change is not None
        text, at = change.apply(text), change.cursor
        if typing and vi.mode is ViMode.INSERT:
            text, at = f"{text[:at]}{typing}{text[at:]}", at + len(typing)
            change = vi.escape(text, at)
            assert change is not None
            text, at = change.apply(text), change.cursor
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
        ("fo", "|one two", "one tw|o"),
        ("2fo", "|one two foo", "one two f|oo"),
        ("fx", "|one", "|one"),
        ("fo", "|one\nto", "|one\nto"),
        ("f ", "|one two", "one| two"),
        ("f2", "|one 2", "one |2"),
        ("Fo", "one tw|o", "|one two"),
        ("tw", "|one two", "one |two"),
        ("To", "one tw|o", "o|ne two"),
        ("fo;", "|no no no", "no n|o no"),
        ("fo;;", "|no no no", "no no n|o"),
        ("fo;,", "|no no no", "n|o no no"),
        ("to;", "|no noo", "no |noo"),
        ("fo2;", "|no no no", "no no n|o"),
        (";", "o|ne", "o|ne"),
        ("%", "f|(a(b)c)d", "f(a(b)c|)d"),
        ("%", "f(a(b)c|)d", "f|(a(b)c)d"),
        ("%", "|f[\n]", "f[\n|]"),
        ("%", "|f(", "|f("),
        ("W", "|f(x) y", "f(x) |y"),
        ("E", "|f(x) y", "f(x|) y"),
        ("B", "f(x) a.|y", "f(x) |a.y"),
        ("dt,", "|one, two", "|, two"),
        ("df,", "|one, two", "| two"),
        ("dFo", "one tw|x", "|x"),
        ("d2fo", "|no no x", "| x"),
        ("2dto", "|no no x", "|o x"),
        ("dfx", "|one", "|one"),
        ("cf.", "a |b. c", "a | c"),
        ("dfo;", "|no, no", ", n|o"),
        ("d;", "|no no", "|no no"),
        ("fod;", "|no no no", "n| no"),
        ("d%", "f|(a) b", "f| b"),
        ("d%", "f(a|) b", "f| b"),
        ("rx", "|abc", "|xbc"),
        ("3rx", "|abc", "xx|x"),
        ("4rx", "|abc", "|abc"),
        ("~", "|aBc", "A|Bc"),
        ("3~", "|aBc", "Ab|C"),
        ("J", "o|ne\n  two", "one| two"),
        ("3J", "|a\nb\nc\nd", "a b| c\nd"),
        ("J", "|one\n)", "one|)"),
        ("J", "|one", "|one"),
        ("s", "|one", "|ne"),
        ("S", "o|ne\ntwo", "|\ntwo"),
        ("Yp", "|one", "one\n|one"),
        ("diw", "one tw|o three", "one | three"),
        ("ciw", "one tw|o", "one |"),
        ("daw", "one tw|o three", "one |three"),
        ("daw", "one tw|o", "on|e"),
        ("diW", "a f(|x) b", "a | b"),
        ('ci"', 'say "a| b" c', 'say "|" c'),
        ('ci"', '|say "a b" c', 'say "|" c'),
        ('da"', 'say "a| b" c', "say | c"),
        ("di(", "f(a, (b)|, c)", "f(|)"),
        ("dib", "f(a, (|b))", "f(a, (|))"),
        ("da[", "x[a|b]y", "x|y"),
        ("di{", "{\n|a\n}", "{|}"),
        ("di(", "|one", "|one"),
        ("ved", "|one two", "| two"),
        ("vwd", "|one two", "|wo"),
        ("vhx", "on|e", "|o"),
        ("v2ly", "|abcd", "|abcd"),
        ("v2lyP", "|abcd", "ab|cabcd"),
        ("vlc", "|abc", "|c"),
        ("v$~", "|aBc", "|AbC"),
        ("vlU", "|abc", "|ABc"),
        ("vlu", "|ABC", "|abC"),
        ("vjrx", "a|b\ncd", "a|x\nxx"),
        ("vfod", "|no no", "| no"),
        ("viwd", "one tw|o x", "one | x"),
        ('vi"d', 'a "b| c" d', 'a "|" d'),
        ("vhohd", "abc|de", "ab|de"),
        ("Vd", "o|ne\ntwo", "|two"),
        ("Vjd", "o|ne\ntwo\nthree", "|three"),
        ("Vky", "one\nt|wo", "|one\ntwo"),
        ("VjJ", "o|ne\ntwo\nx", "one| two\nx"),
        ("Vc", "o|ne\ntwo", "|\ntwo"),
        ("vVd", "o|ne\ntwo", "|two"),
        ("vjD", "o|ne\ntwo\nx", "|x"),
        ("ywwviwp", "|one two", "one one| "),
        ("yyjVp", "|one\ntwo", "one\n|one"),
        ("vvx", "a|bc", "a|c"),
        ("vGd", "a|b\ncd", "a|d"),
        ("x.", "|abcd", "|cd"),
        ("x3.", "|abcde", "|e"),
        ("2x.", "|abcdef", "|ef"),
        ("dw.", "|a b c", "|c"),
        ("dt,l.", "|a,b,c", ",|,c"),
        ("rxl.", "|abc", "x|xc"),
        ("~.", "|abc", "AB|c"),
        ("J.", "|a\nb\nc", "a b| c"),
        ("ddjp.", "|a\nb\nc", "b\nc\na\n|a"),
        ("vlxl.", "|abcdef", "c|f"),
        ("Vjd.", "|a\nb\nc\nd\ne", "|e"),
        (".", "o|ne", "o|ne"),
        ("xu", "|abc", "|bc"),
        ("dZ", "o|ne", "o|ne"),
        ("Z", "o|ne", "o|ne"),
    ],
)
def test_a_command_does_what_vi_does(keys: str, before: str, after: str) -> None:
    # In vi the cursor rests on a character; `dw` at a line's end leaves it on the blank before.
    assert play(keys, before) == after


@pytest.mark.parametrize(
    ("keys", "before", "after"),
    [
        ("cw", "|one two one", "x|x two one"),
        ("cww.", "|one two one", "xx x|x one"),
        ("3i", "|b", "xxxxx|xb"),
        ("ij.", "|a\nb", "xxa\nx|xb"),
        ("Aj.", "|a\nb", "axx\nbx|x"),
        ("o.", "|a", "a\nxx\nx|x"),
        ("2o", "|a", "a\nxx\nx|x"),
        ("O.", "|a", "x|x\nxx\na"),
        ("vlc$.", "|abcd", "xxcx|x"),
        ("cf,$.", "|a,b", "xx|b"),
        ("ciww.", "|one two", "xx x|x"),
    ],
)
def test_what_was_typed_is_part_of_the_command_that_began_it(
    keys: str, before: str, after: str
) -> None:
    assert play(keys, before, typing="xx") == after


def test_the_selection_is_shown_with_the_character_under_the_cursor() -> None:
    vi = ViKeys()
    vi.escape("abc\ndef", 2)
    assert vi.press("v", "abc\ndef", 1) == ViChange(1, anchor=1)
    assert vi.press("l", "abc\ndef", 1) == ViChange(2, anchor=1)
    assert vi.press("0", "abc\ndef", 2) == ViChange(0, anchor=2)
    assert vi.press("V", "abc\ndef", 0) == ViChange(0, anchor=3)
    assert vi.press("j", "abc\ndef", 0) == ViChange(7, anchor=0)
    assert vi.mode is ViMode.VISUAL_LINE
    assert vi.escape("abc\ndef", 7) == ViChange(4)
    assert vi.mode is ViMode.NORMAL


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
    assert vi.press("u", "one", 1) == ViChange(1, undo=3)
    assert vi.press("ctrl+r", "one", 1) == ViChange(1, undo=-1)


def test_esc_drops_an_unfinished_command_before_it_means_something_else() -> None:
    vi = ViKeys()
    assert vi.escape("one", 1) is not None
    assert vi.mode is ViMode.NORMAL
    vi.press("2", "one", 0)
    vi.press("d", "one", 0)
    assert vi.pending == "2d"
    assert vi.escape("one", 0) == ViChange(0)
    assert vi.pending == ""
    assert vi.escape("one", 0) is None


KEYS = st.lists(
    st.sampled_from([*'hjklwbeWBE0^$%gGiaIAoOxXdDcCsSyYpPurJ~.fFtT;,vV()"129 ', "ctrl+r"]),
    max_size=25,
)


@given(st.text('aB. \n()"', max_size=40), st.integers(0, 40), KEYS)
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
