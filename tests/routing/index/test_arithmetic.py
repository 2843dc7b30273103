"""The sums behind a ranking: without numpy and with it they come to the same."""

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.index.arithmetic import K1, PlainArithmetic
from secretary_tui.routing.index.numpy_arithmetic import NumpyArithmetic
from secretary_tui.routing.index.vectors import UNIT
from secretary_tui.routing.words.word_vectors import DIMENSIONS, word_vectors

PLAIN, NUMPY = PlainArithmetic(), NumpyArithmetic()
BOTH = pytest.mark.parametrize("arithmetic", [PLAIN, NUMPY])
SCORES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)
ROWS = word_vectors().rows


def direction(parts):
    """A vector as the index makes them: of length `UNIT`."""
    length = math.hypot(*parts) or 1
    return array("h", (round(UNIT * part / length) for part in parts))


DIRECTIONS = st.lists(
    st.lists(st.integers(-9, 9), min_size=DIMENSIONS, max_size=DIMENSIONS).map(direction),
    min_size=2,
    max_size=5,
)


@given(st.lists(st.tuples(st.integers(0, 15_868), st.integers(0, 100_000)), max_size=30))
def test_weighted_sums_of_rows_are_equal_to_the_last_bit(weighted):
    assert PLAIN.weighted_sum(ROWS, weighted) == NUMPY.weighted_sum(ROWS, weighted)


@given(DIRECTIONS)
def test_scalar_products_are_equal_to_the_last_bit(directions):
    first, *rest = directions
    vectors = sum(rest, array("h"))
    plain = PLAIN.products(PLAIN.matrix(vectors), first)
    assert plain == list(NUMPY.products(NUMPY.matrix(vectors), first))


@st.composite
def postings(draw):
    documents = draw(st.lists(st.integers(0, 9), unique=True, max_size=8).map(sorted))
    frequency = st.floats(0.125, 50, width=32)
    frequencies = draw(st.lists(frequency, min_size=len(documents), max_size=len(documents)))
    return array("I", documents), array("f", frequencies), draw(st.floats(0, 9))


@given(st.lists(st.lists(postings(), max_size=3), max_size=4))
def test_saturated_sums_are_equal_to_the_last_bit(terms):
    assert PLAIN.saturated(10, terms) == list(NUMPY.saturated(10, terms))


@BOTH
def test_a_document_gets_the_best_meaning_of_a_term_and_the_sum_over_terms(arithmetic):
    once, twice = array("f", [1.0]), array("f", [2.0])
    one, two = array("I", [1]), array("I", [1])
    scores = arithmetic.saturated(3, [[(one, once, 4.0), (two, twice, 1.0)], [(two, twice, 1.0)]])
    assert list(scores) == pytest.approx([0, 4 / (1 + K1) + 2 / (2 + K1), 0])


@given(SCORES, st.integers(1, 50))
def test_the_best_and_their_mean_agree(scores, limit):
    ties = array("I", range(len(scores)))
    best = PLAIN.best(scores, ties, limit)
    assert best == NUMPY.best(scores, ties, limit)
    assert [scores[number] for number in best] == sorted(scores, reverse=True)[:limit]
    mean = PLAIN.top_mean(scores, limit)
    assert mean == pytest.approx(NUMPY.top_mean(scores, limit), abs=1e-6)


@BOTH
def test_the_lower_tie_comes_first_even_where_the_list_is_cut(arithmetic):
    assert arithmetic.best([1.0, 2.0, 2.0, 2.0], array("I", [0, 3, 1, 2]), 2) == [2, 3]


@given(st.lists(st.tuples(st.floats(-99, 99), st.floats(-99, 99)), min_size=1, max_size=40))
def test_blends_agree(pairs):
    parts, shares = list(zip(*pairs, strict=True)), (0.4, 0.6)
    plain = PLAIN.blend(parts, shares)
    assert plain == pytest.approx(list(NUMPY.blend(parts, shares)), rel=1e-6, abs=1e-6)


@BOTH
def test_a_blend_adds_standardised_scores_and_equal_ones_say_nothing(arithmetic):
    assert list(arithmetic.blend(([0, 2], [7, 7]), (0.4, 0.6))) == pytest.approx([-0.4, 0.4])
    assert list(arithmetic.blend(([0, 2], [3, 1]), (0.4, 0.6))) == pytest.approx([0.2, -0.2])
