"""What counts as a word."""

from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.words.terms import (
    body_text,
    count_words,
    description_text,
    stem_all,
    words,
)


def test_names_are_split_at_hyphens_underscores_and_capitals():
    assert words("database-optimizer snake_case") == ["database", "optimizer", "snake", "case"]
    assert words("TypeScript") == ["typescript", "type", "script"]


def test_languages_with_odd_names_stay_words():
    assert words("C and C++ or C#, R") == ["c", "c++", "c#", "r"]


def test_words_of_every_agent_file_and_contractions_are_left_out():
    assert words("Use this agent PROACTIVELY, it's an expert specialist; don't wait") == ["wait"]


def test_words_of_one_kind_share_a_stem():
    assert len(set(stem_all(["review", "reviews", "reviewing", "reviewed"]))) == 1


def test_examples_do_not_describe_an_agent():
    text = "Reviews code. <example>user: bake a cake</example> Carefully."
    assert description_text(text) == "Reviews code. Carefully."


def test_long_code_blocks_are_cut_and_commands_stay():
    long = "before\n```python\n" + "unrelated = 1\n" * 40 + "```\nafter"
    assert "unrelated" not in body_text(long)
    assert body_text(long).split() == ["before", "after"]
    assert "kubectl" in body_text("Run\n```sh\nkubectl get pods\n```\n")


@given(st.text())
def test_counting_words_agrees_with_listing_them(text):
    listed = words(text)
    assert count_words(text) == {word: listed.count(word) for word in listed}
