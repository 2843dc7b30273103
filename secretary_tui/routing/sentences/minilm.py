"""all-MiniLM-L6-v2 with numpy alone: a sentence in, its direction in meaning out.

A BERT encoder of six layers (Devlin et al. 2018; Wang et al. 2020), the mean over all pieces,
length one. The same vectors as sentence-transformers gives, without torch. Several sentences are
read at once without padding: their pieces form one long table, and only attention keeps them apart.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from secretary_tui.routing.sentences.wordpiece import WordPiece

# Threads take 50-290 ms for what one does in 8 on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

WIDTH = 384
"""Numbers in a direction."""
LAYERS, HEADS, INNER = 6, 12, 1536
MOST_PIECES = 256
"""Pieces of a text that are read, as the model was trained."""
_NORM_EPSILON = np.float32(1e-12)


class MiniLM:
    """The encoder; made once, used by any number of threads."""

    def __init__(self, tensors: Mapping[str, Any], words: WordPiece) -> None:
        """Take the tensors by their names in the published file.

        Raises:
            ValueError: one is missing or has another shape.
        """
        self._words = words

        def take(name: str, *shape: int) -> Any:
            tensor = tensors.get(name)
            if tensor is None or tensor.shape != shape:
                raise ValueError(f"the model has no {name} of the shape {shape}")
            return tensor

        def dense(name: str, inward: int, outward: int) -> tuple[Any, Any]:
            return take(f"{name}.weight", outward, inward).T, take(f"{name}.bias", outward)

        def norm(name: str) -> tuple[Any, Any]:
            return take(f"{name}.weight", WIDTH), take(f"{name}.bias", WIDTH)

        self._pieces = take("embeddings.word_embeddings.weight", len(words), WIDTH)
        positions = take("embeddings.position_embeddings.weight", 512, WIDTH)
        # Every piece is of the first kind of token: the second is for pairs of texts.
        self._positions = positions + take("embeddings.token_type_embeddings.weight", 2, WIDTH)[0]
        self._norm = norm("embeddings.LayerNorm")
        self._layers = [
            _Layer(
                query=dense(f"{at}.attention.self.query", WIDTH, WIDTH),
                key=dense(f"{at}.attention.self.key", WIDTH, WIDTH),
                value=dense(f"{at}.attention.self.value", WIDTH, WIDTH),
                mixed=dense(f"{at}.attention.output.dense", WIDTH, WIDTH),
                mixed_norm=norm(f"{at}.attention.output.LayerNorm"),
                inner=dense(f"{at}.intermediate.dense", WIDTH, INNER),
                outer=dense(f"{at}.output.dense", INNER, WIDTH),
                outer_norm=norm(f"{at}.output.LayerNorm"),
            )
            for at in (f"encoder.layer.{number}" for number in range(LAYERS))
        ]

    def encode(self, texts: Sequence[str], most_pieces: int = MOST_PIECES) -> Any:
        """Give the direction of each text: a row of `WIDTH` floats, of length one."""
        pieces = [self._words.encode(text, most_pieces) for text in texts]
        if not pieces:
            return np.zeros((0, WIDTH), dtype=np.float32)
        ends = np.cumsum([len(numbers) for numbers in pieces]).tolist()
        spans = list(zip([0, *ends[:-1]], ends, strict=True))
        places = np.concatenate([np.arange(len(numbers)) for numbers in pieces])
        x = self._pieces[np.concatenate(pieces)] + self._positions[places]
        x = _normed(x, self._norm)
        for layer in self._layers:
            x = layer.apply(x, spans)
        means = np.stack([x[first:last].mean(axis=0) for first, last in spans])
        return means / np.linalg.norm(means, axis=1, keepdims=True)


class _Layer:
    """One layer of the encoder; each argument is a matrix or a scale, and what is added to it."""

    def __init__(self, **parts: tuple[Any, Any]) -> None:
        self._parts = parts

    def apply(self, x: Any, spans: Sequence[tuple[int, int]]) -> Any:
        query, key, value = (
            _dense(x, self._parts[name]).reshape(len(x), HEADS, -1).swapaxes(0, 1)
            for name in ("query", "key", "value")
        )
        query = query * np.float32((WIDTH / HEADS) ** -0.5)
        mixed = np.empty_like(x)
        for first, last in spans:
            near = query[:, first:last] @ key[:, first:last].swapaxes(1, 2)
            near = np.exp(near - near.max(axis=2, keepdims=True))
            near /= near.sum(axis=2, keepdims=True)
            mixed[first:last] = (
                (near @ value[:, first:last]).swapaxes(0, 1).reshape(last - first, WIDTH)
            )
        x = _normed(x + _dense(mixed, self._parts["mixed"]), self._parts["mixed_norm"])
        inner = _gelu(_dense(x, self._parts["inner"]))
        return _normed(x + _dense(inner, self._parts["outer"]), self._parts["outer_norm"])


def _dense(x: Any, of: tuple[Any, Any]) -> Any:
    matrix, bias = of
    return x @ matrix + bias


def _normed(x: Any, of: tuple[Any, Any]) -> Any:
    scale, bias = of
    away = x - x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", away, away)[:, None] / np.float32(WIDTH)
    return away / np.sqrt(variance + _NORM_EPSILON) * scale + bias


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
