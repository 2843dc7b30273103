"""How sure a match is, and when nothing is worth showing."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.match.confidence import (
    HIGHEST,
    LIKELY_LEADER,
    SHOWN,
    Fit,
    FitFeatures,
    MatchFeatures,
    confidence,
    decide,
    fit,
)

YES, NO = Fit(0.95, accepted=True), Fit(0.5, accepted=False)
CLOSE = FitFeatures(strength=0.6, meaning=0.5, words=1.1, size=5.0)
LEADER = MatchFeatures(strength=0.6, meaning=0.5, gap=0.0, lead=2.0)


def test_strong_words_and_meaning_fit_and_hardly_any_do_not():
    assert fit(CLOSE).accepted
    assert not fit(FitFeatures(strength=0.1, meaning=0.1, words=0.5, size=5.0)).accepted


def test_the_same_scores_prove_less_among_many_agents():
    assert fit(replace(CLOSE, size=8.0)).probability < fit(CLOSE).probability


def test_when_none_fits_nothing_is_shown_whatever_leads():
    assert confidence(NO, LEADER) < SHOWN
    assert decide(NO, 1.0, leads=True) < SHOWN


def test_when_some_agent_fits_a_likely_leader_is_shown_in_a_close_call():
    assert decide(YES, 0.4, leads=True) == SHOWN
    assert decide(YES, 0.4, leads=False) == 40
    assert decide(YES, LIKELY_LEADER - 0.01, leads=True) < SHOWN


def test_words_alone_never_make_certain():
    assert decide(YES, 1.0, leads=True) == HIGHEST


def test_a_lead_makes_surer_and_a_gap_less_sure():
    assert confidence(YES, LEADER) > confidence(YES, replace(LEADER, lead=0.5))
    behind = replace(LEADER, lead=-1.0)
    assert confidence(YES, replace(behind, gap=0.5)) > confidence(YES, replace(behind, gap=2.0))


@given(st.floats(0, 1), st.booleans(), st.booleans())
def test_any_confidence_is_in_range(probability, leads, accepted):
    assert 0 <= decide(Fit(probability, accepted), probability, leads=leads) <= HIGHEST
