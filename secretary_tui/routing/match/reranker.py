"""The second look at a ranking's best: what a weighted sum of words and meaning can't see.

Whether a word stands in a name or only in a body, what is asked *for* beside what it is about, which
kind of work an agent's name says it does, whether it can change anything at all. How much each of
these counts was learnt by `tools/train_reranker.py` from requests of ours against published
libraries; the weights lie in `data/reranker.json`.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from secretary_tui.registry.definition.spec import AgentSpec, SourceKind
from secretary_tui.routing.index.arithmetic import Arithmetic
from secretary_tui.routing.index.lexical import Field, QueryTerm, TermHit
from secretary_tui.routing.index.routing_index import RoutingIndex, Scores
from secretary_tui.routing.index.vectors import UNIT, request_vector
from secretary_tui.routing.words.terms import stem_all, words
from secretary_tui.routing.words.word_vectors import DIMENSIONS, word_vectors
from secretary_tui.routing.words.work import Work, asked_for, kinds_of_work, roles_of
from secretary_tui.tool_table import ASKING_TOOLS

WEIGHTS = Path(__file__).parent / "data" / "reranker.json"
GENERALISTS = frozenset(("surveyor", "worker", "coder"))
"""Names of the agents that can do nearly anything of one sort (seed 004)."""
GENERALIST = "generalist"
_LIKELY = 0.05
"""Probability from which a kind of work counts."""
_FEW = 4
"""Words of its own up to which a request is more about the sort of work than about a field."""


@dataclass(frozen=True, slots=True)
class RerankerWeights:
    """What each feature adds to a score, in its unit."""

    numbers: Mapping[str, float]
    marks: Mapping[str, float]
    """By mark, such as the role `debug`, or mark and kind of work, such as `debug run`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the reranker sees it."""

    terms: tuple[QueryTerm, ...]
    """Said ones and hinted ones."""
    kinds: Mapping[Work, float]
    """How likely each kind of work is; the likely ones alone."""
    wanted: frozenset[str]
    """The stems that say what is asked for."""
    few: float
    """0–1: how little it says beside the kind of work."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One agent of the ranking's best."""

    numbers: dict[str, float]
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The best agents for one request, by number, with what may tell them apart."""

    asked: Asked
    candidates: Mapping[int, Candidate]

    def columns(self, candidate: Candidate) -> Iterator[tuple[str, float]]:
        """The marks of a candidate with their values: by themselves, and with each kind of work."""
        for mark in candidate.marks:
            yield mark, 1.0
            for kind, share in self.asked.kinds.items():
                yield f"{mark} {kind}", share

    def scores(self, weights: RerankerWeights) -> dict[int, float]:
        """The scores of the candidates; they compare within one request only."""
        marked: dict[str, float] = {}
        for mark in {mark for each in self.candidates.values() for mark in each.marks}:
            with_kinds = (
                share * weights.marks.get(f"{mark} {kind}", 0.0)
                for kind, share in self.asked.kinds.items()
            )
            marked[mark] = weights.marks.get(mark, 0.0) + sum(with_kinds)
        return {
            number: sum(weights.numbers.get(name, 0.0) * x for name, x in each.numbers.items())
            + sum(marked[mark] for mark in each.marks)
            for number, each in self.candidates.items()
        }


def describe(
    request: str,
    numbers: Sequence[int],
    specs: Callable[[int], AgentSpec],
    index: RoutingIndex,
    scores: Scores,
) -> Shortlist:
    """Describe agents by what may tell them apart for a request in English."""
    of = _asked(request, scores.terms, index.arithmetic)
    hits = [index.lexical.hits(scores.terms, number) for number in numbers]
    meanings = _meanings(numbers, of, index)
    described = {
        number: _candidate(number, specs(number), of, index, scores, found, meaning)
        for number, found, meaning in zip(numbers, hits, meanings, strict=True)
    }
    best = max((each.numbers["words"] for each in described.values()), default=0.0)
    named = max((each.numbers["in_name"] for each in described.values()), default=0.0)
    for each in described.values():
        if GENERALIST in each.marks:
            each.numbers["generalist_few"] = of.few
            each.numbers["generalist_words"] = best
            each.numbers["generalist_named"] = named
    return Shortlist(of, described)


def _asked(request: str, terms: tuple[QueryTerm, ...], arithmetic: Arithmetic) -> Asked:
    said = sum(1 for term in terms if term.share == 1)
    few = max(0.0, 1 - said / (2 * _FEW))
    kinds = {kind: p for kind, p in kinds_of_work(request, arithmetic).items() if p >= _LIKELY}
    return Asked(terms, kinds, frozenset(stem_all(words(asked_for(request)))), few)


def is_generalist(spec: AgentSpec) -> bool:
    """Whether an agent is one of those that come along and can do nearly anything of one sort."""
    return spec.name in GENERALISTS and spec.source.kind is SourceKind.BUNDLED


def reads_only(spec: AgentSpec) -> bool:
    """Whether an agent has no tool that changes something or runs commands."""
    return spec.tools is not None and not any(map(spec.is_tool_allowed, ASKING_TOOLS))


@cache
def reranker_weights(sentences: bool) -> RerankerWeights:
    """The shipped weights: for words alone, or for words and sentences."""
    read = json.loads(WEIGHTS.read_text(encoding="utf-8"))["sentences" if sentences else "words"]
    return RerankerWeights(read["numbers"], read["marks"])


def _meanings(
    numbers: Sequence[int], of: Asked, index: RoutingIndex
) -> list[tuple[float, float]]:
    """For each agent the cosines to what is said, and to what is asked for."""
    known, arithmetic = word_vectors(), index.arithmetic
    rows = sum(
        (index.vectors[n * DIMENSIONS : (n + 1) * DIMENSIONS] for n in numbers), array("h")
    )
    matrix = arithmetic.matrix(rows)
    said = [term for term in of.terms if term.share == 1]
    wanted = [term for term in said if term.stem in of.wanted]
    each = []
    for part in (said, wanted or said):
        direction = request_vector(part, known, lambda _: (), arithmetic)
        each.append([float(p) / UNIT**2 for p in arithmetic.products(matrix, direction)])
    return list(zip(*each, strict=True))


def _candidate(
    number: int,
    spec: AgentSpec,
    of: Asked,
    index: RoutingIndex,
    scores: Scores,
    hits: Sequence[TermHit],
    meaning: tuple[float, float],
) -> Candidate:
    unit = index.lexical.unknown_idf
    shares = {term.stem: term.share for term in of.terms}
    stem_of = {term.word: term.stem for term in of.terms}
    said = [hit for hit in hits if shares.get(stem_of.get(hit.word, ""), 1.0) == 1]
    hinted = [hit for hit in hits if hit not in said]
    total = sum(term.idf for term in of.terms if term.share == 1) or 1.0
    total_hinted = sum(term.idf * term.share for term in of.terms if term.share < 1) or 1.0
    numbers = {
        "blend": float(scores.blended[number]),
        "words": sum(hit.score for hit in said) / unit,
        "hinted": sum(hit.score for hit in hinted) / unit,
        "wanted": sum(hit.score for hit in said if stem_of.get(hit.word) in of.wanted) / unit,
        "meaning": meaning[0],
        "wanted_meaning": meaning[1],
        "whole_meaning": scores.meaning(number),
        "in_name": _covered(said, Field.NAME) / total,
        "in_description": _covered(said, Field.DESCRIPTION) / total,
        "in_body": _covered(said, Field.BODY) / total,
        "hint_in_name": _covered(hinted, Field.NAME) / total_hinted,
        "hint_in_description": _covered(hinted, Field.DESCRIPTION) / total_hinted,
        "of_name": _of_name(spec.name, hits, index),
        "sentences": 0.0 if scores.sentences is None else float(scores.sentences[number]),
    }
    return Candidate(numbers, frozenset(_marks(spec)))


def _covered(hits: Sequence[TermHit], field: Field) -> float:
    return sum(hit.idf for hit in hits if hit.fields & field)


def _of_name(name: str, hits: Sequence[TermHit], index: RoutingIndex) -> float:
    """How much of a name the request holds, rare words counting more: 0–1."""
    weights = {stem: index.lexical.weight_of(stem) for stem in stem_all(words(name))}
    total = sum(weights.values())
    found = {stem for hit in hits if hit.fields & Field.NAME for stem in stem_all((hit.found,))}
    return sum(weights[stem] for stem in found & weights.keys()) / total if total else 0.0


def _marks(spec: AgentSpec) -> Iterator[str]:
    yield from roles_of(spec.name) or ("area",)
    if spec.source.kind is SourceKind.BUNDLED:
        yield "bundled"
        yield f"bundled {spec.name}"
    if is_generalist(spec):
        yield GENERALIST
    if reads_only(spec):
        yield "reads only"
