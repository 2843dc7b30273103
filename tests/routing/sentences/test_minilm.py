"""The sentence model in numpy, against the same sums written out one by one."""

import math

import numpy as np
import pytest

from secretary_tui.routing.sentences.minilm import HEADS, LAYERS, WIDTH, MiniLM
from secretary_tui.routing.sentences.wordpiece import WordPiece
from tests.routing.sentence_model import VOCABULARY, tensors

WORDS = WordPiece(VOCABULARY)
MODEL = MiniLM(tensors(), WORDS)
TEXTS = ("review code", "bake bread.", "a", "", "testing securi" + "test " * 9)


def plainly(text):
    """BERT as the paper says it: one position, one head at a time, in doubles."""
    of = {name: tensor.astype(float) for name, tensor in tensors().items()}

    def dense(at, x):
        return x @ of[f"{at}.weight"].T + of[f"{at}.bias"]

    def norm(at, x):
        return np.array(
            [
                (row - row.mean()) / math.sqrt(row.var() + 1e-12) * of[f"{at}.weight"]
                + of[f"{at}.bias"]
                for row in x
            ]
        )

    x = np.array(
        [
            of["embeddings.word_embeddings.weight"][number]
            + of["embeddings.position_embeddings.weight"][place]
            + of["embeddings.token_type_embeddings.weight"][0]
            for place, number in enumerate(WORDS.encode(text, 256))
        ]
    )
    x = norm("embeddings.LayerNorm", x)
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        query, key, value = (
            dense(f"{at}.attention.self.{n}", x) for n in ("query", "key", "value")
        )
        mixed = np.zeros_like(x)
        for head in range(HEADS):
            part = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
            for place in range(len(x)):
                near = np.exp(key[:, part] @ query[place, part] / math.sqrt(WIDTH / HEADS))
                mixed[place, part] = near / near.sum() @ value[:, part]
        x = norm(
            f"{at}.attention.output.LayerNorm", x + dense(f"{at}.attention.output.dense", mixed)
        )
        inner = dense(f"{at}.intermediate.dense", x)
        inner = inner / 2 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(f"{at}.output.LayerNorm", x + dense(f"{at}.output.dense", inner))
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_it_comes_to_what_the_sums_written_out_come_to():
    for text, row in zip(TEXTS, MODEL.encode(TEXTS), strict=True):
        assert float(row @ plainly(text)) > 0.999999


def test_sentences_read_together_are_read_alike():
    together = MODEL.encode(TEXTS)
    alone = np.concatenate([MODEL.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5


def test_nothing_to_read_gives_nothing():
    assert MODEL.encode([]).shape == (0, WIDTH)


def test_a_missing_tensor_and_one_of_another_shape_are_named():
    name = "encoder.layer.3.output.dense.bias"
    for wrong in ({}, {name: np.zeros(3, dtype=np.float32)}):
        rest = {key: tensor for key, tensor in tensors().items() if key != name}
        with pytest.raises(ValueError, match=name):
            MiniLM({**rest, **wrong}, WORDS)
