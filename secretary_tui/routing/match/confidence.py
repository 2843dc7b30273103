"""How sure a local match is: a number that means what it says.

Two questions are asked of the raw scores, each with a logistic model of few weights. *Does any
agent fit?* looks at the best three. *Is it this one?* looks at the agent itself and at how far it
is from the others. A confidence is the product: the probability that it is this one, if any fits.

There are two sets of weights: without and with the meaning of sentences. They were fitted by
`benchmarks/routing_confidence.py`, which says on what, and prints the reliability out of fold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from operator import attrgetter, mul


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
    score: float = 0.0
    """The best agent's score."""


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
    score: float = 0.0
    """Its score."""


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
    fit_intercept=-0.55,
    fit=FitFeatures(strength=1.88, meaning=2.11, words=-0.17, size=-0.15, score=0.47),
    fit_from=0.75,
    match_intercept=-1.48,
    match=MatchFeatures(strength=-0.59, meaning=0.19, gap=-0.09, lead=0.41, score=0.26),
)
"""For scores made of words and their meaning."""
SENTENCES = ConfidenceWeights(
    fit_intercept=-1.31,
    fit=FitFeatures(
        strength=1.77, meaning=0.79, words=-0.5, size=-0.17, sentences=3.27, score=0.49
    ),
    fit_from=0.75,
    match_intercept=-1.25,
    match=MatchFeatures(
        strength=-0.44, meaning=0.61, gap=-0.12, lead=0.39, sentences=-1.86, score=0.23
    ),
)
"""For scores that the meaning of sentences counts in."""
HIGHEST = 99
"""Words alone never make certain."""
SHOWN = 50
"""From here on a match is shown (seed 000 §2.4)."""


def fit(of: FitFeatures, weights: ConfidenceWeights = WORDS) -> Fit:
    """Decide whether any agent fits."""
    probability = _logistic(weights.fit_intercept + sum(map(mul, _FIT(weights.fit), _FIT(of))))
    return Fit(probability, probability >= weights.fit_from)


def confidence(fits: Fit, of: MatchFeatures, weights: ConfidenceWeights = WORDS) -> int:
    """The probability, 0–99 in per cent, that the user is content with this agent."""
    probability = _logistic(
        weights.match_intercept + sum(map(mul, _MATCH(weights.match), _MATCH(of)))
    )
    return min(HIGHEST, round(100 * fits.probability * probability))


_FIT = attrgetter(*(each.name for each in fields(FitFeatures)))
_MATCH = attrgetter(*(each.name for each in fields(MatchFeatures)))


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
