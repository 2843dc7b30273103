"""Texts cut into the pieces of a BERT vocabulary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.sentences.architecture import MINILM
from secretary_tui.routing.sentences.wordpiece import WordPiece, split_words
from tests.routing.sentence_model import VOCABULARY

WORDS = WordPiece(VOCABULARY, MINILM.special)


def pieces(text, limit=99):
    return [VOCABULARY[number] for number in WORDS.encode(text, limit)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't PANIC!", ["don", "'", "t", "panic", "!"]),
        ("naïve Café", ["naive", "cafe"]),
        ("don’t—ever", ["don", "’", "t", "—", "ever"]),
        ("日本go", ["日", "本", "go"]),
        ("a\x00b\u200bc\ufffdd", ["abcd"]),
        ("tabs\tand\u00a0spaces\r\n", ["tabs", "and", "spaces"]),
        ("C++ & c#", ["c", "+", "+", "&", "c", "#"]),
        ("", []),
        ("İstanbul Σ", ["istanbul", "σ"]),
    ],
)
def test_texts_are_split_as_bert_does(text, words):
    assert list(split_words(text)) == words


def test_a_word_is_cut_into_the_longest_pieces_that_there_are():
    assert pieces("Testing codes.") == ["[CLS]", "test", "##ing", "code", "##s", ".", "[SEP]"]


def test_a_word_that_can_not_be_cut_is_unknown_and_so_is_an_endless_one():
    assert pieces("xyz") == pieces("testxyz") == ["[CLS]", "[UNK]", "[SEP]"]
    assert pieces("a" * 100)[1:3] == ["a", "##a"]
    assert pieces("a" * 101) == ["[CLS]", "[UNK]", "[SEP]"]


def test_special_tokens_in_a_text_are_text():
    assert "[SEP]" not in pieces("[SEP] code")[:-1]


def test_a_long_text_is_cut_and_still_ended():
    assert pieces("code " * 50, 5) == ["[CLS]", "code", "code", "code", "[SEP]"]


def test_another_vocabulary_is_refused():
    with pytest.raises(ValueError, match=r"\[CLS\]"):
        WordPiece(["[UNK]", "a"], MINILM.special)


@given(st.text())
def test_any_text_can_be_read(text):
    words = list(split_words(text))
    assert all(words)
    assert not any(character.isspace() for word in words for character in word)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_is_split_alike_with_something_else_behind_it(text):
    assert [*split_words(text), "e"] == list(split_words(f"{text} é"))
