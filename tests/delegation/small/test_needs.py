"""What a model says that it misses: one thing that there is, or words to search for."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.delegation.small.needs import (
    MOST_FILES,
    Need,
    NeedOf,
    but_needs,
    need_grammar,
    read_need,
    says_missing,
)
from tests.servers.gbnf import Grammar

FILES = ("app.py", "src/a b.ts", 'odd"name.md')


@given(seed=st.integers(0, 10**6))
def test_whatever_the_grammar_allows_is_a_need_or_an_answer(seed: int) -> None:
    text = Grammar(need_grammar(FILES)).sample(Random(seed))
    need = read_need(text)
    assert (need is not None) == text.startswith("NEED ")
    assert need is None or need.kind is not NeedOf.FILE or need.name in FILES


@given(seed=st.integers(0, 10**6))
def test_where_it_must_choose_it_does(seed: int) -> None:
    assert read_need(Grammar(need_grammar(FILES, must=True)).sample(Random(seed))) is not None


@pytest.mark.parametrize("text", ["NEED FILE none.py", "NEED", "NEED FILE ", "NEED HELP x"])
@pytest.mark.parametrize("files", [FILES, ()])
def test_what_there_is_not_can_not_be_needed(text: str, files: tuple[str, ...]) -> None:
    assert not Grammar(need_grammar(files)).allows(text)


def test_only_so_many_files_can_be_named() -> None:
    files = [f"f{number}.py" for number in range(MOST_FILES + 5)]
    grammar = Grammar(need_grammar(files))
    assert grammar.allows(f"NEED FILE {files[MOST_FILES - 1]}")
    assert not grammar.allows(f"NEED FILE {files[MOST_FILES]}")


@pytest.mark.parametrize(
    ("answer", "need"),
    [
        ("NEED FILE app.py", Need(NeedOf.FILE, "app.py")),
        (" NEED SYMBOL Parser.run\n", Need(NeedOf.SYMBOL, "Parser.run")),
        ("NEED SEARCH retry limit", Need(NeedOf.SEARCH, "retry limit")),
        ("You NEED FILE app.py", None),
        ("It doubles x.", None),
    ],
)
def test_a_need_is_read(answer: str, need: Need | None) -> None:
    assert read_need(answer) == need


def test_a_need_is_never_shown_and_an_answer_from_its_first_sure_letter_on() -> None:
    for text in ("NEED FILE app.py", "Next, it"):
        shown = [but_needs(text[:end]) for end in range(1, len(text) + 1)]
        assert shown[-1] == ("" if text.startswith("NEED") else text)
        assert "NEED " not in "".join(shown)


@pytest.mark.parametrize(
    "answer",
    [
        "The file config.py is not shown, so I can't tell.",
        "I'm sorry, but the content of the function isn't provided.",
        "Without access to the schema it is hard to say.",
        "There is not enough information to answer.",
        "Please share the code of parse().",
    ],
)
def test_an_answer_that_is_none_is_seen(answer: str) -> None:
    assert says_missing(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "`load` reads the file and returns a dict.",
        "In app.py line 4, `limit` is compared with `<` and must be `<=`.",
        "It opens the door. " * 20 + "The key is not shown.",
    ],
)
def test_an_answer_is_one(answer: str) -> None:
    assert not says_missing(answer)
