"""How sure a match is, and when nothing is worth showing."""

from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.match.confidence import (
    HIGHEST,
    MOST_LEAD,
    SENTENCES,
    SHOWN,
    WORDS,
    Fit,
    FitFeatures,
    MatchFeatures,
    confidence,
    fit,
)

SURE, LIKELY, UNLIKELY = Fit(1.0, True), Fit(0.8, True), Fit(0.2, False)
CLOSE = FitFeatures(strength=0.9, meaning=0.5, words=1.1, size=5.0, sentences=0.5, score=9.0)
FAR = FitFeatures(strength=0.1, meaning=0.1, words=0.5, size=5.0, sentences=0.05, score=0.5)
LEADER = MatchFeatures(strength=0.6, meaning=0.6, gap=0.0, lead=MOST_LEAD, sentences=0.5, score=9.0)
BOTH = pytest.mark.parametrize("weights", [WORDS, SENTENCES])
PROBABILITY = st.floats(0, 1)


@BOTH
def test_a_high_score_fits_and_a_low_one_does_not(weights):
    assert fit(CLOSE, weights).accepted
    assert not fit(FAR, weights).accepted
    assert fit(FAR, weights).probability < weights.fit_from <= fit(CLOSE, weights).probability


@BOTH
def test_a_clear_leader_that_fits_is_shown_and_one_far_behind_is_not(weights):
    behind = replace(LEADER, gap=6.0, lead=-MOST_LEAD, score=1.0)
    assert confidence(SURE, LEADER, weights) >= SHOWN
    assert confidence(SURE, behind, weights) < SHOWN


@BOTH
def test_when_none_fits_nothing_is_shown_whatever_leads(weights):
    assert confidence(UNLIKELY, replace(LEADER, score=99.0), weights) < SHOWN


@BOTH
@given(first=PROBABILITY, other=PROBABILITY)
def test_a_confidence_is_the_product_of_two_probabilities(weights, first, other):
    alone = confidence(SURE, LEADER, weights)
    for probability in (first, other):
        found = confidence(Fit(probability, accepted=True), LEADER, weights)
        assert found == pytest.approx(probability * alone, abs=1.2)
        # Whether it is accepted changes nothing by itself: there is no floor.
        assert found == confidence(Fit(probability, accepted=False), LEADER, weights)


@BOTH
def test_a_lead_and_a_higher_score_make_surer_and_a_gap_never_does(weights):
    sure = confidence(LIKELY, LEADER, weights)
    assert sure > confidence(LIKELY, replace(LEADER, lead=-1.0), weights)
    assert sure > confidence(LIKELY, replace(LEADER, score=2.0, sentences=0.1), weights)


@BOTH
def test_words_alone_never_make_certain(weights):
    most = replace(LEADER, score=1e3, sentences=1.0, strength=0.0)
    assert confidence(SURE, most, weights) == HIGHEST


@BOTH
def test_the_weights_are_numbers_of_a_sensible_size(weights):
    numbers = (*astuple(weights.fit), *astuple(weights.match))
    assert all(abs(number) < 50 for number in numbers)
    assert 0.5 <= weights.fit_from < 1


@given(PROBABILITY, st.floats(-9, 99), st.floats(-MOST_LEAD, MOST_LEAD))
def test_any_confidence_is_in_range(probability, score, lead):
    of = replace(LEADER, score=score, lead=lead)
    assert 0 <= confidence(Fit(probability, probability > 0.7), of) <= HIGHEST
