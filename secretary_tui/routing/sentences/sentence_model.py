"""The models that find agents by meaning, and their files on this machine.

Downloaded, or in an installed package, which is never imported: its files are read as data, and
only if they are the published ones.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from secretary_tui.engines.local.catalogue import (
    LARGE_SENTENCE_MODEL,
    SENTENCE_MODEL,
    ModelWeights,
)
from secretary_tui.engines.local.weights import is_whole, model_path
from secretary_tui.routing.sentences.architecture import MINILM, MPNET, Architecture

if TYPE_CHECKING:
    from secretary_tui.routing.sentences.encoder import Encoder


class SentenceModelError(Exception):
    """The sentence model can't be used; the message says why and what to do."""


_HASHED_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """One model: its published files, and how they are read."""

    weights: ModelWeights
    architecture: Architecture


MODELS = (
    SentenceModel(SENTENCE_MODEL, MINILM),
    SentenceModel(LARGE_SENTENCE_MODEL, MPNET),
)
"""Each better than the one before."""


@dataclass(frozen=True, slots=True)
class SentenceModelFiles:
    """Where the weights and the vocabulary of a model lie."""

    model: SentenceModel
    weights: Path
    vocabulary: Path
    """The same file when the vocabulary stands behind the weights, as downloads are kept."""

    def verify(self) -> None:
        """Make sure that these are the published files; some tenths of a second.

        Raises:
            SentenceModelError: they are others.
        """
        published = self.model.weights
        paths = dict.fromkeys((self.weights, self.vocabulary))
        each = [file.sha256 for file in published.files]
        expected = each if len(paths) > 1 else [published.sha256]
        for path, sha256 in zip(paths, expected, strict=True):
            if _digest(path) != sha256:
                raise SentenceModelError(f"{path} is not the published file; {self._mend}.")

    def load(self) -> Encoder:
        """Map the weights and read the vocabulary; some hundredths of a second.

        Raises:
            SentenceModelError: they can't be read or are damaged.
        """
        from secretary_tui.routing.sentences.encoder import Encoder
        from secretary_tui.routing.sentences.safetensors import read_safetensors
        from secretary_tui.routing.sentences.wordpiece import WordPiece

        shape = self.model.architecture
        try:
            read = read_safetensors(self.weights)
            apart = self.vocabulary != self.weights
            pieces = self.vocabulary.read_bytes() if apart else read.rest
            words = WordPiece(pieces.decode("utf-8").splitlines(), shape.special)
            return Encoder(shape, read.tensors, words)
        except (OSError, ValueError) as error:
            raise SentenceModelError(f"{error}; {self._mend}.") from None

    @property
    def _mend(self) -> str:
        get = f"secretary-tui model get {self.model.weights.id}"
        return f"`{get}` fetches it again once the file is removed"


def find_sentence_model() -> SentenceModelFiles | None:
    """Find the best model that is here, downloaded or in a package; None when there is none."""
    for model in reversed(MODELS):
        path = model_path(model.weights)
        if is_whole(model.weights):
            return SentenceModelFiles(model, path, path)
        if (installed := _installed(model)) is not None:
            return installed
    return None


def _installed(model: SentenceModel) -> SentenceModelFiles | None:
    mirror = model.weights.mirror
    if mirror is None or mirror.parts > 1:
        return None
    try:
        package = metadata.distribution(mirror.package)
    except metadata.PackageNotFoundError:
        return None
    found = [
        Path(str(package.locate_file(file)))
        for ending in mirror.members
        for file in package.files or ()
        if file.name == ending.rpartition("/")[2]
    ]
    sizes = [file.size for file in model.weights.files]
    try:
        whole = package.version == mirror.version and [p.stat().st_size for p in found] == sizes
    except OSError:
        return None
    return SentenceModelFiles(model, *found) if whole else None


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_HASHED_AT_ONCE):
                digest.update(chunk)
    except OSError as error:
        raise SentenceModelError(f"{path} can't be read: {error.strerror or error}.") from None
    return digest.hexdigest()
