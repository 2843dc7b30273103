"""A sentence encoder in numpy alone: a text in, a unit vector of its meaning (direction) out.

A BERT encoder (Devlin et al. 2018), or MPNet's (Song et al. 2020), which adds a bias by distance to
attention; the mean over all pieces, length one. The same vectors as sentence-transformers gives,
without torch. Several sentences are read at once without padding: their pieces form one long table,
and only attention keeps them apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

# Threads take 50-290 ms for what one does in 8 on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from secretary_tui.routing.sentences.architecture import Architecture

MOST_PIECES = 256
"""Pieces of a text that are read at most."""
_FARTHEST = 128
"""Distance from which all distances share the last bucket of MPNet's bias."""


class Tokenizer(Protocol):
    """Cuts texts into the pieces of a vocabulary."""

    def __len__(self) -> int:
        """How many pieces there are."""
        ...

    def encode(self, text: str, limit: int) -> list[int]:
        """Number the pieces of a text between the special ones, at most `limit` in all."""
        ...


class Encoder:
    """One encoder; made once, used by any number of threads."""

    def __init__(
        self, shape: Architecture, tensors: Mapping[str, Any], tokenizer: Tokenizer
    ) -> None:
        """Take the tensors by their names in the published file.

        Raises:
            ValueError: one is missing or has another shape.
        """
        self.shape = shape
        self._tokenizer = tokenizer
        width = shape.width

        def take(name: str, *of: int) -> Any:
            tensor = tensors.get(name)
            if tensor is None or tensor.shape != of:
                raise ValueError(f"the model has no {name} of the shape {of}")
            return tensor

        def dense(name: str, inward: int, outward: int) -> tuple[Any, Any]:
            return take(f"{name}.weight", outward, inward).T, take(f"{name}.bias", outward)

        def norm(name: str) -> tuple[Any, Any, Any]:
            return (
                take(f"{name}.weight", width),
                take(f"{name}.bias", width),
                np.float32(shape.epsilon),
            )

        self._pieces = take("embeddings.word_embeddings.weight", len(tokenizer), width)
        positions = take("embeddings.position_embeddings.weight", shape.positions, width)
        if shape.kinds:  # Every piece is of the first: the second is for pairs of texts.
            positions = positions + take("embeddings.token_type_embeddings.weight", 2, width)[0]
        self._positions = positions[shape.first_position :]
        self._norm = norm("embeddings.LayerNorm")
        self._bias: Callable[[int], Any] | None = None
        if shape.buckets:
            of = take("encoder.relative_attention_bias.weight", shape.buckets, shape.heads)
            self._bias = _DistanceBias(of)
        self._layers = [
            _Layer(
                shape.heads,
                **{
                    part: dense(f"{at}.{shape.query.format(part=part)}", width, width)
                    for part in ("query", "key", "value")
                },
                mixed=dense(f"{at}.{shape.mixed}", width, width),
                mixed_norm=norm(f"{at}.{shape.mixed_norm}"),
                inner=dense(f"{at}.intermediate.dense", width, shape.inner),
                outer=dense(f"{at}.output.dense", shape.inner, width),
                outer_norm=norm(f"{at}.output.LayerNorm"),
            )
            for at in (f"encoder.layer.{number}" for number in range(shape.layers))
        ]

    def encode(self, texts: Sequence[str], most_pieces: int = MOST_PIECES) -> Any:
        """Give the direction of each text: a row of 32-bit floats, of length one."""
        pieces = [self._tokenizer.encode(text, most_pieces) for text in texts]
        if not pieces:
            return np.zeros((0, self.shape.width), dtype=np.float32)
        ends = np.cumsum([len(numbers) for numbers in pieces]).tolist()
        spans = list(zip([0, *ends[:-1]], ends, strict=True))
        places = np.concatenate([np.arange(len(numbers)) for numbers in pieces])
        x = self._pieces[np.concatenate(pieces)] + self._positions[places]
        x = _normed(x, self._norm)
        for layer in self._layers:
            x = layer.apply(x, spans, self._bias)
        means = np.stack([x[first:last].mean(axis=0) for first, last in spans])
        return means / np.linalg.norm(means, axis=1, keepdims=True)


class _Layer:
    """One layer of the encoder; each part is a matrix or a scale, and what is added to it."""

    def __init__(self, heads: int, **parts: tuple[Any, ...]) -> None:
        self._heads = heads
        self._parts = parts

    def apply(
        self, x: Any, spans: Sequence[tuple[int, int]], bias: Callable[[int], Any] | None
    ) -> Any:
        width = x.shape[1]
        query, key, value = (
            _dense(x, self._parts[name]).reshape(len(x), self._heads, -1).swapaxes(0, 1)
            for name in ("query", "key", "value")
        )
        query = query * np.float32((width / self._heads) ** -0.5)
        mixed = np.empty_like(x)
        for first, last in spans:
            near = query[:, first:last] @ key[:, first:last].swapaxes(1, 2)
            if bias is not None:
                near += bias(last - first)
            near = np.exp(near - near.max(axis=2, keepdims=True))
            near /= near.sum(axis=2, keepdims=True)
            mixed[first:last] = (
                (near @ value[:, first:last]).swapaxes(0, 1).reshape(last - first, width)
            )
        x = _normed(x + _dense(mixed, self._parts["mixed"]), self._parts["mixed_norm"])
        inner = _gelu(_dense(x, self._parts["inner"]))
        return _normed(x + _dense(inner, self._parts["outer"]), self._parts["outer_norm"])


class _DistanceBias:
    """What attention adds for the distance between two pieces (Raffel et al. 2019, §2.1)."""

    def __init__(self, table: Any) -> None:
        half = len(table) // 2
        exact = half // 2
        away = np.arange(MOST_PIECES)
        log = np.log(np.maximum(away, 1) / exact) / np.log(_FARTHEST / exact)
        far = np.minimum(exact + (log * (half - exact)).astype(int), half - 1)
        bucket = np.where(away < exact, away, far)
        # By distance from -MOST_PIECES + 1 to MOST_PIECES - 1: those behind are the upper half.
        self._by_distance = np.concatenate([table[bucket[:0:-1]], table[half + bucket]])
        self._by_distance[MOST_PIECES - 1] = table[0]

    def __call__(self, length: int) -> Any:
        """A matrix for each head: rows are attending pieces, columns attended ones."""
        places = np.arange(length)
        distances = places[None, :] - places[:, None] + MOST_PIECES - 1
        return self._by_distance[distances].transpose(2, 0, 1)


def _dense(x: Any, of: tuple[Any, ...]) -> Any:
    matrix, bias = of
    return x @ matrix + bias


def _normed(x: Any, of: tuple[Any, ...]) -> Any:
    scale, bias, epsilon = of
    away = x - x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", away, away)[:, None] / np.float32(x.shape[1])
    return away / np.sqrt(variance + epsilon) * scale + bias


def _gelu(x: Any) -> Any:
    """x/2 (1 + erf(x/√2)), with erf after Abramowitz and Stegun 7.1.26: off by 1.5e-7 at most."""
    z = np.abs(x) * np.float32(2**-0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    tail = np.full_like(t, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail *= t
        tail += np.float32(factor)
    tail *= t
    tail *= np.exp(-z * z)
    return np.float32(0.5) * (x + np.abs(x) * (1 - tail))
