"""How sure a local match is: a number that means what it says.

A confidence of 80 shall be right in 80 of 100 cases. It is a logistic model over four features of
the raw scores, deliberately few, and none of them depends on the size of the library, so that ten
bundled agents and two hundred of a marketplace are judged alike.

The weights were fitted on 2026-11-20 by `benchmarks/routing_confidence.py` on 271 labelled
requests against two public libraries of 146 and 158 distinct agents, and on random parts of 12 and
40 agents of them (where most requests have no right agent); out of fold, the mean
confidence and the share right of matches from 70 up differ by at most 7 points at each size. The
matcher itself was chosen on the same requests, so expect a little less on new ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from secretary_tui.routing.lexical import Field, Hit, QueryTerm


@dataclass(frozen=True, slots=True)
class Features:
    """What the confidence is made of."""

    strength: float
    """log(1 + score), the score in units of what a word unknown to the library would weigh."""
    coverage: float
    """Share (0–1) of the request's words, by rarity, that the agent's file holds."""
    headline: float
    """The same, in its name or description."""
    lead: float
    """log(score / score of the best agent of another name), from -1 to 1."""


INTERCEPT = -2.92
WEIGHTS = Features(strength=3.94, coverage=1.17, headline=1.97, lead=1.71)
HIGHEST = 99
"""Words alone never make certain."""


def features(
    terms: Sequence[QueryTerm],
    hits: Sequence[Hit],
    score: float,
    rival: float,
    unit: float,
) -> Features:
    """Give the features of one scored agent; `unit` is the index's `unknown_idf`."""
    mass = sum(term.idf for term in terms)
    headline = Field.NAME | Field.DESCRIPTION
    return Features(
        strength=math.log1p(score / unit),
        coverage=sum(hit.idf for hit in hits) / mass,
        headline=sum(hit.idf for hit in hits if hit.fields & headline) / mass,
        lead=max(-1.0, min(1.0, math.log(score / rival))) if rival > 0 else 1.0,
    )


def confidence(of: Features) -> int:
    """The probability, 0–99 in per cent, that a person finds this agent right for the request."""
    logit = INTERCEPT + sum(
        weight * value for weight, value in zip(astuple(WEIGHTS), astuple(of), strict=True)
    )
    return min(HIGHEST, round(100 / (1 + math.exp(-logit))))
