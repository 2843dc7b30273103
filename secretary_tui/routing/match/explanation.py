"""Where a ranking comes from: every part of a score, and what made it a confidence.

Made on demand, since nobody asks for most rankings. Nothing here decides anything: the same
functions that rank are asked again, and their numbers kept instead of thrown away.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, fields

from secretary_tui.config import Config
from secretary_tui.people import AgentMatch, Continuation, Recommendation
from secretary_tui.routing.index.lexical import Field
from secretary_tui.routing.index.routing_index import Scores
from secretary_tui.routing.index.vectors import UNIT
from secretary_tui.routing.match.confidence import (
    HIGHEST,
    SENTENCES,
    WORDS,
    ConfidenceWeights,
    FitFeatures,
    MatchFeatures,
    confidence,
    fit,
)
from secretary_tui.routing.match.matcher import LocalMatcher, Ranked
from secretary_tui.routing.match.reranker import BLEND, BUNDLED, GENERALIST, READS_ONLY
from secretary_tui.routing.words.investigation import INVESTIGATES
from secretary_tui.routing.words.request_reading import read_request
from secretary_tui.routing.words.word_vectors import DIMENSIONS, ROW_LENGTH, word_vectors
from secretary_tui.sanitize import clean_line

EXPLAINED = 10
"""Agents of a ranking that are explained."""
_CLOSEST = 4
_SAID = 300
_KINDS = 2
"""Kinds of work that are named."""
_SMALL = 0.03
"""Share of a score up to which a part of it is not named."""
_WORDS, _HINTS, _MEANING = "words", "hints", "meaning"
_SENTENCES, _FOUND_BY = "sentences", "words and meaning together"
_KIND_OF_WORK, _GENERALIST = "kind of work", "generalist"
_LABELS = {
    **dict.fromkeys(("words", "wanted", "in_name", "in_description", "in_body"), _WORDS),
    **dict.fromkeys(("hinted", "hint_in_name", "hint_in_description"), _HINTS),
    **dict.fromkeys(("meaning", "wanted_meaning", "whole_meaning"), _MEANING),
    **dict.fromkeys(("generalist_few", "generalist_words", "generalist_named"), _GENERALIST),
    "of_name": "its name",
    "sentences": _SENTENCES,
    BLEND: _FOUND_BY,
    GENERALIST: _GENERALIST,
    BUNDLED: "bundled",
    "reads": READS_ONLY,
}
"""What a feature of the reranker is part of, by the first word of its name; others are roles."""


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A word of the request that was found in an agent's file."""

    word: str
    found: str
    """The same word, or the one it was repaired to."""
    fields: tuple[str, ...]
    """`name`, `description`, `body`."""
    idf: float
    """How rare it is in the library."""
    score: float
    """What it added to BM25F."""


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One of the numbers that a score or a confidence is the sum of."""

    label: str
    score: float
    detail: str = ""
    """How it was computed, such as `cosine 0.42, share 0.6`; may be empty."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One agent of a ranking."""

    agent: str
    path: str
    confidence: int
    shown: bool
    hidden: str
    """Why it is not shown; empty when it is."""
    score: float
    """What ranked it, on this machine; compares within one request only."""
    parts: tuple[ScorePart, ...]
    """What the score is the sum of: words, meaning, kind of work, bonuses."""
    words: tuple[ScoredWord, ...]
    closest: tuple[tuple[str, float], ...]
    """Words of the request with their cosine to the agent, the closest first."""
    confidence_parts: tuple[ScorePart, ...]
    """What the confidence is made of, in logits: 0 together would be 50 %."""
    reason: str
    """As shown with the match; by the model where one judged."""


@dataclass(frozen=True, slots=True)
class RouteExplanation:
    """A whole recommendation."""

    judge: str
    """The model that judged; empty when the words alone did."""
    read_as: str
    """The request as it was compared with the agents, empty when that is how it was typed."""
    verdict: str
    """Why an agent is recommended, or none, in a sentence."""
    fits: float
    """Probability that any agent fits, by the words, 0–1."""
    fits_from: float
    """Where it counts as fitting."""
    fit_parts: tuple[ScorePart, ...]
    """What `fits` is made of, in logits."""
    unknown: tuple[str, ...]
    """Words of the request that no agent's file holds."""
    ranking: tuple[Explanation, ...]
    going_on: Continuation | None = None
    """The run that the request is taken to go on with."""


def explain_route(
    recommendation: Recommendation, matcher: LocalMatcher, config: Config
) -> RouteExplanation | None:
    """Explain the first ten of a ranking; None when nothing was ranked."""
    told = recommendation.told or recommendation.request
    if not recommendation.ranking or not told.strip():
        return None
    wanted = recommendation.ranking[:EXPLAINED]
    ranked = matcher.judge(told, len(recommendation.ranking), generalists=True)
    places = {
        str(matcher.groups[number][0].path): place for place, number in enumerate(ranked.order)
    }
    weights = WORDS if ranked.scores.sentences is None else SENTENCES
    decided = fit(ranked.fit, weights)
    shown = {match.path for match in recommendation.matches}
    explained = tuple(
        _explain(
            matcher,
            ranked,
            places[match.path],
            match,
            "" if match.path in shown else _hidden(match, recommendation, config, decided.accepted),
        )
        for match in wanted
        if match.path in places
    )
    terms = ranked.scores.terms
    return RouteExplanation(
        judge=_judge(recommendation),
        read_as=_read_as(told),
        verdict=_verdict(recommendation, config, decided.accepted),
        fits=decided.probability,
        fits_from=weights.fit_from,
        fit_parts=(
            ScorePart("start", weights.fit_intercept),
            *_products(weights.fit, ranked.fit),
        ),
        unknown=tuple(term.word for term in terms if not term.meanings),
        ranking=explained,
        going_on=recommendation.continuation,
    )


def _explain(
    matcher: LocalMatcher, ranked: Ranked, place: int, match: AgentMatch, hidden: str
) -> Explanation:
    number = ranked.order[place]
    scores = ranked.scores
    weights = WORDS if scores.sentences is None else SENTENCES
    return Explanation(
        agent=match.agent,
        path=match.path,
        confidence=match.confidence,
        shown=not hidden,
        hidden=hidden,
        score=float(scores.blended[number]),
        parts=tuple(_score_parts(ranked, number)),
        words=tuple(
            ScoredWord(hit.word, hit.found, _names(hit.fields), hit.idf, hit.score)
            for hit in ranked.hits[place]
        ),
        closest=_closest(matcher, scores, number),
        confidence_parts=(
            ScorePart("start", weights.match_intercept),
            *_products(weights.match, ranked.features[place]),
            *_asked_before(ranked, number, place, weights),
        ),
        reason=match.reason,
    )


def _asked_before(
    ranked: Ranked, number: int, place: int, weights: ConfidenceWeights
) -> Iterator[ScorePart]:
    """What the same request, given to this agent or to another one before, does to a confidence."""
    lift = ranked.lifts.get(number)
    if lift is None:
        return
    before = confidence(fit(ranked.fit, weights), ranked.features[place], weights)
    after = lift.sure(before, HIGHEST)
    if after != before:
        yield ScorePart("asked before", _logit(after) - _logit(before), f"{before} → {after} %")


def _logit(percent: int) -> float:
    share = min(99.5, max(0.5, percent)) / 100
    return math.log(share / (1 - share))


def _score_parts(ranked: Ranked, number: int) -> list[ScorePart]:
    """What a score is the sum of: the largest first, small ones together, bonuses behind them."""
    bonuses = [ScorePart(bonus.label, bonus.score) for bonus in ranked.bonuses.get(number, ())]
    counted: dict[str, float] = {}
    for name, score in ranked.shortlist.counted(number, ranked.weights):
        label = _LABELS.get(name.partition(" ")[0], _KIND_OF_WORK)
        counted[label] = counted.get(label, 0.0) + score
    # The ranking's best were found by this, and it has that bonus in it.
    counted[_FOUND_BY] -= sum(part.score for part in bonuses if part.label == INVESTIGATES)
    details = _details(ranked, number)
    parts = [ScorePart(label, score, details.get(label, "")) for label, score in counted.items()]
    least = _SMALL * sum(abs(part.score) for part in parts)
    large = [part for part in parts if abs(part.score) > least]
    other = math.fsum(part.score for part in parts if abs(part.score) <= least)
    large.sort(key=lambda part: -abs(part.score))
    return [*large, *([ScorePart("other", other)] if other else []), *bonuses]


def _details(ranked: Ranked, number: int) -> dict[str, str]:
    scores, asked = ranked.scores, ranked.shortlist.asked
    kinds = sorted(asked.kinds.items(), key=lambda pair: -pair[1])[:_KINDS]
    close = scores.sentences
    return {
        _WORDS: f"BM25F {scores.lexical[number]:.2f}",
        _MEANING: f"cosine {scores.meaning(number):.2f}",
        _SENTENCES: "" if close is None else f"cosine {close[number]:.2f}",
        _KIND_OF_WORK: ", ".join(f"{kind} {share:.2f}" for kind, share in kinds),
    }


def _closest(matcher: LocalMatcher, scores: Scores, number: int) -> tuple[tuple[str, float], ...]:
    """The words of the request that are closest to an agent in meaning."""
    known, arithmetic = word_vectors(), matcher.index.arithmetic
    vectors = matcher.index.vectors
    direction: array[int] = vectors[number * DIMENSIONS : (number + 1) * DIMENSIONS]
    matrix = arithmetic.matrix(direction)
    found = []
    for term in scores.terms:
        row = known.numbers.get(term.stem)
        if row is not None:
            (product,) = arithmetic.products(matrix, known.row(row))
            found.append((term.word, float(product) / (UNIT * ROW_LENGTH)))
    return tuple(sorted(found, key=lambda pair: -pair[1])[:_CLOSEST])


def _products(
    weights: FitFeatures | MatchFeatures, features: FitFeatures | MatchFeatures
) -> list[ScorePart]:
    """Weight times feature, each with the feature's value; those without a weight are left out."""
    parts = []
    for each in fields(weights):
        weight, value = getattr(weights, each.name), getattr(features, each.name)
        if weight:
            parts.append(ScorePart(each.name, weight * value, f"{value:.2f} × {weight:g}"))
    return parts


def _names(found: Field) -> tuple[str, ...]:
    return tuple(str(field.name).lower() for field in Field if field in found)


def _hidden(match: AgentMatch, route: Recommendation, config: Config, fits: bool) -> str:
    if match.confidence >= config.show_above and route.matches:
        return f"only the best {len(route.matches)} are shown"
    if route.engine != "local":
        return f"the model did not name it, or with no more than {match.confidence}"
    below = f"{match.confidence} is below {config.show_above} (show_above)"
    return below if fits else f"no agent fits the request, so none gets {config.show_above}"


def _read_as(told: str) -> str:
    read = read_request(told).text
    return "" if read == told else clean_line(read)[:_SAID]


def _judge(route: Recommendation) -> str:
    return "" if route.engine == "local" else route.engine.rpartition(" · ")[2]


def _verdict(route: Recommendation, config: Config, fits: bool) -> str:
    model = _judge(route)
    judge = f"{model}: " if model else ""
    why = f" {route.reasoning}" if model and route.reasoning else ""
    if not route.matches:
        if judge:
            return f"{judge}none of the agents fits.{why}"
        if not fits:
            return "None fits: the words of the request hardly occur in any agent's file."
        best = route.ranking[0].confidence
        return f"None fits: the best has {best}, and {config.show_above} is asked (show_above)."
    if all(match.fallback for match in route.matches):
        return f"{judge}no specialist fits; a generalist is offered, not recommended.{why}"
    best = route.matches[0].confidence
    if route.recommended:
        above = f"{best} is above {config.recommend_above} (recommend_above)"
        return f"{judge}{route.recommended} is recommended: {above}.{why}"
    return (
        f"{judge}no agent is recommended: the best has {best}, and more than "
        f"{config.recommend_above} is asked (recommend_above).{why}"
    )
