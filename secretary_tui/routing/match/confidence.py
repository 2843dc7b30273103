"""How sure a local match is: a number that means what it says.

Two questions are asked of the raw scores, each with a logistic model of few weights. *Does any
agent fit?* looks at the best three. *Is it this one?* looks at the agent itself and at how far it
is from the others. When the first says no, nothing is worth showing, whatever leads; when it says
yes, the leader is worth showing, unless it is hardly likely itself.

There are two sets of weights: without and with the meaning of sentences. They were fitted by
`benchmarks/routing_confidence.py`, which says on what, and prints the reliability out of fold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FitFeatures:
    """What tells whether any agent fits; the first three are means over the best three agents."""

    strength: float
    """BM25F in units of what a word unknown to the library would weigh."""
    meaning: float
    """Cosine."""
    words: float
    """log(1 + how many words of the request an agent's file holds): one is an accident."""
    size: float
    """log(number of agents): among many, one is close by chance more often."""
    sentences: float = 0.0
    """Cosine of sentences, mean over the best three agents; 0 where it is not known."""


@dataclass(frozen=True, slots=True)
class MatchFeatures:
    """What tells whether one agent is right, given that some agent may be."""

    strength: float
    """Its BM25F, in the same unit."""
    meaning: float
    """Its cosine."""
    gap: float
    """How far its blended score is below the best one, 0 or more."""
    lead: float
    """How far it is above the best agent of another name, at most `MOST_LEAD` either way."""
    sentences: float = 0.0
    """Its cosine of sentences; 0 where it is not known."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether any agent fits the request."""

    probability: float
    accepted: bool


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """The weights of the two logistic regressions: does any agent fit, and is it this one?"""

    fit_intercept: float
    fit: FitFeatures
    fit_from: float
    """Probability from which some agent is taken to fit: 1 in 20 foreign requests gets this far."""
    match_intercept: float
    match: MatchFeatures


MOST_LEAD = 3.0
WORDS = ConfidenceWeights(
    fit_intercept=1.39,
    fit=FitFeatures(strength=6.08, meaning=7.69, words=3.27, size=-1.06),
    fit_from=0.81,
    match_intercept=-2.0,
    match=MatchFeatures(strength=2.08, meaning=4.12, gap=-0.3, lead=0.65),
)
"""For scores made of words and their meaning."""
SENTENCES = ConfidenceWeights(
    fit_intercept=0.84,
    fit=FitFeatures(strength=4.86, meaning=4.97, words=2.73, size=-1.13, sentences=11.96),
    fit_from=0.81,
    match_intercept=-2.19,
    match=MatchFeatures(strength=1.03, meaning=3.44, gap=0.04, lead=1.14, sentences=2.91),
)
"""For scores that the meaning of sentences counts in."""
HIGHEST = 99
"""Words alone never make certain."""
SHOWN = 50
"""From here on a match is shown (seed 000 §2.4)."""
LIKELY_LEADER = 0.25
"""Probability from which the leader of a request that some agent fits is raised to `SHOWN`."""


def fit(of: FitFeatures, weights: ConfidenceWeights = WORDS) -> Fit:
    """Decide whether any agent fits."""
    each = weights.fit
    probability = _logistic(
        weights.fit_intercept
        + each.strength * of.strength
        + each.meaning * of.meaning
        + each.words * of.words
        + each.size * of.size
        + each.sentences * of.sentences
    )
    return Fit(probability, probability >= weights.fit_from)


def confidence(fits: Fit, of: MatchFeatures, weights: ConfidenceWeights = WORDS) -> int:
    """The probability, 0–99 in per cent, that the user is content with this agent."""
    each = weights.match
    probability = _logistic(
        weights.match_intercept
        + each.strength * of.strength
        + each.meaning * of.meaning
        + each.gap * of.gap
        + each.lead * of.lead
        + each.sentences * of.sentences
    )
    return decide(fits, probability, leads=of.gap == 0)


def decide(fits: Fit, probability: float, *, leads: bool) -> int:
    """Put both answers together: the probability that it is this one, if any fits.

    Where some agent fits, the leader is worth a look even in a close call.
    """
    if not fits.accepted:
        return min(SHOWN - 1, round(100 * probability * fits.probability))
    sure = min(HIGHEST, round(100 * probability))
    return max(SHOWN, sure) if leads and probability >= LIKELY_LEADER else sure


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
