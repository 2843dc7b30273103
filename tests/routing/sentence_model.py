"""A sentence model of the real shape with random numbers, small enough for tests' patience."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from secretary_tui.routing.sentences.minilm import INNER, LAYERS, WIDTH
from secretary_tui.routing.sentences.sentence_model import SentenceModelFiles

VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "e", "i", "o", "r", "s", "t", "."),
    *("##a", "##b", "##c", "##e", "##i", "##o", "##r", "##s", "##t", "bake", "bread", "code"),
    *("review", "test", "##ing", "write", "deploy", "security"),
)


@cache
def tensors() -> dict[str, np.ndarray]:
    """Random tensors with the published names and shapes."""
    random = np.random.default_rng(5)

    def dense(name: str, inward: int, outward: int) -> dict[str, np.ndarray]:
        weight = random.normal(0, inward**-0.5, (outward, inward)).astype(np.float32)
        bias = random.normal(0, 0.1, outward).astype(np.float32)
        return {f"{name}.weight": weight, f"{name}.bias": bias}

    def norm(name: str) -> dict[str, np.ndarray]:
        scale = random.normal(1, 0.1, WIDTH).astype(np.float32)
        return {f"{name}.weight": scale, f"{name}.bias": scale - 1}

    def table(name: str, rows: int) -> dict[str, np.ndarray]:
        return {f"{name}.weight": random.normal(0, 1, (rows, WIDTH)).astype(np.float32)}

    found = {
        **table("embeddings.word_embeddings", len(VOCABULARY)),
        **table("embeddings.position_embeddings", 512),
        **table("embeddings.token_type_embeddings", 2),
        **norm("embeddings.LayerNorm"),
    }
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        for name in ("query", "key", "value"):
            found |= dense(f"{at}.attention.self.{name}", WIDTH, WIDTH)
        found |= dense(f"{at}.attention.output.dense", WIDTH, WIDTH)
        found |= norm(f"{at}.attention.output.LayerNorm")
        found |= dense(f"{at}.intermediate.dense", WIDTH, INNER)
        found |= dense(f"{at}.output.dense", INNER, WIDTH)
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


def write_model(folder: Path) -> SentenceModelFiles:
    """Write the model as a download is kept: the vocabulary behind the weights."""
    path = folder / "semantic.bin"
    write_safetensors(path, tensors(), "\n".join(VOCABULARY).encode())
    return SentenceModelFiles(path, path)
