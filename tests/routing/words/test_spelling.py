"""Words that a misspelt one may stand for."""

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from secretary_tui.routing.index.numpy_arithmetic import alike
from secretary_tui.routing.words.spelling import SpellingDictionary

LETTERS = st.text(alphabet="abcdeäß中", min_size=4, max_size=9)
FILLER = [f"{a}{b}{c}{d}" for a in "abcd" for b in "abcd" for c in "abcd" for d in "abcd"]


def test_the_nearest_come_first_and_equal_ones_by_name():
    words = ("kubernetes", "kuber", "cluster", "clustre")
    dictionary = SpellingDictionary(words, 0.7)
    assert [word for word, _ in dictionary.nearest("kuberentes", 8)] == ["kubernetes"]
    assert [word for word, _ in dictionary.nearest("clusterr", 8)] == ["cluster", "clustre"]
    assert dictionary.nearest("clusterr", 1) == dictionary.nearest("clusterr", 8)[:1]
    assert dictionary.nearest("lasagna", 8) == []


@given(st.lists(LETTERS, max_size=30), LETTERS)
def test_setting_words_aside_by_their_letters_loses_none(words, misspelt):
    vocabulary = dict.fromkeys((*words, *FILLER))
    plain, quick = (SpellingDictionary(vocabulary, 0.7) for _ in range(2))
    quick.prepare(alike)
    expected = sorted(
        (-OSA.normalized_similarity(misspelt, word), word)
        for word in vocabulary
        if OSA.normalized_similarity(misspelt, word) >= 0.7
    )
    every = len(vocabulary)
    assert quick.nearest(misspelt, every) == plain.nearest(misspelt, every)
    assert [word for word, _ in quick.nearest(misspelt, every)] == [word for _, word in expected]
