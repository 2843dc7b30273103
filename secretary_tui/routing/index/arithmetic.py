"""The sums behind a ranking, without numpy: for small libraries and for the hook.

Importing numpy takes 50 ms and 25 MB, more than ranking a handful of agents; `numpy_arithmetic`
does the same for the rest. All vectors hold whole numbers, so both come to the same similarities.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterable, MutableSequence, Sequence
from operator import mul
from typing import Any, Protocol

from secretary_tui.routing.words.word_vectors import DIMENSIONS

K1 = 1.2
"""BM25's saturation: how soon a repeated word stops counting."""

Gain = tuple["array[int]", "array[float]", float]
"""The documents that hold a term, its frequencies there, and what it can add to a score."""


class Arithmetic(Protocol):
    """What the index computes; scores are indexed by document."""

    def weighted_sum(self, rows: bytes, weighted: Sequence[tuple[int, int]]) -> list[float]:
        """The sum of rows of `DIMENSIONS` signed bytes; `weighted` are row numbers and weights."""
        ...

    def matrix(self, vectors: array[int]) -> Any:
        """Vectors, one behind the other, as `products` takes them."""
        ...

    def products(self, matrix: Any, vector: Sequence[int]) -> Sequence[float]:
        """The scalar product of each vector of the matrix with one vector."""
        ...

    def saturated(self, size: int, terms: Iterable[Sequence[Gain]]) -> Sequence[float]:
        """BM25's sum over terms; of the gains of one term, a document gets the best."""
        ...

    def blend(
        self, parts: Sequence[Sequence[float]], shares: Sequence[float]
    ) -> MutableSequence[float]:
        """Standardise lists of scores (mean 0, deviation 1) and add them, each by its share."""
        ...

    def best(self, scores: Sequence[float], ties: Sequence[int], limit: int) -> list[int]:
        """The documents of the highest scores, best first; of equal ones the lower tie first."""
        ...

    def top_mean(self, scores: Sequence[float], count: int) -> float:
        """The mean of the highest scores."""
        ...


class PlainArithmetic:
    """`Arithmetic` with lists."""

    def weighted_sum(self, rows: bytes, weighted: Sequence[tuple[int, int]]) -> list[float]:
        """Implement `Arithmetic`."""
        total = [0.0] * DIMENSIONS
        signed = memoryview(rows).cast("b")
        for number, weight in weighted:
            row = signed[number * DIMENSIONS : (number + 1) * DIMENSIONS]
            total = [value + weight * part for value, part in zip(total, row, strict=True)]
        return total

    def matrix(self, vectors: array[int]) -> list[array[int]]:
        """Implement `Arithmetic`."""
        starts = range(0, len(vectors), DIMENSIONS)
        return [vectors[start : start + DIMENSIONS] for start in starts]

    def products(self, matrix: list[array[int]], vector: Sequence[int]) -> list[float]:
        """Implement `Arithmetic`."""
        return [float(sum(map(mul, row, vector))) for row in matrix]

    def saturated(self, size: int, terms: Iterable[Sequence[Gain]]) -> list[float]:
        """Implement `Arithmetic`."""
        scores = [0.0] * size
        for gains in terms:
            best: dict[int, float] = {}
            for documents, frequencies, gain in gains:
                for document, frequency in zip(documents, frequencies, strict=True):
                    value = gain * frequency / (frequency + K1)
                    if value > best.get(document, 0.0):
                        best[document] = value
            for document, value in best.items():
                scores[document] += value
        return scores

    def blend(self, parts: Sequence[Sequence[float]], shares: Sequence[float]) -> list[float]:
        """Implement `Arithmetic`."""
        each = zip(*map(_standardised, parts), strict=True)
        return [sum(map(mul, shares, values)) for values in each]

    def best(self, scores: Sequence[float], ties: Sequence[int], limit: int) -> list[int]:
        """Implement `Arithmetic`."""
        return heapq.nsmallest(limit, range(len(scores)), key=lambda n: (-scores[n], ties[n]))

    def top_mean(self, scores: Sequence[float], count: int) -> float:
        """Implement `Arithmetic`."""
        top = heapq.nlargest(count, scores)
        return sum(top) / len(top)


def _standardised(scores: Sequence[float]) -> list[float]:
    mean = math.fsum(scores) / len(scores)
    away = [score - mean for score in scores]
    deviation = math.sqrt(math.fsum(map(mul, away, away)) / len(scores))
    return [value / deviation for value in away] if deviation > EVEN else away


EVEN = 1e-9
"""Deviation up to which scores are taken for equal: the rest is rounding."""
