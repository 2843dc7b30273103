"""How sure a local match is: a number that means what it says.

Two questions are asked of the raw scores, each with a logistic model of few weights. *Does any
agent fit?* looks at the best three. *Is it this one?* looks at the agent itself and at how far it
is from the others. When the first says no, nothing is worth showing, whatever leads; when it says
yes, the leader is worth showing, unless it is hardly likely itself.

The weights were fitted by `benchmarks/routing_confidence.py`, which says on what, and prints the
reliability out of fold.
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


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether any agent fits the request."""

    probability: float
    accepted: bool


MOST_LEAD = 3.0
FIT_INTERCEPT = 1.39
FIT_WEIGHTS = FitFeatures(strength=6.08, meaning=7.69, words=3.27, size=-1.06)
FIT_FROM = 0.81
"""Probability from which some agent is taken to fit: 1 in 20 foreign requests gets this far."""
MATCH_INTERCEPT = -2.0
MATCH_WEIGHTS = MatchFeatures(strength=2.08, meaning=4.12, gap=-0.3, lead=0.65)
HIGHEST = 99
"""Words alone never make certain."""
SHOWN = 50
"""From here on a match is shown (seed 000 §2.4)."""
LIKELY_LEADER = 0.25
"""Probability from which the leader of a request that some agent fits is raised to `SHOWN`."""


def fit(of: FitFeatures) -> Fit:
    """Decide whether any agent fits."""
    weights = FIT_WEIGHTS
    probability = _logistic(
        FIT_INTERCEPT
        + weights.strength * of.strength
        + weights.meaning * of.meaning
        + weights.words * of.words
        + weights.size * of.size
    )
    return Fit(probability, probability >= FIT_FROM)


def confidence(fits: Fit, of: MatchFeatures) -> int:
    """The probability, 0–99 in per cent, that a person is content with this agent."""
    weights = MATCH_WEIGHTS
    probability = _logistic(
        MATCH_INTERCEPT
        + weights.strength * of.strength
        + weights.meaning * of.meaning
        + weights.gap * of.gap
        + weights.lead * of.lead
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
