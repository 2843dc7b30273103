"""Fit the weights of `secretary_tui/routing/match/confidence.py`.

`python -m benchmarks.routing_confidence [--labels FILE --corpora DIR]`

Both sets of them: for scores made of words, and for scores that the meaning of sentences counts in
(when the sentence model is here).

Two logistic regressions, on the whole libraries and on random parts of 12 and 40 agents of them.
*Does any agent fit?* is learnt from requests that have an answer against those that have none in
any library (a request whose specialist is merely missing from a part is neither). *Is it this
one?* is learnt from the first four matches of all requests but the latter, where requests whose
specialist is missing count a quarter of those that have an answer. A part size weighs half as much
as the whole for the first question and as much as the whole for the second.

Prints the weights fitted on everything, and what the confidences do out of fold: five folds over
requests, so that a request never judges itself, whatever the part; then one library judged by the
other.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.routing import Benchmark, load
from benchmarks.sample_library import labelled_or_sample
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.match import confidence as model
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.match.sentence_indexer import SentenceIndexer
from secretary_tui.routing.sentences.sentence_model import find_sentence_model

PARTS = ((12, 12), (40, 4))
"""Sizes of the random parts, and how many of each are drawn."""
MISSING_SHARE = 0.25
"""Weight of all requests whose specialist is missing, relative to those with an answer."""
FOREIGN_SHARE = 0.1
"""Weight of all requests that no library answers, relative to those with an answer."""
FIT_L2, MATCH_L2 = 0.1, 0.3
FOLDS = 5
DEPTH = 4
BANDS = (0, 10, 30, 50, 60, 70, 80, 90, 101)


@dataclass(frozen=True, slots=True)
class Sample:
    """One match: its features and whether it was right."""

    fit: tuple[float, ...]
    match: model.MatchFeatures
    place: int
    right: bool
    request: str
    corpus: str
    size: int
    """Agents in the library's part; 0 for the whole."""
    answered: bool
    """Whether the part holds a right agent."""
    foreign: bool
    """Whether no library does."""


def samples(benchmark: Benchmark, indexer: SentenceIndexer | None) -> list[Sample]:
    """The samples of all requests against the libraries and random parts of them."""
    rng = random.Random(2)
    gathered = list(_judge(benchmark, 0, rng, indexer))
    for size, draws in PARTS:
        for _ in range(draws):
            gathered += _judge(benchmark, size, rng, indexer)
    return gathered


def _judge(
    benchmark: Benchmark, size: int, rng: random.Random, indexer: SentenceIndexer | None
) -> list[Sample]:
    judged = []
    for corpus, agents in benchmark.libraries.items():
        matcher = LocalMatcher(_part(agents, size, rng))
        if indexer is not None:
            indexer.build(matcher)
        held = {str(spec.path) for group in matcher.groups for spec in group}
        for labelled in benchmark.requests:
            if labelled.corpus != corpus:
                continue
            ranked = matcher.judge(labelled.request, DEPTH)
            for place, (number, of) in enumerate(zip(ranked.order, ranked.features, strict=True)):
                right = any(str(spec.path) in labelled.gold for spec in matcher.groups[number])
                judged.append(
                    Sample(
                        astuple(ranked.fit),
                        of,
                        place,
                        right,
                        labelled.id,
                        corpus,
                        size,
                        bool(labelled.gold & held),
                        not labelled.gold,
                    )
                )
    return judged


def _part(agents: Sequence[AgentSpec], size: int, rng: random.Random) -> list[AgentSpec]:
    if not size:
        return list(agents)
    groups = LocalMatcher(agents).groups
    return [spec for group in rng.sample(list(groups), size) for spec in group]


class Table:
    """The samples as arrays, with the weights of both questions."""

    def __init__(self, rows: Sequence[Sample], fit_from: float) -> None:
        self.rows = rows
        self.fit_from = fit_from
        self.fit = np.array([(1.0, *row.fit) for row in rows])
        self.match = np.array([(1.0, *astuple(row.match)) for row in rows])
        self.right = np.array([row.right for row in rows], dtype=float)
        self.answered = np.array([row.answered for row in rows])
        self.foreign = np.array([row.foreign for row in rows])
        self.first = np.array([row.place == 0 for row in rows])
        self.size = np.array([row.size for row in rows])
        self.fit_weight = np.zeros(len(rows))
        self.match_weight = np.zeros(len(rows))
        whole = self._count(self.answered & (self.size == 0))
        for size in sorted(set(self.size.tolist())):
            here = self.size == size
            answered, foreign = here & self.answered, here & self.foreign
            missing = here & ~self.answered & ~self.foreign
            half = 1.0 if size == 0 else 0.5
            self._weigh(self.fit_weight, answered & self.first, half * whole)
            self._weigh(self.fit_weight, foreign & self.first, half * whole * FOREIGN_SHARE)
            self._weigh(self.match_weight, answered & self.first, whole)
            self._weigh(self.match_weight, missing & self.first, whole * MISSING_SHARE)
            self._weigh(self.match_weight, foreign & self.first, whole * FOREIGN_SHARE)
        for number, row in enumerate(rows):
            if row.place:
                self.match_weight[number] = self.match_weight[number - 1]

    def _count(self, chosen: Any) -> int:
        return int((chosen & self.first).sum())

    def _weigh(self, weights: Any, chosen: Any, total: float) -> None:
        if chosen.any():
            weights[chosen] = total / chosen.sum()


def fit(x: Any, y: Any, weight: Any, l2: float, steps: int = 25) -> Any:
    """Weights of a logistic regression by Newton's method, the intercept (not shrunk) first."""
    weights = np.zeros(x.shape[1])
    shrink = np.array([1e-6] + [l2] * (x.shape[1] - 1))
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ weights))
        gradient = x.T @ (weight * (y - p)) - shrink * weights
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(shrink)
        weights = weights + np.linalg.solve(hessian, gradient)
    return weights


def fit_both(table: Table, learn: Any) -> tuple[Any, Any]:
    """The weights of both questions, learnt from some of the samples."""
    of_fit = learn & (table.fit_weight > 0)
    fitted = fit(table.fit[of_fit], table.answered[of_fit] * 1.0, table.fit_weight[of_fit], FIT_L2)
    of_match = learn & ~table.foreign
    matched = fit(
        table.match[of_match], table.right[of_match], table.match_weight[of_match], MATCH_L2
    )
    return fitted, matched


def confidences(table: Table, fitted: Any, matched: Any, judged: Any) -> Any:
    """What the matcher would show for the judged samples with these weights."""
    fit_from = table.fit_from
    any_fits = 1 / (1 + np.exp(-table.fit @ fitted))
    this_one = 1 / (1 + np.exp(-table.match @ matched))
    sure = np.zeros(len(table.rows), dtype=int)
    for number in np.flatnonzero(judged).tolist():
        p = float(any_fits[number])
        of = table.rows[number].match
        sure[number] = model.decide(
            model.Fit(p, p >= fit_from), float(this_one[number]), leads=of.gap == 0
        )
        if table.rows[number].place:
            sure[number] = min(sure[number], sure[number - 1])
    return sure


def out_of_fold(table: Table, key: Callable[[Sample], int]) -> Any:
    """Confidences of all samples, each judged by weights learnt from the other folds."""
    fold = np.array([key(row) for row in table.rows])
    sure = np.zeros(len(table.rows), dtype=int)
    for number in sorted(set(fold.tolist())):
        fitted, matched = fit_both(table, fold != number)
        sure += np.where(fold == number, confidences(table, fitted, matched, fold == number), 0)
    return sure


def show(table: Table, sure: Any) -> None:
    """Print the reliability and what happens when none fits, for each size of library."""
    for size in sorted(set(table.size.tolist())):
        here = table.size == size
        print(f"  {size or 'all'} agents\n    confidence   weight   mean  right")
        for low, high in pairwise(BANDS):
            band = here & (sure >= low) & (sure < high)
            total = table.match_weight[band].sum()
            if total >= 1:
                mean = np.average(sure[band], weights=table.match_weight[band])
                right = np.average(table.right[band], weights=table.match_weight[band])
                print(f"    {low:3}–{high - 1:3}      {total:7.0f}   {mean:3.0f}%   {right:4.0%}")
        firsts = here & table.first
        foreign = sure[firsts & table.foreign] >= model.SHOWN
        missing = sure[firsts & ~table.foreign & ~table.answered] >= model.SHOWN
        answered = sure[firsts & table.answered] < model.SHOWN
        print(
            f"    none fits: false accepts {foreign.mean():.1%} of {len(foreign)}, false rejects "
            f"{answered.mean():.1%} of {len(answered)}"
            + (f"; specialist missing: shown {missing.mean():.0%}" if len(missing) else "")
        )


def main() -> None:
    """Read the arguments, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labels", type=Path, help="labelled requests; made-up ones without it")
    parser.add_argument("--corpora", type=Path, help="the collections that they speak of")
    arguments = parser.parse_args()
    with labelled_or_sample(arguments.labels, arguments.corpora) as (labels, corpora):
        benchmark = load(labels, corpora)
    print("words and their meaning")
    report(Table(samples(benchmark, None), model.WORDS.fit_from))
    if find_sentence_model() is None:
        print("\nThe sentence model is not here: `secretary-tui model get semantic`.")
        return
    print("\nwith the meaning of sentences")
    report(Table(samples(benchmark, SentenceIndexer()), model.SENTENCES.fit_from))


def report(table: Table) -> None:
    """Fit the weights of one set and print what they do."""
    everything = np.ones(len(table.rows), dtype=bool)
    fitted, matched = fit_both(table, everything)
    print("any fits: intercept, strength, meaning, words, size, sentences")
    print("  " + ", ".join(f"{weight:.2f}" for weight in fitted))
    print("this one: intercept, strength, meaning, gap, lead, sentences")
    print("  " + ", ".join(f"{weight:.2f}" for weight in matched))
    requests = sorted({row.request for row in table.rows})
    random.Random(0).shuffle(requests)
    fold = {request: number % FOLDS for number, request in enumerate(requests)}
    print("\nfive folds over requests")
    show(table, out_of_fold(table, lambda row: fold[row.request]))
    corpora = sorted({row.corpus for row in table.rows})
    if len(corpora) > 1:
        print("\neach library judged by the others")
        show(table, out_of_fold(table, lambda row: corpora.index(row.corpus)))


if __name__ == "__main__":
    main()
