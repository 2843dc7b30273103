"""Fit the weights of `secretary_tui/routing/confidence.py`.

`python -m benchmarks.routing_confidence [--labels FILE] [--corpora DIR]`

A logistic regression (L2 1, Newton's method) over the first four matches of each labelled request,
on the whole libraries and on random parts of them. In a part most requests have no right agent;
those are weighted so that they make up 29 %, and each part size weighs about as much as two of the
whole. Prints the weights fitted on everything and the reliability out of fold (five folds over
requests, so that a request never judges itself, whatever the part).
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from benchmarks.routing import SHARED, Benchmark, load
from secretary_tui.registry.spec import AgentSpec
from secretary_tui.routing.confidence import features
from secretary_tui.routing.lexical import LexicalIndex
from secretary_tui.routing.matcher import LocalMatcher

PARTS = ((12, 12), (40, 4))
"""Sizes of the random parts, and how many of each are drawn."""
NONE_SHARE = 0.4
"""Weight of all requests without a right agent, relative to those with one."""
FOLDS = 5
DEPTH = 4


@dataclass(frozen=True, slots=True)
class Sample:
    """One match: its features (1 first, for the intercept) and whether it was right."""

    values: tuple[float, ...]
    right: bool
    request: str
    weight: float
    size: int
    """Agents in the library's part; 0 for the whole."""


def samples(benchmark: Benchmark, size: int, rng: random.Random) -> list[Sample]:
    """The samples of all requests against the libraries, or a random part of each."""
    gathered: list[tuple[str, bool, tuple[float, ...], bool]] = []
    for corpus, agents in benchmark.libraries.items():
        matcher = LocalMatcher(_part(agents, size, rng))
        held = {str(spec.path) for group in matcher.groups for spec in group}
        for labelled in benchmark.requests:
            if labelled.corpus == corpus:
                for values, right in _judge(matcher, labelled.request, labelled.gold):
                    gathered.append((labelled.id, bool(labelled.gold & held), values, right))
    answerable = len({row[0] for row in gathered if row[1]})
    hopeless = len({row[0] for row in gathered if not row[1]})
    less = min(1.0, NONE_SHARE * answerable / hopeless) if size else 1.0
    return [
        Sample(values, right, request, 1.0 if has else less, size)
        for request, has, values, right in gathered
    ]


def _part(agents: Sequence[AgentSpec], size: int, rng: random.Random) -> list[AgentSpec]:
    if not size:
        return list(agents)
    groups = LocalMatcher(agents).groups
    return [spec for group in rng.sample(list(groups), size) for spec in group]


def _judge(
    matcher: LocalMatcher, request: str, gold: frozenset[str]
) -> list[tuple[tuple[float, ...], bool]]:
    index: LexicalIndex = matcher.index
    terms = index.parse(request)
    scores = index.score_terms(terms)
    order = matcher.order(scores)
    judged = []
    for number in order[:DEPTH]:
        if scores[number] > 0:
            rival = matcher.rival_score(number, order, scores)
            hits = index.hits(terms, number)
            of = features(terms, hits, scores[number], rival, index.unknown_idf)
            right = any(str(spec.path) in gold for spec in matcher.groups[number])
            judged.append(((1.0, *astuple(of)), right))
    return judged


def fit(rows: Sequence[Sample], l2: float = 1.0, steps: int = 12) -> list[float]:
    """Weights of the logistic regression, intercept first."""
    n = len(rows[0].values)
    weights = [0.0] * n
    for _ in range(steps):
        gradient = [0.0] + [-l2 * weight for weight in weights[1:]]
        hessian = [[(l2 if i and i == j else 0.0) for j in range(n)] for i in range(n)]
        for row in rows:
            p = probability(weights, row.values)
            error, curve = row.weight * (row.right - p), row.weight * p * (1 - p)
            for i, value in enumerate(row.values):
                gradient[i] += error * value
                for j in range(n):
                    hessian[i][j] += curve * value * row.values[j]
        step = solve(hessian, gradient)
        weights = [weight + change for weight, change in zip(weights, step, strict=True)]
    return weights


def probability(weights: Sequence[float], values: Sequence[float]) -> float:
    """The logistic function of the weighted sum."""
    return 1 / (1 + math.exp(-sum(w * v for w, v in zip(weights, values, strict=True))))


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve a small positive definite system by Gauss-Jordan elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i, pivot in enumerate(rows):
        scaled = [value / pivot[i] for value in pivot]
        rows[i] = scaled
        for j, row in enumerate(rows):
            if j != i:
                rows[j] = [a - row[i] * b for a, b in zip(row, scaled, strict=True)]
    return [row[-1] for row in rows]


def cross_validate(rows: Sequence[Sample], rng: random.Random) -> None:
    """Print the reliability out of fold, for each size of library."""
    requests = sorted({row.request for row in rows})
    rng.shuffle(requests)
    fold = {request: number % FOLDS for number, request in enumerate(requests)}
    judged: list[tuple[float, Sample]] = []
    for number in range(FOLDS):
        weights = fit([row for row in rows if fold[row.request] != number])
        judged += [
            (probability(weights, row.values), row) for row in rows if fold[row.request] == number
        ]
    for size in sorted({row.size for row in rows}):
        print(f"\nout of fold, {size or 'all'} agents\n  confidence   weight   mean  right")
        for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 1.0)):
            band = [(p, row) for p, row in judged if row.size == size and low <= p < high]
            total = sum(row.weight for _, row in band)
            if total:
                mean = sum(p * row.weight for p, row in band) / total
                right = sum(row.right * row.weight for _, row in band) / total
                between = f"{low * 100:3.0f}–{high * 100:3.0f}"
                print(f"  {between}    {total:7.0f}   {mean:4.0%}   {right:4.0%}")


def main() -> None:
    """Read the arguments, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labels", type=Path, default=SHARED / "routing" / "dev.jsonl")
    parser.add_argument("--corpora", type=Path, default=SHARED / "corpora")
    arguments = parser.parse_args()
    benchmark = load(arguments.labels.resolve(), arguments.corpora.resolve())
    rng = random.Random(2)
    rows = samples(benchmark, 0, rng)
    for size, draws in PARTS:
        for _ in range(draws):
            rows += samples(benchmark, size, rng)
    print("intercept, strength, coverage, headline, lead:")
    print("  " + ", ".join(f"{weight:.2f}" for weight in fit(rows)))
    cross_validate(rows, rng)


if __name__ == "__main__":
    main()
