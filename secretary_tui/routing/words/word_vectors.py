"""What words mean, roughly: 256 numbers for each of 15,869 word stems, shipped with the program.

Made by `tools/build_word_vectors.py`; the sources are named in `data/wv256.NOTICE.txt`. The file
is read without numpy, which a hook has no time to import.
"""

from __future__ import annotations

import zipfile
from array import array
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DIMENSIONS = 256
ROW_LENGTH = 254
"""How long each row is, but for rounding and for what a signed byte can't hold."""
FILE = Path(__file__).parent / "data" / "wv256.npz"


@dataclass(frozen=True, slots=True)
class WordVectors:
    """The stems with their weights and directions."""

    numbers: dict[str, int]
    """The number of each stem, its row."""
    idf: array[float]
    """How rare each stem is (inverse document frequency)."""
    rows: bytes
    """One signed byte for each stem and dimension; each row is `ROW_LENGTH` long as a vector."""

    def weight(self, number: int) -> int:
        """How rare a stem is, in sixteenths: sums of whole numbers are exact on every machine."""
        return round(self.idf[number] * 16)

    def row(self, number: int) -> list[int]:
        """The direction of one stem."""
        start = number * DIMENSIONS
        return memoryview(self.rows).cast("b")[start : start + DIMENSIONS].tolist()


@cache
def word_vectors() -> WordVectors:
    """Read the shipped vectors, once; about 25 ms."""
    return read_word_vectors(FILE)


def read_word_vectors(path: Path) -> WordVectors:
    """Read vectors as `tools/build_word_vectors.py` writes them.

    Raises:
        ValueError: the parts of the file do not fit together.
    """
    with zipfile.ZipFile(path) as archive:
        stems = _data(archive, "vocab").decode("utf-32-le").split("\n")
        idf = array("f", _data(archive, "idf"))
        rows = _data(archive, "E")
    if len(idf) != len(stems) or len(rows) != len(stems) * DIMENSIONS:
        raise ValueError(f"{path}: the word vectors are damaged")
    return WordVectors({stem: number for number, stem in enumerate(stems)}, idf, rows)


def _data(archive: zipfile.ZipFile, name: str) -> bytes:
    """The data of an array in numpy's format (NEP 1, version 1.0): after 10 bytes and a header."""
    raw = archive.read(f"{name}.npy")
    return raw[10 + int.from_bytes(raw[8:10], "little") :]
