"""Learn the weights of `secretary_tui/routing/match/reranker.py`.

`python tools/train_reranker.py --corpora DIR [--check]`; needs scipy.

Reads `tools/requests/*.jsonl`: our own requests, each with the files of all agents of one public
library that are right for it (`library` is the folder below DIR, `gold` are paths in it; for
`bundled`, the agents of this repository). Where `bundled` is set, the bundled agents stand beside
the library, and `ok` names the right ones. One model for words alone, one with the meaning of
sentences (when the sentence model is here).

A listwise logistic regression: the right agents together shall get most of the weight among the
best forty. Prints top-1, top-3 and hit@10 of each third of the libraries judged by weights learnt
from the others;
without `--check` it then writes the weights learnt from all.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.request_sets import Labelled, read_sets
from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.match.reranker import BUNDLED, GENERALIST, WEIGHTS, Shortlist
from secretary_tui.routing.match.sentence_indexer import SentenceIndexer
from secretary_tui.routing.sentences.sentence_model import find_sentence_model
from secretary_tui.routing.words.request_reading import read_request

REQUESTS = Path(__file__).parent / "requests"
BEST = 40
NUMBER_L2, ROLE_L2, BUNDLED_L2 = 3.0, 6.0, 0.7
"""How much weights are shrunk; those of the bundled agents least, whose examples are the most."""
EVERYDAY = 3
"""What an everyday request counts, where others count 1."""
GROUPS = 3
RARE = 4
"""Requests below which a mark is not learnt."""
SMALLEST = 0.02
STEPS = 400


@dataclass(frozen=True, slots=True)
class Example:
    """A request with its described candidates."""

    labelled: Labelled
    shortlist: Shortlist
    right: Any
    """For each candidate whether it is right."""


def examples(labelled: Iterable[Labelled], sentences: bool) -> list[Example]:
    """Describe the candidates of all requests that have an answer."""
    matchers: dict[str, LocalMatcher] = {}
    indexer = SentenceIndexer() if sentences else None
    found = []
    for each in labelled:
        matcher = matchers.get(each.library)
        if matcher is None:
            matcher = matchers[each.library] = LocalMatcher(each.agents)
            if indexer is not None:
                indexer.build(matcher)
        if each.right:
            reading = read_request(each.request)
            scores = matcher.index.score(
                reading.text, matcher.sentences, mend=not reading.spelled, hints=reading.hints
            )
            described = matcher.describe(reading.text, scores, BEST)
            right = [
                any(str(spec.path) in each.right for spec in matcher.groups[number])
                for number in described.candidates
            ]
            found.append(Example(each, described, np.array(right)))
    return found


class Design:
    """The columns of the features: numbers first, then marks that are frequent enough."""

    def __init__(self, learnt: Sequence[Example]) -> None:
        each = [c for example in learnt for c in example.shortlist.candidates.values()]
        self.numbers = sorted({name for candidate in each for name in candidate.numbers})
        seen = Counter(mark for example in learnt for mark in _columns(example))
        self.marks = sorted(mark for mark, times in seen.items() if times >= RARE)
        self._at = {mark: place for place, mark in enumerate(self.marks, len(self.numbers))}
        rows = np.array([[c.numbers.get(name, 0.0) for name in self.numbers] for c in each])
        self.scale = np.concatenate([rows.std(0) + 1e-9, np.ones(len(self.marks))])
        known = ("bundled", "generalist", "reads only")
        marks = [BUNDLED_L2 if mark.startswith(known) else ROLE_L2 for mark in self.marks]
        self.shrink = np.array([NUMBER_L2] * len(self.numbers) + marks)

    def rows(self, example: Example) -> Any:
        """The scaled features of an example's candidates, a sparse matrix."""
        from scipy.sparse import csr_matrix

        columns: list[int] = []
        values: list[float] = []
        starts = [0]
        for candidate in example.shortlist.candidates.values():
            for place, name in enumerate(self.numbers):
                columns.append(place)
                values.append(candidate.numbers.get(name, 0.0) / self.scale[place])
            for mark, value in example.shortlist.columns(candidate):
                if mark in self._at:
                    columns.append(self._at[mark])
                    values.append(value)
            starts.append(len(columns))
        return csr_matrix((values, columns, starts), (len(starts) - 1, len(self.scale)))


def _columns(example: Example) -> set[str]:
    described = example.shortlist
    return {mark for each in described.candidates.values() for mark, _ in described.columns(each)}


def learn(design: Design, learnt: Sequence[Example]) -> Any:
    """The weights that make the right agents likeliest."""
    from scipy.optimize import minimize
    from scipy.sparse import vstack

    learnt = [
        example
        for example in learnt
        if example.right.any()
        for _ in range(EVERYDAY if example.labelled.everyday else 1)
    ]
    x = vstack([design.rows(example) for example in learnt]).tocsr()
    right = np.concatenate([example.right for example in learnt])
    starts = np.cumsum([0, *(len(example.right) for example in learnt)])[:-1]
    of = np.repeat(np.arange(len(learnt)), [len(example.right) for example in learnt])

    def loss(weights: Any) -> tuple[float, Any]:
        scores = x @ weights
        shares = np.exp(scores - np.maximum.reduceat(scores, starts)[of])
        shares /= np.add.reduceat(shares, starts)[of]
        hit = np.maximum(np.add.reduceat(shares * right, starts), 1e-12)
        gradient = x.T @ (shares - shares * right / hit[of]) + design.shrink * weights
        value = -np.log(hit).sum() + (design.shrink * weights**2).sum() / 2
        return float(value), gradient

    # More of a number never speaks against an agent: else a name that holds the words would.
    bound = [not name.startswith((BUNDLED, GENERALIST)) for name in design.numbers]
    bound += [False] * len(design.marks)
    bounds = [(0.0 if each else None, None) for each in bound]
    found = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds,
                     options={"maxiter": STEPS})  # fmt: skip
    return found.x


def figures(ranks: Sequence[int]) -> str:
    """Top-1, top-3 and hit@10 in per cent."""
    places = np.array(ranks)
    return " / ".join(f"{100 * np.mean(places <= n):.1f}" for n in (1, 3, 10)) + f"  n={len(ranks)}"


def judge(found: Sequence[Example]) -> Iterator[str]:
    """What each third of the libraries gets by weights learnt from the others, and by kind."""
    libraries = sorted({example.labelled.library for example in found})
    group_of = {library: number % GROUPS for number, library in enumerate(libraries)}
    ranks: dict[str, list[int]] = defaultdict(list)
    for group in range(GROUPS):
        others = [e for e in found if group_of[e.labelled.library] != group]
        design = Design(others)
        weights = learn(design, others)
        for example in (e for e in found if group_of[e.labelled.library] == group):
            order = np.argsort(-(design.rows(example) @ weights), kind="stable")
            places = np.flatnonzero(example.right[order])
            rank = int(places[0]) + 1 if len(places) else BEST + 1
            sort = "everyday" if example.labelled.everyday else "library"
            for name in (sort, f"{sort}, {example.labelled.kind}"):
                ranks[name].append(rank)
    for name, places_ in sorted(ranks.items()):
        yield f"  {name:24} {figures(places_)}"


def weights_of(found: Sequence[Example]) -> Mapping[str, Any]:
    """The weights learnt from everything, as they are shipped."""
    design = Design(found)
    weights = (learn(design, found) / design.scale).round(3)
    cut = len(design.numbers)
    marks = zip(design.marks, weights[cut:].tolist(), strict=True)
    return {
        "numbers": dict(zip(design.numbers, weights[:cut].tolist(), strict=True)),
        "marks": {mark: weight for mark, weight in marks if abs(weight) >= SMALLEST},
    }


def main() -> None:
    """Read the arguments, judge, learn and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    labelled = list(read_sets(sorted(REQUESTS.glob("*.jsonl")), arguments.corpora))
    shipped = {}
    for name, sentences in (("words", False), ("sentences", True)):
        if sentences and find_sentence_model() is None:
            raise SystemExit("The sentence model is not here: `secretary-tui model get semantic`.")
        found = examples(labelled, sentences)
        print(name, *judge(found), sep="\n")
        shipped[name] = weights_of(found)
    if not arguments.check:
        WEIGHTS.write_text(json.dumps(shipped, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
