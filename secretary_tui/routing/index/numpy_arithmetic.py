"""The sums behind a ranking with numpy: a millisecond for thousands of agents."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

# Threads cost more than they give on vectors this small, and 50 ms and more on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from secretary_tui.routing.index.arithmetic import EVEN, K1, Gain
from secretary_tui.routing.words.word_vectors import DIMENSIONS


class NumpyArithmetic:
    """`Arithmetic` with arrays."""

    def weighted_sum(self, rows: bytes, weighted: Sequence[tuple[int, int]]) -> list[float]:
        """Implement `Arithmetic`."""
        if not weighted:
            return [0.0] * DIMENSIONS
        numbers, weights = np.array(weighted, dtype=np.int64).T
        table = np.frombuffer(rows, dtype=np.int8).reshape(-1, DIMENSIONS)
        # Doubles add whole numbers of this size exactly, whatever the order.
        total: list[float] = (weights.astype(float) @ table[numbers].astype(float)).tolist()
        return total

    def matrix(self, vectors: array[int]) -> Any:
        """Implement `Arithmetic`."""
        return np.array(vectors, dtype=np.float32).reshape(-1, DIMENSIONS)

    def products(self, matrix: Any, vector: Sequence[int]) -> Any:
        """Implement `Arithmetic`."""
        # Exact: unit vectors of `vectors.UNIT` give products below 2 ** 24.
        return (matrix @ np.array(vector, dtype=np.float32)).astype(np.float64)

    def saturated(self, size: int, terms: Iterable[Sequence[Gain]]) -> Any:
        """Implement `Arithmetic`."""
        scores = np.zeros(size)
        for gains in terms:
            best = scores if len(gains) == 1 else np.zeros(size)
            for documents, frequencies, gain in gains:
                at = np.frombuffer(documents, dtype=np.uint32)
                frequency = np.frombuffer(frequencies, dtype=np.float32).astype(np.float64)
                value = gain * frequency / (frequency + K1)
                if best is scores:
                    scores[at] += value
                else:
                    best[at] = np.maximum(best[at], value)
            if best is not scores:
                scores += best
        return scores

    def blend(self, parts: Sequence[Sequence[float]], shares: Sequence[float]) -> Any:
        """Implement `Arithmetic`."""
        blended: Any = np.zeros(len(parts[0]))
        for part, share in zip(parts, shares, strict=True):
            blended += share * _standardised(part)
        return blended

    def best(self, scores: Sequence[float], ties: Sequence[int], limit: int) -> list[int]:
        """Implement `Arithmetic`."""
        values, order = np.asarray(scores), np.asarray(ties)
        numbers = np.arange(len(values))
        if limit < len(values):
            least = np.partition(values, len(values) - limit)[len(values) - limit]
            numbers = np.flatnonzero(values >= least)
        chosen: list[int] = numbers[np.lexsort((order[numbers], -values[numbers]))].tolist()
        return chosen[:limit]

    def top_mean(self, scores: Sequence[float], count: int) -> float:
        """Implement `Arithmetic`."""
        values = np.asarray(scores)
        count = min(count, len(values))
        return float(np.partition(values, len(values) - count)[-count:].mean())


def alike(sets: array[int], one: int, most: int) -> list[int]:
    """Which sets of 32 bits have at most `most` that one set lacks, and lack at most as many."""
    values, this = np.frombuffer(sets, dtype=np.uint32), np.uint32(one)
    near = np.bitwise_count(values & ~this) <= most
    near &= np.bitwise_count(~values & this) <= most
    chosen: list[int] = np.flatnonzero(near).tolist()
    return chosen


def _standardised(scores: Sequence[float]) -> Any:
    values = np.asarray(scores)
    away = values - values.mean()
    deviation = float(away.std())
    return away / deviation if deviation > EVEN else away
