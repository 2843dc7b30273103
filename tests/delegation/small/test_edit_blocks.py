"""What a grammar binds a small model to: whatever it allows can be read, and fits the file."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from secretary_tui.delegation.lookup.looked_up import Excerpt
from secretary_tui.delegation.small.change_steps import ChangeStep, StepKind
from secretary_tui.delegation.small.edit_blocks import (
    code_grammar,
    edit_grammar,
    lines_to_be_unique,
    plan_in,
    read_block,
    read_code,
)
from secretary_tui.delegation.small.step_edits import UnusableBlockError, edit_for
from tests.servers.gbnf import Grammar

LINE = st.one_of(
    st.sampled_from(("", "}", "    return x", "return x", "=======", ">>>>>>> REPLACE", "```")),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=6),
    st.sampled_from((r'pattern = r"\bword\b"', "\tif a:", "\x0cform feed", '"quoted"')),
)
FILE = st.lists(LINE, min_size=1, max_size=9).map(lambda lines: [*lines, "last"])
SEED = st.integers(0, 10**6)
BLOCK = "Plan: {plan}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE"


@given(lines=FILE, before=st.lists(LINE, max_size=6), ends=st.booleans(), seed=SEED)
@example(lines=["x = 1", "max = 1"], before=[], ends=True, seed=0)
@example(lines=["a", "a", "a"], before=["a"], ends=False, seed=0)
def test_every_block_that_may_be_written_replaces_the_lines_that_it_shows(
    lines: list[str], before: list[str], ends: bool, seed: int
) -> None:
    """`before`: what stands in the file above the lines that were shown."""
    answer = Grammar(edit_grammar(lines)).sample(Random(seed))
    shown = Excerpt("x", "\n".join(lines), "notes.txt", len(before) + 1, is_whole=False)
    block = read_block(answer)
    assert block is not None
    old, new = block.old.split("\n")[:-1], block.new.split("\n")[:-1]
    (at,) = [n for n in range(len(lines)) if lines[n : n + len(old)] == old]
    after = [*before, *lines[:at], *new, *lines[at + len(old) :]]
    file, changed = ("\n".join(text) + "\n" * ends for text in ([*before, *lines], after))
    text = file if ends else f"{file}\n"  # What ends a file isn't read.
    try:
        edit = edit_for(ChangeStep(StepKind.EDIT, "notes.txt", shown), answer, text)
    except UnusableBlockError:
        assert new == old or not changed.strip()
        return
    assert file.count(edit.input["old_string"]) == 1
    assert file.replace(edit.input["old_string"], edit.input["new_string"]) == changed


@given(lines=FILE)
def test_a_line_that_stands_once_can_always_be_searched_for(lines: list[str]) -> None:
    grammar = Grammar(edit_grammar(lines))
    for line in lines:
        if lines.count(line) == 1 and line.strip() and line != "=======":
            assert grammar.allows(BLOCK.format(plan="x", old=f"{line}\n", new="new\n"))


@pytest.mark.parametrize(
    "block",
    [
        BLOCK.format(plan="", old="a\n", new="b\n"),
        BLOCK.format(plan="x", old="a", new=""),
        BLOCK.format(plan="x", old="a \n", new="b\n"),
        BLOCK.format(plan="x", old="c\n", new="b\n"),
        BLOCK.format(plan="x", old="", new="b\n"),
        BLOCK.format(plan="x", old="same\n", new="b\n"),
        "Sure. " + BLOCK.format(plan="x", old="a\n", new="b\n"),
        BLOCK.format(plan="x", old="a\n", new=">>>>>>> REPLACE\nmore\n"),
    ],
)
def test_nothing_else_may_be_written(block: str) -> None:
    assert not Grammar(edit_grammar(["a", "same", "b", "same"])).allows(block)


def test_a_line_that_looks_like_the_middle_of_a_block_is_never_searched_for() -> None:
    grammar = Grammar(edit_grammar(["Title", "=======", "Title", "text"]))
    assert not grammar.allows(BLOCK.format(plan="x", old="Title\n=======\n", new="c\n"))
    assert grammar.allows(BLOCK.format(plan="x", old="Title\ntext\n", new="c\n"))


def test_what_stands_twice_can_be_searched_for_with_the_line_below_it() -> None:
    grammar = Grammar(edit_grammar(["same", "a", "same", "b"]))
    assert grammar.allows(BLOCK.format(plan="x", old="same\nb\n", new="c\n"))
    assert not grammar.allows(BLOCK.format(plan="x", old="same\n", new="c\n"))


@given(
    path=st.sampled_from(("a.py", "README.md", "docs/guide.MDX", "Makefile")),
    seed=SEED,
)
def test_every_code_block_that_may_be_written_is_read_whole(path: str, seed: int) -> None:
    answer = Grammar(code_grammar(path)).sample(Random(seed))
    inside = answer.rstrip("\n").split("\n")[1:-1]
    assert read_code(answer).removesuffix("\n") == "\n".join(inside)


def test_prose_may_hold_code_blocks() -> None:
    page = "````md\n# Use\n```sh\nmake\n```\n````"
    assert Grammar(code_grammar("use.md")).allows(page)
    assert read_code(page) == "# Use\n```sh\nmake\n```\n"
    assert not Grammar(code_grammar("use.py")).allows(page)


def test_of_code_that_was_cut_off_or_ran_in_circles_is_read_what_is_whole() -> None:
    assert read_code("```python\na = 1\nb = 2\nc =") == "a = 1\nb = 2"
    circles = "".join(f"assert f({number}) == {number}\n" for number in range(30))
    read = read_code(f"```python\ndef test():\n{circles}asse").split("\n")
    assert read[0] == "def test():"
    assert 1 < len(read) <= 5


def test_an_answer_that_holds_none_is_none() -> None:
    assert read_block("I would change line 3.") is None
    assert read_block(BLOCK.format(plan="x", old="a\n", new="b\n")[:-10]) is None
    assert read_code("No code.") == ""


@pytest.mark.parametrize(
    ("answer", "plan"),
    [
        ("Plan: Raise it to 5.", "Raise it to 5."),
        ("Plan: Raise", "Raise"),
        ("Plan: Raise it.\n<<<<<<< SEARCH\na\n", "Raise it."),
        ("Pla", ""),
        ("```python\nx", ""),
    ],
)
def test_the_plan_is_what_is_shown_of_a_block(answer: str, plan: str) -> None:
    assert plan_in(answer) == plan


@given(lines=FILE, first=st.integers(0, 8))
def test_as_many_lines_as_it_takes_stand_only_there(lines: list[str], first: int) -> None:
    first %= len(lines)
    count = lines_to_be_unique(lines, first)
    places = [n for n in range(len(lines)) if lines[n : n + count] == lines[first : first + count]]
    shorter = lines[first : first + count - 1]
    if count:
        assert places == [first]
        assert count == 1 or sum(
            lines[n : n + count - 1] == shorter for n in range(len(lines))
        ) > 1  # fmt: skip
    else:
        rest = lines[first:]
        assert sum(lines[n : n + len(rest)] == rest for n in range(len(lines))) > 1
