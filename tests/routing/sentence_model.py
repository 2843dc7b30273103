"""Sentence models of the real shapes with random numbers, small enough for tests' patience."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from secretary_tui.routing.sentences.architecture import MINILM, Architecture
from secretary_tui.routing.sentences.sentence_model import (
    MODELS,
    SentenceModel,
    SentenceModelFiles,
)

VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "e", "i", "o", "r", "s", "t", "."),
    *("##a", "##b", "##c", "##e", "##i", "##o", "##r", "##s", "##t", "bake", "bread", "code"),
    *("review", "test", "##ing", "write", "deploy", "security"),
)


@cache
def tensors(of: Architecture = MINILM) -> dict[str, np.ndarray]:
    """Random tensors with the published names and shapes."""
    random = np.random.default_rng(5)

    def dense(name: str, inward: int, outward: int) -> dict[str, np.ndarray]:
        weight = random.normal(0, inward**-0.5, (outward, inward)).astype(np.float32)
        bias = random.normal(0, 0.1, outward).astype(np.float32)
        return {f"{name}.weight": weight, f"{name}.bias": bias}

    def norm(name: str) -> dict[str, np.ndarray]:
        scale = random.normal(1, 0.1, of.width).astype(np.float32)
        return {f"{name}.weight": scale, f"{name}.bias": scale - 1}

    def table(name: str, rows: int, width: int = of.width) -> dict[str, np.ndarray]:
        return {f"{name}.weight": random.normal(0, 1, (rows, width)).astype(np.float32)}

    found = {
        **table("embeddings.word_embeddings", len(VOCABULARY)),
        **table("embeddings.position_embeddings", of.positions),
        **norm("embeddings.LayerNorm"),
    }
    if of.kinds:
        found |= table("embeddings.token_type_embeddings", 2)
    if of.buckets:
        found |= table("encoder.relative_attention_bias", of.buckets, of.heads)
    for number in range(of.layers):
        at = f"encoder.layer.{number}"
        for name in ("query", "key", "value"):
            found |= dense(f"{at}.{of.query.format(part=name)}", of.width, of.width)
        found |= dense(f"{at}.{of.mixed}", of.width, of.width)
        found |= norm(f"{at}.{of.mixed_norm}")
        found |= dense(f"{at}.intermediate.dense", of.width, of.inner)
        found |= dense(f"{at}.output.dense", of.inner, of.width)
        found |= norm(f"{at}.output.LayerNorm")
    return found


def write_safetensors(path: Path, content: dict[str, np.ndarray], rest: bytes = b"") -> None:
    """Write tensors in the published format, and what may stand behind them."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    start = 0
    for name, tensor in content.items():
        kind = {"float32": "F32", "int64": "I64"}[str(tensor.dtype)]
        end = start + tensor.nbytes
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [start, end]}
        start = end
    written = json.dumps(header).encode()
    written += b" " * (-len(written) % 8)
    with path.open("wb") as file:
        file.write(len(written).to_bytes(8, "little") + written)
        for tensor in content.values():
            file.write(tensor.tobytes())
        file.write(rest)


def write_model(folder: Path, model: SentenceModel = MODELS[0]) -> SentenceModelFiles:
    """Write the model as a download is kept: the vocabulary behind the weights."""
    path = folder / model.weights.file_name
    write_safetensors(path, tensors(model.architecture), "\n".join(VOCABULARY).encode())
    return SentenceModelFiles(model, path, path)
