"""What was learnt, applied: how the examples of agents move their scores for a new request.

A new request is compared with the examples that share a word with it (directions of meaning, and
words by how rare they are). The nearest one counts at once, further ones the more the nearer they
are. All of it is bounded: one choice moves an agent by less than two deviations of the blended
score, which decides close calls and overturns no obvious agent, but is seen next to it for nearly
the same request; a second one lets the chosen agent lead. Nobody falls because another one rose,
and who was passed over loses a few points of confidence and no place. Forgetting undoes it all.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from secretary_tui.routing.index.arithmetic import Arithmetic
from secretary_tui.routing.index.lexical import QueryTerm
from secretary_tui.routing.index.vectors import UNIT, request_vector
from secretary_tui.routing.match.confidence import SHOWN
from secretary_tui.routing.match.lessons import Example, Origin
from secretary_tui.routing.words.file_names import without_files
from secretary_tui.routing.words.request_reading import read_request
from secretary_tui.routing.words.terms import stem_all, words
from secretary_tui.routing.words.word_vectors import WordVectors, word_vectors

MEANING_SHARE = 0.7
UNRELATED = 0.1
"""Closeness up to which two requests have nothing to do with each other."""
NEAR = 0.6
"""Closeness from which an example counts even when no agent seems to fit."""
SUCH = 0.25
"""Closeness from which an example is counted as *such a request* in the reason."""
MOST_BONUS = 6.5
"""What many choices for the same request add to a blended score, in its deviations."""
ONE_CHOICE = 0.4
"""The share of `MOST_BONUS` that one choice for the same request earns: 1.8 deviations."""
SAME = 0.2
"""Certainty from which a request is taken for one that was seen before."""
CLEAR = 0.3
"""By how much an agent leads that was chosen for the very request."""
ELSEWHERE_SAID = "in another project"
SAME_AGAIN = 0.4
"""Likeness (closeness to the fourth) from which choices are counted together for that."""
OFTEN = 1.5
"""What choices for nearly the same request must weigh to overturn an obvious agent: two do."""
DOUBT = 0.04
"""The part of a confidence that being passed over for the same request costs at most."""
_STEEPNESS = 3.0
_SOON = 0.6
_UNSURE = 0.1
_MOST_CHARS = 2_000
_MOST_STEMS = 60
_COMPARED = 64
"""Examples compared by meaning: the nearest by words."""


@dataclass(frozen=True, slots=True)
class Lift:
    """What the examples say for one agent and one request."""

    bonus: float
    """Added to the blended score: from 0 to `MOST_BONUS`, or what it takes to be seen or lead."""
    certainty: float
    """0–1: how nearly the same request was given to this agent before."""
    doubt: float
    """0–1: how nearly the same request was given to another one instead."""
    chosen: int
    """How often the user chose it for such requests."""
    passed_over: int
    """How often the user chose another one although this was recommended."""
    written: bool
    """Whether its description has such a request."""
    elsewhere: bool = False
    """Whether all the choices of it were made in other projects."""
    near: float = 0.0
    """What the choices of it for nearly the same request weigh."""
    at_least: int = 0
    """The confidence that choices for nearly the same request assure."""
    request: str = ""
    """The nearest request that it was chosen for; empty when none is alike."""
    at: float = 0.0
    """When that was; 0 when nobody knows."""

    @property
    def reason(self) -> str:
        """The part of the reason line that says it, empty when the requests are hardly alike.

        Being passed over is no reason: it says nothing of what the agent is good for.
        """
        if self.chosen:
            where = f" {ELSEWHERE_SAID}" if self.elsewhere else ""
            return f"you chose it {_times(self.chosen)} for such requests{where}"
        return "its description has such a request" if self.written else ""

    @property
    def label(self) -> str:
        """What the bonus is called where parts of a score are listed; never empty."""
        return self.reason or "similar requests"

    def sure(self, confidence: int, highest: int) -> int:
        """A confidence in per cent with this known: near `highest` for a request seen before."""
        raised = confidence + max(0, highest - confidence) * self.certainty
        return max(round(raised * (1 - self.doubt * DOUBT)), min(self.at_least, highest))


@dataclass(frozen=True, slots=True)
class AnalysedRequest:
    """The words of an example and its direction in meaning."""

    stems: frozenset[str]
    length: float
    """Of the vector of its stems' weights, squared."""
    known: float
    """The part of `length` whose stems have a direction."""
    direction: array[int]


def analyse(request: str, known: WordVectors, arithmetic: Arithmetic) -> AnalysedRequest:
    """Analyse an example; it does not depend on the library, so it can be kept."""
    text = read_request(request[:_MOST_CHARS]).text
    distinct = dict.fromkeys(stem_all(words(without_files(text))))
    stems = list(distinct)[:_MOST_STEMS]
    terms = [QueryTerm(stem, stem, (), 0.0) for stem in stems]
    direction = request_vector(terms, known, lambda _: (), arithmetic)
    length = sum(_weight(stem, known) for stem in stems)
    in_dictionary = sum(_weight(stem, known) for stem in stems if stem in known.numbers)
    return AnalysedRequest(frozenset(stems), length, in_dictionary, direction)


@dataclass(frozen=True, slots=True)
class Learned:
    """The examples of a library's agents, ready to be compared with requests."""

    examples: tuple[tuple[int, Example], ...] = ()
    """Each with its agent's number."""
    analysed: tuple[AnalysedRequest, ...] = ()
    """For each of `examples`."""
    holders: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The places in `examples` by the stems they hold."""

    def lifts(
        self, terms: Sequence[QueryTerm], arithmetic: Arithmetic, *, from_: float = 0.0
    ) -> dict[int, Lift]:
        """What the examples say for a request, by agent; only examples from a closeness count."""
        if not self.examples:
            return {}
        found: dict[int, list[tuple[float, Example]]] = {}
        for place, closeness in self._close(terms, arithmetic):
            if closeness > 0 and closeness >= from_:
                number, example = self.examples[place]
                found.setdefault(number, []).append((closeness, example))
        return {number: _lift(near) for number, near in found.items()}

    def _close(
        self, terms: Sequence[QueryTerm], arithmetic: Arithmetic
    ) -> Iterable[tuple[int, float]]:
        """The examples that share words with a request, with their closeness from 0 to 1."""
        known = word_vectors()
        raw = stem_all(term.word for term in terms)
        length = in_dictionary = 0.0
        shared: dict[int, float] = {}
        unknown: dict[int, float] = {}
        for term, stem in zip(terms, raw, strict=True):
            # A typing error weighs what the word weighs that was meant.
            weight = _weight(term.stem if term.meanings else stem, known)
            length += weight
            has_direction = term.stem in known.numbers
            in_dictionary += weight if has_direction else 0.0
            meant = {stem, term.stem}
            for place in {place for each in meant for place in self.holders.get(each, ())}:
                shared[place] = shared.get(place, 0.0) + weight
                if not has_direction:
                    unknown[place] = unknown.get(place, 0.0) + weight
        by_words = {
            place: min(1.0, weight / math.sqrt(length * self.analysed[place].length))
            for place, weight in shared.items()
        }
        compared = sorted(by_words, key=lambda place: (-by_words[place], place))[:_COMPARED]
        if not compared:
            return
        direction = request_vector(terms, known, lambda _: (), arithmetic)
        rows = sum((self.analysed[place].direction for place in compared), array("h"))
        products = arithmetic.products(arithmetic.matrix(rows), direction)
        for place, product in zip(compared, products, strict=True):
            same = self.analysed[place].stems == frozenset(raw)
            # A word without a direction is one of its own: it must not make the others closer.
            example = self.analysed[place]
            share = math.sqrt(in_dictionary * example.known / (length * example.length))
            own = unknown.get(place, 0.0) / math.sqrt(length * example.length)
            meaning = float(product) / UNIT**2 * share + own
            alike = MEANING_SHARE * meaning + (1 - MEANING_SHARE) * by_words[place]
            alike = 1.0 if same else alike
            yield place, min(1.0, max(0.0, (alike - UNRELATED) / (1 - UNRELATED)))


def prepare(
    examples: Sequence[tuple[int, Example]],
    kept: Mapping[str, AnalysedRequest],
    arithmetic: Arithmetic,
) -> tuple[Learned, dict[str, AnalysedRequest]]:
    """Make examples ready, analysing only those that were not kept; gives what to keep."""
    known = word_vectors()
    analysed: dict[str, AnalysedRequest] = {}
    holders: dict[str, list[int]] = {}
    for place, (_, example) in enumerate(examples):
        request = example.request
        if request not in analysed:
            analysed[request] = kept.get(request) or analyse(request, known, arithmetic)
        for stem in analysed[request].stems:
            holders.setdefault(stem, []).append(place)
    rows = tuple(analysed[example.request] for _, example in examples)
    return Learned(tuple(examples), rows, holders), analysed


def let_chosen_lead(
    lifts: Mapping[int, Lift],
    leading: Sequence[int],
    blended: Sequence[float],
    *,
    sure: int,
    obvious: bool,
) -> Mapping[int, Lift]:
    """Raise the bonuses of agents that were chosen for nearly this request: one leads.

    `leading` are the agents that lead without the lifts, the first of them with the confidence
    `sure`. Where it is `obvious`, only an agent that was chosen more than once leads instead of
    it. The other chosen ones, and whoever was chosen once, come right behind the leader.
    """
    chosen = [number for number, lift in lifts.items() if lift.chosen and lift.certainty >= SAME]
    if not chosen:
        return lifts

    def score(number: int) -> float:
        return float(blended[number]) + (lifts[number].bonus if number in lifts else 0.0)

    raised = dict(lifts)
    chosen.sort(key=lambda number: (-lifts[number].certainty, -float(blended[number]), number))
    able = chosen
    if obvious:
        able = [n for n in chosen if n == leading[0] or lifts[n].near >= OFTEN]
    rivals = sorted((score(n) for n in {*leading, *lifts}.difference(chosen)), reverse=True)
    if able:
        first = able[0]
        others = [score(number) for number in {*leading, *lifts} - {first}]
        top = max(score(first), max(others, default=-math.inf) + CLEAR)
        bonus = top - float(blended[first])
        raised[first] = replace(lifts[first], bonus=bonus, at_least=max(SHOWN, sure))
    else:
        top = rivals.pop(0)
    below = rivals[0] if rivals else top - CLEAR
    behind = [number for number in chosen if number not in able[:1]]
    for place, number in enumerate(behind, start=1):
        own = max(score(number), top - (top - below) * place / (len(behind) + 1))
        at_least = max(SHOWN, sure) if own > top else SHOWN
        bonus = own - float(blended[number])
        raised[number] = replace(lifts[number], bonus=bonus, at_least=at_least)
    return raised


def _lift(near: list[tuple[float, Example]]) -> Lift:
    """Put the examples of one agent together: each takes its share of what is left to the most."""
    near.sort(key=lambda row: -row[0])
    up = 1.0
    certainty = doubt = weight = 0.0
    chosen = passed_over = 0
    written = here = False
    nearest = True
    like: Example | None = None
    for closeness, example in near:
        such = example.times if closeness >= SUCH else 0
        # However often it was chosen: a request is no surer than it is the same.
        same = closeness**4
        sure = same * (1 - _UNSURE**example.weight)
        if example.origin is Origin.PASSED_OVER:
            doubt = max(doubt, sure)
            passed_over += such
            continue
        counts = _at_once(closeness) if nearest else closeness**3
        nearest = False
        up *= (1 - ONE_CHOICE * counts) ** example.weight
        certainty = max(certainty, sure)
        if example.origin is Origin.CHOSEN:
            chosen += such
            here = here or (such > 0 and not example.elsewhere)
            like = like or (example if such else None)
            weight += example.weight if same >= SAME_AGAIN else 0.0
        else:
            written = written or such > 0
    bonus = MOST_BONUS * (1 - up)
    lift = Lift(bonus, certainty, doubt, chosen, passed_over, written, not here, weight)
    return replace(lift, request=like.request, at=like.at) if like is not None else lift


def _at_once(closeness: float) -> float:
    """How the nearest example counts: half of it soon, all of it for the same request."""
    soon = (1 - math.exp(-_STEEPNESS * closeness)) / (1 - math.exp(-_STEEPNESS))
    return _SOON * soon + (1 - _SOON) * closeness**4


def _weight(stem: str, known: WordVectors) -> float:
    """How much a word says, squared; one that no dictionary knows says most."""
    number = known.numbers.get(stem)
    return _rarest() ** 2 if number is None else known.idf[number] ** 2


@cache
def _rarest() -> float:
    return max(word_vectors().idf)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
