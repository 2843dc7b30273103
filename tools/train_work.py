"""Learn the weights that tell what kind of work a request asks for.

`python tools/train_work.py [--check]`, into `secretary_tui/routing/match/data/work.json`; needs
scipy.

Reads `tools/requests/work/*.tsv` (kind, tab, request; ours). A logistic regression over the words,
pairs of words and first words of a request, and over the mean direction of its words. Prints how
often the first and the first two kinds are right, each file judged by what was learnt from the
others; without `--check` it then writes the weights learnt from all.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from secretary_tui.routing.match.work import WEIGHTS, Work, direction, traits

REQUESTS = Path(__file__).parent / "requests" / "work"
RARE = 2
L2 = 0.1
SMALLEST = 0.15
Row = tuple[str, str]
"""Kind and request."""


def read(path: Path) -> list[Row]:
    """Read one file of labelled requests."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [(kind, text) for kind, tab, text in (line.partition("\t") for line in lines) if tab]
    unknown = {kind for kind, _ in rows} - set(Work)
    if unknown:
        raise SystemExit(f"{path}: there is no kind of work called {', '.join(sorted(unknown))}")
    return rows


def learn(rows: Sequence[Row]) -> tuple[list[str], Any]:
    """The traits that count and the weights, a column for each kind.

    A row for each trait, then one for each dimension of the direction.
    """
    from scipy.optimize import minimize

    seen = Counter(trait for _, text in rows for trait in traits(text))
    names = sorted(trait for trait, times in seen.items() if times >= RARE)
    x, y = matrix(rows, names), np.array([list(Work).index(Work(kind)) for kind, _ in rows])
    truth = np.eye(len(Work))[y]

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(-1, len(Work))
        scores = x @ weights
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        gradient = x.T @ (shares - truth) + L2 * weights
        value = -np.log(shares[np.arange(len(y)), y] + 1e-12).sum()
        return float(value + L2 * (weights**2).sum() / 2), gradient.ravel()

    found = minimize(loss, np.zeros(x.shape[1] * len(Work)), jac=True, method="L-BFGS-B",
                     options={"maxiter": 200})  # fmt: skip
    return names, found.x.reshape(-1, len(Work))


def matrix(rows: Sequence[Row], names: Sequence[str]) -> Any:
    """Which traits each request has, in rows of unit length, and its direction."""
    from scipy.sparse import csr_matrix, hstack

    at = {name: place for place, name in enumerate(names)}
    columns: list[int] = []
    starts, values = [0], []
    for _, text in rows:
        places = [at[trait] for trait in traits(text) if trait in at]
        columns += places
        values += [1 / max(1, len(places)) ** 0.5] * len(places)
        starts.append(len(columns))
    held = csr_matrix((values, columns, starts), shape=(len(rows), len(names)))
    return hstack([held, csr_matrix(np.array([direction(text) for _, text in rows]))]).tocsr()


def judge(learnt: Sequence[Row], judged: Sequence[Row]) -> str:
    """How often the first and the first two kinds are right."""
    names, weights = learn(learnt)
    order = np.argsort(-(matrix(judged, names) @ weights), axis=1)
    truth = np.array([list(Work).index(Work(kind)) for kind, _ in judged])
    first = (order[:, 0] == truth).mean()
    second = first + (order[:, 1] == truth).mean()
    return f"first {first:.1%}, first two {second:.1%} of {len(judged)}"


def main() -> None:
    """Read the arguments, judge, learn and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    files = {path.stem: read(path) for path in sorted(REQUESTS.glob("*.tsv"))}
    for name, rows in files.items():
        others = [row for other, each in files.items() if other != name for row in each]
        if others:
            print(name, judge(others, rows))
    everything = [row for rows in files.values() for row in rows]
    names, weights = learn(everything)
    if not arguments.check:
        kept = {
            name: [
                n for kind, w in enumerate(row) if abs(w) >= SMALLEST for n in (kind, hundredths(w))
            ]
            for name, row in zip(names, weights, strict=False)
        }
        shipped = {
            "traits": {name: told for name, told in kept.items() if told},
            "direction": [[hundredths(weight) for weight in row] for row in weights[len(names) :]],
        }
        text = json.dumps(shipped, ensure_ascii=False, separators=(",", ":"))
        WEIGHTS.write_text(text.replace("],", "],\n") + "\n", encoding="utf-8")


def hundredths(weight: float) -> int:
    """A weight as it is shipped."""
    return round(100 * float(weight))


if __name__ == "__main__":
    main()
