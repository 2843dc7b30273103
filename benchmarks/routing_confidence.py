"""Fit the weights of `secretary_tui/routing/match/confidence.py`.

`python -m benchmarks.routing_confidence --corpora DIR [--plot FOLDER]`

Needs scipy. `--plot docs/images` draws the pictures of `docs/routing.md`.

Both sets of them: for scores made of words, and for scores that the meaning of sentences counts in
(when the sentence model is here). Learns from `tools/requests/*.jsonl`.

Two logistic regressions, on whole libraries and on random parts of 12 and 40 agents of them. *Does
any agent fit?* is learnt from requests that have an answer against those that have none (a request
whose specialist is merely missing from a part counts a quarter, as no answer). *Is it this one?* is
learnt from the first four of a ranking whose library holds an answer. The libraries are in three
groups: each is ranked by a reranker that was learnt from the other two, since the shipped one knows
all of these requests. Prints the weights, and what the confidences do for each group when learnt
from the others: for each band what was stated and how often the first was right, none included.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration_plot import Band, plot
from benchmarks.request_sets import Labelled, read_sets
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.match import confidence as model
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.match.reranker import RerankerWeights
from secretary_tui.routing.match.sentence_indexer import SentenceIndexer
from secretary_tui.routing.sentences.sentence_model import find_sentence_model
from tools import train_reranker

PARTS = ((12, 1),)
"""Sizes of the random parts, and how many of each are drawn."""
PART_WEIGHT = 0.3
MISSING_WEIGHT = 0.25
GROUPS = 3
FIT_L2, MATCH_L2 = 0.3, 0.3
DEPTH = 4
BANDS = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 101)


@dataclass(frozen=True, slots=True)
class Sample:
    """One match: its features and whether it was right."""

    fit: tuple[float, ...]
    match: tuple[float, ...]
    place: int
    right: bool
    group: int
    whole: bool
    answered: bool
    """Whether the library, or its part, holds a right agent."""
    weight: float


def samples(labelled: Sequence[Labelled], sentences: bool) -> list[Sample]:
    """The samples of all requests, each group of libraries ranked as the others teach."""
    libraries = sorted({each.library for each in labelled})
    group_of = {library: number % GROUPS for number, library in enumerate(libraries)}
    examples = train_reranker.examples(labelled, sentences)
    found: list[Sample] = []
    for group in range(GROUPS):
        others = [e for e in examples if group_of[e.labelled.library] != group]
        weights = train_reranker.weights_of(others)
        learnt = RerankerWeights(weights["numbers"], weights["marks"])
        judged = [each for each in labelled if group_of[each.library] == group]
        found += _judge(judged, group, learnt, SentenceIndexer() if sentences else None)
    return found


def _judge(
    labelled: Sequence[Labelled],
    group: int,
    weights: RerankerWeights,
    indexer: SentenceIndexer | None,
) -> Iterator[Sample]:
    rng = random.Random(group)
    for library in sorted({each.library for each in labelled}):
        here = [each for each in labelled if each.library == library]
        agents = list(here[0].agents)
        sizes = [0, *(size for size, draws in PARTS for _ in range(draws) if size < len(agents))]
        for size in sizes:
            matcher = LocalMatcher(_part(agents, size, rng))
            matcher.reranker = weights
            if indexer is not None:
                indexer.build(matcher)
            for each in here:
                yield from _samples(each, matcher, group, not size)


def _samples(
    labelled: Labelled, matcher: LocalMatcher, group: int, whole: bool
) -> Iterator[Sample]:
    held = {str(spec.path) for specs in matcher.groups for spec in specs}
    answered = bool(labelled.right & held)
    weight = 1.0 if whole else PART_WEIGHT
    if labelled.right and not answered:
        weight *= MISSING_WEIGHT
    ranked = matcher.judge(labelled.request, DEPTH)
    for place, (number, of) in enumerate(zip(ranked.order, ranked.features, strict=True)):
        right = any(str(spec.path) in labelled.right for spec in matcher.groups[number])
        yield Sample(astuple(ranked.fit), astuple(of), place, right, group, whole, answered, weight)


def _part(agents: Sequence[AgentSpec], size: int, rng: random.Random) -> list[AgentSpec]:
    if not size:
        return list(agents)
    groups = LocalMatcher(agents).groups
    return [spec for group in rng.sample(groups, min(size, len(groups))) for spec in group]


def logistic(x: Any, y: Any, weight: Any, l2: float, steps: int = 25) -> Any:
    """Weights of a logistic regression by Newton's method, the intercept (not shrunk) first."""
    weights = np.zeros(x.shape[1])
    shrink = np.array([1e-6] + [l2] * (x.shape[1] - 1))
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (weight * (y - p)) - shrink * weights
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(shrink + 1e-9)
        weights = weights + np.linalg.solve(hessian, gradient)
    return weights


def learn(rows: Sequence[Sample]) -> tuple[Any, Any]:
    """The weights of both questions."""
    first = [row for row in rows if row.place == 0]
    fitted = logistic(
        np.array([(1.0, *row.fit) for row in first]),
        np.array([row.answered for row in first], dtype=float),
        np.array([row.weight for row in first]),
        FIT_L2,
    )
    inside = [row for row in rows if row.answered]
    matched = logistic(
        np.array([(1.0, *row.match) for row in inside]),
        np.array([row.right for row in inside], dtype=float),
        np.array([row.weight for row in inside]),
        MATCH_L2,
    )
    return fitted, matched


def confidences(rows: Sequence[Sample], fitted: Any, matched: Any) -> list[int]:
    """What the matcher would state for each."""
    fits = 1 / (1 + np.exp(-np.array([(1.0, *row.fit) for row in rows]) @ fitted))
    this = 1 / (1 + np.exp(-np.array([(1.0, *row.match) for row in rows]) @ matched))
    return [min(model.HIGHEST, round(100 * p)) for p in (fits * this).tolist()]


def bands(stated: Sequence[tuple[int, bool]]) -> list[Band]:
    """What was stated and observed in each band that holds something."""
    found = []
    for low, high in pairwise(BANDS):
        inside = [(sure, right) for sure, right in stated if low <= sure < high]
        if inside:
            sures, rights = zip(*inside, strict=True)
            found.append(Band(float(np.mean(sures)), 100 * float(np.mean(rights)), len(inside)))
    return found


def report(name: str, rows: Sequence[Sample], folder: Path | None) -> None:
    """Fit the weights of one set and print what they do."""
    fitted, matched = learn(rows)
    for label, weights, of in (("fit", fitted, model.FitFeatures), ("match", matched,
                               model.MatchFeatures)):  # fmt: skip
        told = zip(("intercept", *(f.name for f in fields(of))), weights, strict=True)
        print(f"  {label}: " + ", ".join(f"{key}={weight:.2f}" for key, weight in told))
    stated: list[tuple[int, bool]] = []
    for group in range(GROUPS):
        learnt = learn([row for row in rows if row.group != group])
        judged = [row for row in rows if row.group == group and row.whole and row.place == 0]
        sures = confidences(judged, *learnt)
        stated += ((sure, row.right) for sure, row in zip(sures, judged, strict=True))
        accepted = [s > 70 for s, row in zip(sures, judged, strict=True) if not row.answered]
        print(f"  group {group}: none fits, above 70: {sum(accepted)} of {len(accepted)}")
    for band in bands(stated):
        print(f"  stated {band.stated:5.1f}   right {band.observed:5.1f}   n={band.count}")
    if folder is not None:
        plot(bands(stated), folder / f"calibration-{name}.svg", f"Confidence, {name}")


def main() -> None:
    """Read the arguments, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--plot", type=Path, help="draw the calibration into this folder")
    arguments = parser.parse_args()
    files = sorted(train_reranker.REQUESTS.glob("*.jsonl"))
    labelled = list(read_sets(files, arguments.corpora))
    print("words")
    report("words", samples(labelled, False), arguments.plot)
    if find_sentence_model() is None:
        print("\nThe sentence model is not here: `secretary-tui model get semantic`.")
        return
    print("\nsentences")
    report("sentences", samples(labelled, True), arguments.plot)


if __name__ == "__main__":
    main()
