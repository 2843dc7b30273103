"""The sentence models in numpy, against the same sums written out one by one."""

import math
from dataclasses import replace

import numpy as np
import pytest

from secretary_tui.routing.sentences.architecture import MINILM, MPNET
from secretary_tui.routing.sentences.encoder import Encoder
from secretary_tui.routing.sentences.wordpiece import WordPiece
from tests.routing.sentence_model import VOCABULARY, tensors

SHAPES = (
    replace(MINILM, width=48, layers=2, inner=64),
    replace(MPNET, width=48, layers=2, inner=64, special=MINILM.special),
)
TEXTS = ("review code", "bake bread.", "a", "", "testing securi" + "test " * 9, "code " * 200)


def words(shape):
    return WordPiece(VOCABULARY, shape.special)


@pytest.fixture(params=SHAPES, ids=("MiniLM", "MPNet"))
def model(request):
    return Encoder(request.param, tensors(request.param), words(request.param))


def bucket(distance):
    """T5's 32 buckets: exact to 7, then wider ones to 127; what is looked at behind the looker."""
    half = 16 if distance > 0 else 0
    away = abs(distance)
    if away < 8:
        return half + away
    return half + min(15, 8 + int(math.log(away / 8) / math.log(16) * 8 + 1e-6))


def plainly(shape, text):
    """The encoder as its paper says it: one position, one head at a time, in doubles."""
    of = {name: tensor.astype(float) for name, tensor in tensors(shape).items()}

    def dense(at, x):
        return x @ of[f"{at}.weight"].T + of[f"{at}.bias"]

    def norm(at, x):
        return np.array(
            [
                (row - row.mean()) / math.sqrt(row.var() + shape.epsilon) * of[f"{at}.weight"]
                + of[f"{at}.bias"]
                for row in x
            ]
        )

    kind = of["embeddings.token_type_embeddings.weight"][0] if shape.kinds else 0
    x = np.array(
        [
            of["embeddings.word_embeddings.weight"][number]
            + of["embeddings.position_embeddings.weight"][place + shape.first_position]
            + kind
            for place, number in enumerate(words(shape).encode(text, 256))
        ]
    )
    x = norm("embeddings.LayerNorm", x)
    for number in range(shape.layers):
        at = f"encoder.layer.{number}"
        query, key, value = (
            dense(f"{at}.{shape.query.format(part=part)}", x) for part in ("query", "key", "value")
        )
        mixed = np.zeros_like(x)
        for head in range(shape.heads):
            part = slice(head * shape.width // shape.heads, (head + 1) * shape.width // shape.heads)
            for place in range(len(x)):
                near = key[:, part] @ query[place, part] / math.sqrt(shape.width / shape.heads)
                if shape.buckets:
                    bias = of["encoder.relative_attention_bias.weight"][:, head]
                    near += np.array([bias[bucket(other - place)] for other in range(len(x))])
                near = np.exp(near)
                mixed[place, part] = near / near.sum() @ value[:, part]
        x = norm(f"{at}.{shape.mixed_norm}", x + dense(f"{at}.{shape.mixed}", mixed))
        inner = dense(f"{at}.intermediate.dense", x)
        inner = inner / 2 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(f"{at}.output.LayerNorm", x + dense(f"{at}.output.dense", inner))
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_it_comes_to_what_the_sums_written_out_come_to(model):
    for text, row in zip(TEXTS, model.encode(TEXTS), strict=True):
        assert float(row @ plainly(model.shape, text)) > 0.999999


def test_sentences_read_together_are_read_alike(model):
    together = model.encode(TEXTS)
    alone = np.concatenate([model.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5


def test_nothing_to_read_gives_nothing(model):
    assert model.encode([]).shape == (0, model.shape.width)


def test_a_missing_tensor_and_one_of_another_shape_are_named():
    shape = SHAPES[0]
    name = "encoder.layer.1.output.dense.bias"
    for wrong in ({}, {name: np.zeros(3, dtype=np.float32)}):
        rest = {key: tensor for key, tensor in tensors(shape).items() if key != name}
        with pytest.raises(ValueError, match=name):
            Encoder(shape, {**rest, **wrong}, words(shape))
