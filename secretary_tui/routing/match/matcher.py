"""The local matcher: a request in, ranked agents with confidence and reason out.

No network and no model: this is what `--offline` and the hooks use, and what a model's answer is
built upon.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from secretary_tui.people import AgentMatch
from secretary_tui.registry.definition.spec import PRIORITY, AgentSpec
from secretary_tui.routing.index.lexical import Document, QueryTerm, TermHit
from secretary_tui.routing.index.routing_index import Analysed, RoutingIndex, Scores, build_index
from secretary_tui.routing.index.vectors import UNIT
from secretary_tui.routing.match.confidence import (
    HIGHEST,
    MOST_LEAD,
    SENTENCES,
    WORDS,
    FitFeatures,
    MatchFeatures,
    confidence,
    fit,
)
from secretary_tui.routing.match.learned import (
    NEAR,
    AnalysedRequest,
    Learned,
    Lift,
    let_chosen_lead,
    prepare,
)
from secretary_tui.routing.match.lessons import Example, Lesson, numbered, written
from secretary_tui.routing.match.reason import Evidence, reason_for
from secretary_tui.routing.match.reranker import (
    BLEND,
    AgentTraits,
    RerankerWeights,
    Shortlist,
    agent_traits,
    describe,
    is_generalist,
    reranker_weights,
)
from secretary_tui.routing.words.described import Described
from secretary_tui.routing.words.investigation import (
    INVESTIGATES,
    INVESTIGATION_BONUS,
    asks_for_a_cause,
    investigates,
)
from secretary_tui.routing.words.request_reading import read_request
from secretary_tui.routing.words.terms import body_text, description_text
from secretary_tui.routing.words.word_vectors import word_vectors

if TYPE_CHECKING:
    from secretary_tui.routing.sentences.sentences import SentenceIndex

BEST = 3
"""Agents whose raw scores decide whether any agent fits."""
OBVIOUS = 70
"""Confidence above which one choice of another agent changes no leader."""
_RIVALS = 24
"""How far down the best agent of another name is looked for."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A request's best agents by number, with what their confidences are made of."""

    scores: Scores
    order: list[int]
    """The best first."""
    hits: list[tuple[TermHit, ...]]
    """For each of `order`, the words found in its file."""
    fit: FitFeatures
    features: list[MatchFeatures]
    """For each of `order`."""
    investigates: bool
    """Whether the request asks for a cause."""
    shortlist: Shortlist
    weights: RerankerWeights
    """What each of the shortlist's features adds to a score."""
    bonuses: Mapping[int, Sequence[Bonus]] = field(default_factory=dict)
    """What was added to scores, by number of the agent."""
    lifts: Mapping[int, Lift] = field(default_factory=dict)
    """What similar requests say, by number of the agent; also among the bonuses."""


class LocalMatcher:
    """Ranks a fixed set of agents; make a new one when the index of agents changes.

    The index is built at the first ranking (about .2 s for 200 agents), so that making a matcher
    costs nothing on the way to the first paint. A new matcher that is given the previous one
    analyses only the files that changed, and knows the same lessons.
    """

    def __init__(self, agents: Iterable[AgentSpec], previous: LocalMatcher | None = None) -> None:
        self.groups = _collapse(agents)
        """The distinct agents, each with its copies behind it."""
        self._analysed: Mapping[Document, Analysed] = previous._analysed if previous else {}
        self._requests: Mapping[str, AnalysedRequest] = previous._requests if previous else {}
        self._lessons: tuple[Lesson, ...] | None = previous._lessons if previous else ()
        self._traits: dict[int, AgentTraits] = {}
        self._learned: tuple[tuple[Lesson, ...], Learned] | None = None
        self.reranker: RerankerWeights | None = None
        """Other weights than those that are shipped, to measure them."""
        self.sentences: SentenceIndex | None = None
        """The meaning of sentences, once a `SentenceIndexer` has found it."""

    def __len__(self) -> int:
        """How many distinct agents there are, copies not counted."""
        return len(self.groups)

    def learn(self, lessons: tuple[Lesson, ...] | None) -> None:
        """Take what choices taught, instead of what was known of it; the index stays as it is.

        With None no example counts, those in descriptions neither.
        """
        self._lessons = lessons

    def rank(
        self, request: str, limit: int = 20, *, typed: str = "", generalists: bool = False
    ) -> tuple[AgentMatch, ...]:
        """Rank the agents, best first; confidences never rise along the ranking.

        With `generalists` those that come along are at its end where the limit would cut them.
        `typed` is the part of the request that examples are compared with, where that isn't all:
        what earlier messages put there makes it no request that was seen before.

        Copies of one agent are one row. Equal scores are ordered by id. All have confidence 0 for
        a request without a word that anybody knows. An empty request matches nothing.
        """
        if not request.strip() or not self.groups or limit <= 0:
            return ()
        ranked = self.judge(request, limit, typed=typed, generalists=generalists)
        close = self.index.close_words(ranked.scores.terms, ranked.order)
        weights = WORDS if ranked.scores.sentences is None else SENTENCES
        fits = fit(ranked.fit, weights)
        understood = _is_understood(ranked.scores.terms)
        matches: list[AgentMatch] = []
        ceiling = 100
        for number, hits, near, of in zip(
            ranked.order, ranked.hits, close, ranked.features, strict=True
        ):
            lift = ranked.lifts.get(number)
            sure = confidence(fits, of, weights) if understood else 0
            if lift is not None:
                sure = lift.sure(sure, HIGHEST)
            ceiling = min(ceiling, sure)
            spec, *copies = self.groups[number]
            finds_causes = ranked.investigates and number in self._investigators
            reason = reason_for(Evidence(spec, hits, near, of.sentences, lift, finds_causes))
            places = tuple(str(copy.path) for copy in copies)
            matches.append(
                AgentMatch(
                    spec.id, str(spec.path), ceiling, reason, places, number in self._generalists
                )
            )
        return tuple(matches)

    def judge(
        self, request: str, limit: int, *, typed: str = "", generalists: bool = False
    ) -> Ranked:
        """Score a request and give the best agents with the features of their confidences."""
        reading = read_request(request)
        scores = self.index.score(
            reading.text, self.sentences, mend=not reading.spelled, hints=reading.hints
        )
        close = scores.sentences
        weights = WORDS if close is None else SENTENCES
        reranker = self.reranker or reranker_weights(close is not None)
        cause = asks_for_a_cause(reading.text)
        bonuses: dict[int, list[Bonus]] = {}
        if cause:
            for number in self._investigators:
                scores.blended[number] += INVESTIGATION_BONUS
                counts = INVESTIGATION_BONUS * reranker.numbers.get(BLEND, 0.0)
                bonuses.setdefault(number, []).append(Bonus(INVESTIGATES, counts))
        said = self._terms(typed) if typed and typed != request else scores.terms
        taught = self._known().lifts(said, self.index.arithmetic)
        described = self.describe(reading.text, scores, max(limit, _RIVALS), taught)
        looked_at = described.scores(reranker)
        for number, score in looked_at.items():
            scores.blended[number] = score
        leading = sorted(looked_at, key=lambda number: (-looked_at[number], self._ties[number]))
        unit = self.index.lexical.unknown_idf
        best = [described.hits[number] for number in leading[:BEST]]
        top_mean = self.index.arithmetic.top_mean
        of = FitFeatures(
            strength=top_mean(scores.lexical, BEST) / unit,
            meaning=top_mean(scores.products, BEST) / UNIT**2,
            words=math.log1p(sum(map(len, best)) / len(best)),
            size=math.log(len(self)),
            sentences=0.0 if close is None else top_mean(close, BEST),
            score=float(scores.blended[leading[0]]),
        )
        fits = fit(of, weights)
        sure = confidence(fits, self._features(leading[0], leading, scores, {}), weights)
        if not fits.accepted:  # Only nearly the same request counts.
            taught = self._known().lifts(said, self.index.arithmetic, from_=NEAR)
        lifts = self._lift(scores, leading, taught, sure=sure)
        for number, lift in lifts.items():
            if lift.bonus:
                bonuses.setdefault(number, []).append(Bonus(lift.label, lift.bonus))
        rivals = leading
        if lifts:
            leading.sort(key=lambda number: (-scores.blended[number], self._ties[number]))
            rivals = sorted({*leading, *rivals}, key=lambda n: -_standing(n, scores, lifts))
        order = leading[:limit]
        if generalists:
            cut = [number for number in self._generalists if number not in order]
            order += sorted(cut, key=lambda number: -scores.blended[number])
        hits = [described.hits[number] for number in order]
        features = [self._features(number, rivals, scores, lifts) for number in order]
        return Ranked(scores, order, hits, of, features, cause, described, reranker, bonuses, lifts)

    def describe(
        self, request: str, scores: Scores, most: int, taught: Iterable[int] = ()
    ) -> Shortlist:
        """Describe the best agents for the reranker, with generalists and those examples name.

        The request is in English.
        """
        best = self.index.arithmetic.best(scores.blended, self._ties, most)
        numbers = list(dict.fromkeys((*best, *self._generalists, *taught)))
        return describe(request, numbers, self._traits_of, self.index, scores)

    def _traits_of(self, number: int) -> AgentTraits:
        found = self._traits.get(number)
        if found is None:
            found = self._traits[number] = agent_traits(self.groups[number][0])
        return found

    @cached_property
    def _generalists(self) -> tuple[int, ...]:
        return tuple(n for n, (spec, *_) in enumerate(self.groups) if is_generalist(spec))

    def _features(
        self, number: int, rivals: Sequence[int], scores: Scores, lifts: Mapping[int, Lift]
    ) -> MatchFeatures:
        """What tells whether an agent is right; that others were chosen makes it no less so."""
        close = scores.sentences
        own = float(scores.blended[number])
        return MatchFeatures(
            strength=float(scores.lexical[number]) / self.index.lexical.unknown_idf,
            meaning=scores.meaning(number),
            gap=max(0.0, _standing(rivals[0], scores, lifts) - own),
            lead=self._lead(number, rivals, scores, lifts),
            sentences=0.0 if close is None else float(close[number]),
            score=own,
        )

    def _terms(self, request: str) -> Sequence[QueryTerm]:
        reading = read_request(request)
        known = word_vectors().numbers
        return self.index.lexical.parse(reading.text, known, mend=not reading.spelled)

    def _lift(
        self, scores: Scores, leading: Sequence[int], taught: Mapping[int, Lift], *, sure: int
    ) -> Mapping[int, Lift]:
        """Let examples move the scores, and give what they did.

        `sure` is the confidence of the agent that leads by itself.
        """
        lifts = taught
        if lifts:
            lifts = let_chosen_lead(
                lifts, leading, scores.blended, sure=sure, obvious=sure > OBVIOUS
            )
        for number, lift in lifts.items():
            scores.blended[number] += lift.bonus
        return lifts

    def _known(self) -> Learned:
        """The examples of all agents; a new lesson costs the analysis of its request alone."""
        lessons, ready = self._lessons, self._learned
        if lessons is None:
            return Learned()
        if ready is None or ready[0] is not lessons:
            examples = [*self._written, *numbered(lessons, self.groups)]
            learned, self._requests = prepare(examples, self._requests, self.index.arithmetic)
            self._learned = ready = (lessons, learned)
        return ready[1]

    @cached_property
    def _written(self) -> list[tuple[int, Example]]:
        return written(self.groups)

    def described(self) -> list[Described]:
        """What each agent says of itself, in the order of the groups."""
        return [
            Described(spec.name, description_text(spec.description)) for spec, *_ in self.groups
        ]

    @cached_property
    def index(self) -> RoutingIndex:
        """The index of the groups, in their order."""
        documents = [
            Document(spec.name, description_text(spec.description), body_text(spec.prompt))
            for spec, *_ in self.groups
        ]
        index, self._analysed = build_index(documents, self._analysed)
        return index

    @cached_property
    def _ties(self) -> array[int]:
        """The place of each group by id, which decides between equal scores."""
        places = array("I", bytes(4 * len(self.groups)))
        by_id = sorted(range(len(self.groups)), key=lambda number: self.groups[number][0].id)
        for place, number in enumerate(by_id):
            places[number] = place
        return places

    @cached_property
    def _investigators(self) -> frozenset[int]:
        return frozenset(
            number for number, (spec, *_) in enumerate(self.groups) if investigates(spec.name)
        )

    def _lead(
        self, number: int, order: Sequence[int], scores: Scores, lifts: Mapping[int, Lift]
    ) -> float:
        """How far an agent leads those of another name: editions of one agent are no rivals."""
        stem = self.groups[number][0].path.stem
        rivals = (
            float(scores.blended[number]) - _standing(other, scores, lifts)
            for other in order
            if self.groups[other][0].path.stem != stem
        )
        return max(-MOST_LEAD, min(MOST_LEAD, next(rivals, MOST_LEAD)))


def _is_understood(terms: Sequence[QueryTerm]) -> bool:
    """Whether the library or the dictionary knows a word of a request."""
    known = word_vectors().numbers
    return any(term.meanings or term.stem in known for term in terms)


def _standing(number: int, scores: Scores, lifts: Mapping[int, Lift]) -> float:
    """A blended score as its rivals meet it: without what choices added to it."""
    lift = lifts.get(number)
    return float(scores.blended[number]) - (lift.bonus if lift and lift.chosen else 0.0)


def _collapse(agents: Iterable[AgentSpec]) -> list[tuple[AgentSpec, ...]]:
    """Group copies (same file name and body), the one of the highest priority first."""
    groups: dict[tuple[str, str], list[AgentSpec]] = {}
    for spec in agents:
        groups.setdefault((spec.path.stem, spec.prompt.strip()), []).append(spec)
    return [
        tuple(sorted(group, key=lambda spec: (PRIORITY[spec.source.kind], spec.id, str(spec.path))))
        for group in groups.values()
    ]


@dataclass(frozen=True, slots=True)
class Bonus:
    """What moved a score beside the words and their meaning."""

    label: str
    """Why, in a few words, such as `finds causes`."""
    score: float
    """Added to the score; negative for a loss."""
