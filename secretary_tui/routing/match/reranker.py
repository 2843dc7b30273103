"""The second look at a ranking's best: what a weighted sum of words and meaning can't see.

Whether a word stands in a name or only in a body, what is asked *for* beside what it is about,
which kind of work an agent's name says it does, whether it can change anything at all. How much
each of these counts was learnt by `tools/train_reranker.py` from requests of ours against published
libraries; the weights lie in `data/reranker.json`.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from secretary_tui.registry.definition.spec import AgentSpec, SourceKind
from secretary_tui.routing.index.arithmetic import Arithmetic
from secretary_tui.routing.index.lexical import FIELD_WEIGHTS, Field, QueryTerm, TermHit
from secretary_tui.routing.index.routing_index import RoutingIndex, Scores
from secretary_tui.routing.index.vectors import UNIT, request_vector
from secretary_tui.routing.match.work import Work, asked_for, kinds_of_work, roles_of
from secretary_tui.routing.words.languages import in_english
from secretary_tui.routing.words.terms import stem_all, words
from secretary_tui.routing.words.word_vectors import DIMENSIONS, word_vectors
from secretary_tui.tool_table import ASKING_TOOLS

WEIGHTS = Path(__file__).parent / "data" / "reranker.json"
GENERALISTS = frozenset(("surveyor", "worker", "coder"))
"""Names of the agents that can do nearly anything of one sort (seed 004)."""
GENERALIST = "generalist"
BUNDLED = "bundled"
READS_ONLY = "reads only"
_RIVALLED = ("words", "in_name", "in_description", "meaning", "of_name", "sentences")
"""What of the library's own agents tells whether a bundled one has to be looked at."""
BLEND = "blend"
"""The score that the ranking's best were found by."""
DOING = (Work.CHANGE, Work.RUN, Work.BUILD, Work.REFACTOR, Work.OPERATE)
"""Kinds of work that nobody can do who only reads."""
_PLAIN = 0.6
"""Probability of such kinds from which who only reads can't go on."""
_READ = 200
_MENDS = re.compile(
    r"^\W*(?:now |and |please |ok |then )*(?:fix|mend|repair|patch|commit|push)\b", re.I
)
UNABLE = 3.0
"""What an agent that can't do what is asked loses, beside what was learnt."""
_NAME, _DESCRIPTION, _BODY = int(Field.NAME), int(Field.DESCRIPTION), int(Field.BODY)
_FROM_HITS = (
    *("words", "hinted", "wanted", "in_name", "in_description", "in_body"),
    *("hint_in_name", "hint_in_description"),
)
_LIKELY = 0.05
"""Probability from which a kind of work counts."""
_MOST_ROLES = 4
"""Roles in a name beyond which it says nothing."""
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

    @property
    def unable(self) -> float:
        """What who only reads loses, by how likely something is to be done."""
        return UNABLE * sum(self.kinds.get(kind, 0.0) for kind in DOING)


@dataclass(frozen=True, slots=True)
class AgentTraits:
    """What of an agent is the same for every request."""

    marks: frozenset[str]
    name: frozenset[str]
    """The stems of its name."""
    name_share: float
    """How much a word in its name counts: less in a long name."""
    description_share: float
    """The same for its description."""


@dataclass(frozen=True, slots=True)
class Shortlisted:
    """One agent of the ranking's best."""

    numbers: dict[str, float]
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The best agents for one request, by number, with what may tell them apart."""

    asked: Asked
    candidates: Mapping[int, Shortlisted]
    hits: Mapping[int, tuple[TermHit, ...]]
    """The words of the request that each holds."""

    def columns(self, candidate: Shortlisted) -> Iterator[tuple[str, float]]:
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
        if READS_ONLY in marked:
            marked[READS_ONLY] -= self.asked.unable
        return {
            number: sum(weights.numbers.get(name, 0.0) * x for name, x in each.numbers.items())
            + sum(marked[mark] for mark in each.marks)
            for number, each in self.candidates.items()
        }

    def counted(self, number: int, weights: RerankerWeights) -> Iterator[tuple[str, float]]:
        """What each number, and each mark with what is asked, adds to a candidate's score."""
        candidate = self.candidates[number]
        for name, value in candidate.numbers.items():
            yield name, weights.numbers.get(name, 0.0) * value
        for mark, value in self.columns(candidate):
            yield mark, weights.marks.get(mark, 0.0) * value
        if READS_ONLY in candidate.marks:
            yield READS_ONLY, -self.asked.unable


def describe(
    request: str,
    numbers: Sequence[int],
    traits: Callable[[int], AgentTraits],
    index: RoutingIndex,
    scores: Scores,
) -> Shortlist:
    """Describe agents by what may tell them apart for a request in English."""
    of = _asked(request, scores.terms, index.arithmetic)
    hits = {number: index.lexical.hits(scores.terms, number) for number in numbers}
    meanings = _meanings(numbers, of, index)
    weighed = _Weighed.of(of, index)
    described = {
        number: _candidate(number, traits(number), weighed, index, scores, hits[number], meaning)
        for number, meaning in zip(numbers, meanings, strict=True)
    }
    own = [each.numbers for each in described.values() if BUNDLED not in each.marks]
    rivals = {name: max((of_[name] for of_ in own), default=0.0) for name in _RIVALLED}
    for each in described.values():
        for mark in each.marks & {BUNDLED, GENERALIST}:
            each.numbers[f"{mark}_few"] = of.few
            each.numbers.update({f"{mark}_{name}": value for name, value in rivals.items()})
    return Shortlist(of, described, hits)


def _asked(request: str, terms: tuple[QueryTerm, ...], arithmetic: Arithmetic) -> Asked:
    said = sum(1 for term in terms if term.share == 1)
    few = max(0.0, 1 - said / (2 * _FEW))
    kinds = {kind: p for kind, p in kinds_of_work(request, arithmetic).items() if p >= _LIKELY}
    return Asked(terms, kinds, frozenset(stem_all(words(asked_for(request)))), few)


def is_generalist(spec: AgentSpec) -> bool:
    """Whether an agent is a bundled generalist."""
    return spec.name in GENERALISTS and spec.source.kind is SourceKind.BUNDLED


def reads_only(spec: AgentSpec) -> bool:
    """Whether an agent has no tool that changes something or runs commands."""
    return spec.tools is not None and not any(map(spec.is_tool_allowed, ASKING_TOOLS))


def is_able(spec: AgentSpec, request: str) -> bool:
    """Whether an agent's tools are enough for what a request plainly asks to be done."""
    if not reads_only(spec):
        return True
    english = in_english(request)
    kinds = kinds_of_work(english)
    return sum(kinds[kind] for kind in DOING) < _PLAIN and not _MENDS.search(english[:_READ])


@cache
def reranker_weights(sentences: bool) -> RerankerWeights:
    """The shipped weights: for words alone, or for words and sentences."""
    read = json.loads(WEIGHTS.read_text(encoding="utf-8"))["sentences" if sentences else "words"]
    return RerankerWeights(read["numbers"], read["marks"])


def _meanings(numbers: Sequence[int], of: Asked, index: RoutingIndex) -> list[tuple[float, float]]:
    """For each agent the cosines to what is said, and to what is asked for."""
    known, arithmetic = word_vectors(), index.arithmetic
    rows = sum((index.vectors[n * DIMENSIONS : (n + 1) * DIMENSIONS] for n in numbers), array("h"))
    matrix = arithmetic.matrix(rows)
    said = [term for term in of.terms if term.share == 1]
    wanted = [term for term in said if term.stem in of.wanted]
    each = []
    for part in (said, wanted or said):
        direction = request_vector(part, known, lambda _: (), arithmetic)
        each.append([float(p) / UNIT**2 for p in arithmetic.products(matrix, direction)])
    return list(zip(*each, strict=True))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """The terms of a request by what they count."""

    hinted: frozenset[str]
    """Where hinted words come from."""
    wanted: frozenset[str]
    """Words that say what is asked for."""
    total: float
    total_hinted: float

    @classmethod
    def of(cls, asked_: Asked, index: RoutingIndex) -> _Weighed:
        said = [term for term in asked_.terms if term.share == 1]
        hinted = [term for term in asked_.terms if term.share < 1]
        return cls(
            frozenset(term.word for term in hinted),
            frozenset(term.word for term in said if term.stem in asked_.wanted),
            sum(term.idf for term in said) or 1.0,
            sum(term.idf * term.share for term in hinted) or 1.0,
        )


def _candidate(
    number: int,
    traits: AgentTraits,
    of: _Weighed,
    index: RoutingIndex,
    scores: Scores,
    hits: Sequence[TermHit],
    meaning: tuple[float, float],
) -> Shortlisted:
    name, told = traits.name_share, traits.description_share
    numbers = dict.fromkeys(_FROM_HITS, 0.0)
    for hit in hits:
        fields = int(hit.fields)
        if hit.word in of.hinted:
            share = hit.idf / of.total_hinted
            numbers["hinted"] += hit.score
            numbers["hint_in_name"] += share * name if fields & _NAME else 0.0
            numbers["hint_in_description"] += share * told if fields & _DESCRIPTION else 0.0
            continue
        share = hit.idf / of.total
        numbers["words"] += hit.score
        numbers["wanted"] += hit.score if hit.word in of.wanted else 0.0
        numbers["in_name"] += share * name if fields & _NAME else 0.0
        numbers["in_description"] += share * told if fields & _DESCRIPTION else 0.0
        numbers["in_body"] += share if fields & _BODY else 0.0
    unit = index.lexical.unknown_idf
    for counted in ("words", "hinted", "wanted"):
        numbers[counted] /= unit
    numbers[BLEND] = float(scores.blended[number])
    numbers["meaning"], numbers["wanted_meaning"] = meaning
    numbers["whole_meaning"] = scores.meaning(number)
    numbers["of_name"] = _of_name(traits.name, hits, index)
    numbers["sentences"] = 0.0 if scores.sentences is None else float(scores.sentences[number])
    return Shortlisted(numbers, traits.marks)


def _of_name(name: frozenset[str], hits: Sequence[TermHit], index: RoutingIndex) -> float:
    """How much of a name the request holds, rare words counting more: 0–1."""
    named = [hit.found for hit in hits if int(hit.fields) & _NAME]
    if not named:
        return 0.0
    weight = index.lexical.weight_of
    found = name.intersection(stem_all(named))
    return sum(map(weight, found)) / sum(map(weight, name)) if found else 0.0


def agent_traits(spec: AgentSpec) -> AgentTraits:
    """Read what of an agent is the same for every request."""
    return AgentTraits(
        frozenset(_marks(spec)),
        frozenset(stem_all(words(spec.name))),
        _dilution(Field.NAME, spec.name),
        _dilution(Field.DESCRIPTION, spec.description),
    )


def _dilution(field: Field, text: str) -> float:
    return FIELD_WEIGHTS[field].dilution(max(1, len(words(text)))) ** 2


def _marks(spec: AgentSpec) -> Iterator[str]:
    roles = roles_of(spec.name)
    yield from roles if 0 < len(roles) <= _MOST_ROLES else ("area",)
    if spec.source.kind is SourceKind.BUNDLED:
        yield BUNDLED
        yield f"{BUNDLED} {spec.name}"
    if is_generalist(spec):
        yield GENERALIST
    if reads_only(spec):
        yield READS_ONLY
