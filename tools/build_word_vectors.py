"""Build the word vectors of `secretary_tui/routing/words/data` from a folder of markdown.

`python tools/build_word_vectors.py FOLDER OUT.npz` counts which word stems stand near each other
in all `*.md` files below FOLDER and reduces the counts to 256 numbers for each stem:

1. co-occurrence within 6 words, nearer ones counting more (harmonic);
2. positive pointwise mutual information with context smoothing .75 (Levy, Goldberg, Dagan 2015);
3. truncated SVD by random projection (Halko, Martinsson, Tropp 2011), left vectors, unweighted;
4. the common component removed, the direction all words share because common words do (after
   Arora, Liang, Ma 2017), and one signed byte for each number.

`python tools/build_word_vectors.py --recentre OLD.npz OUT.npz` does step 4 alone. Name the sources
and their licences in a NOTICE beside the file, and leave out what routing is measured on.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from secretary_tui.routing.words.terms import body_text, stem_all, words
from secretary_tui.routing.words.word_vectors import DIMENSIONS, ROW_LENGTH

WINDOW = 6
SMOOTHING = 0.75
LEAST_FILES = 5
"""Files a stem must occur in."""
_OVERSAMPLED = 32
_POWER_STEPS = 4
_ROWS_AT_ONCE = 1024
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class SparseRows:
    """A sparse matrix by rows: of row i, the cells from `starts[i]` to `starts[i + 1]`."""

    starts: Any
    columns: Any
    values: Any

    def times(self, dense: Any) -> Any:
        """The product with a dense matrix, in blocks that fit into memory."""
        rows = len(self.starts) - 1
        product = np.zeros((rows, dense.shape[1]), dtype=np.float32)
        for first in range(0, rows, _ROWS_AT_ONCE):
            for row in range(first, min(first + _ROWS_AT_ONCE, rows)):
                cells = slice(self.starts[row], self.starts[row + 1])
                product[row] = self.values[cells] @ dense[self.columns[cells]]
        return product


def read_stems(folder: Path) -> list[list[str]]:
    """The word stems of every markdown file below a folder, in order."""
    files = []
    for path in sorted(folder.rglob("*.md")):
        text = body_text(path.read_text(encoding="utf-8", errors="replace"))
        files.append(stem_all(words(text)))
    return files


def count_vocabulary(
    files: Iterable[Sequence[str]], least: int = LEAST_FILES
) -> tuple[list[str], Any]:
    """The stems that occur in enough files, the most common first, and their idf."""
    files = list(files)
    held = Counter(stem for stems in files for stem in set(stems))
    ordered = sorted(held.items(), key=lambda item: (-item[1], item[0]))
    kept = [(stem, count) for stem, count in ordered if count >= least]
    counts = np.array([count for _, count in kept], dtype=np.float64)
    idf = np.log((1 + len(files)) / (1 + counts)) + 1e-3
    return [stem for stem, _ in kept], idf.astype(np.float32)


def cooccurrences(files: Iterable[Sequence[str]], vocabulary: Sequence[str]) -> SparseRows:
    """How often each two stems stand within `WINDOW` words, a distance of n counting 1/n."""
    size = len(vocabulary)
    numbers = {stem: number for number, stem in enumerate(vocabulary)}
    keys, values = np.empty(0, dtype=np.int64), np.empty(0)
    new: list[Any] = []
    weights: list[Any] = []
    waiting = 0

    for stems in files:
        line = np.array([numbers[stem] for stem in stems if stem in numbers], dtype=np.int64)
        for distance in range(1, min(WINDOW, len(line) - 1) + 1):
            left, right = line[:-distance], line[distance:]
            pairs = np.concatenate((left * size + right, right * size + left))
            new.append(pairs)
            weights.append(np.full(len(pairs), 1 / distance))
            waiting += len(pairs)
        if waiting > _CELLS_AT_ONCE:
            keys, values = _summed((keys, *new), (values, *weights))
            new, weights, waiting = [], [], 0
    keys, values = _summed((keys, *new), (values, *weights))
    starts = np.searchsorted(keys, np.arange(size + 1) * size)
    return SparseRows(starts, keys % size, values)


def _summed(keys: Sequence[Any], values: Sequence[Any]) -> tuple[Any, Any]:
    distinct, places = np.unique(np.concatenate(keys), return_inverse=True)
    return distinct, np.bincount(places, np.concatenate(values), len(distinct))


def positive_mutual_information(counts: SparseRows) -> SparseRows:
    """PPMI: how much more often two stems meet than they would by chance, 0 when less often."""
    size = len(counts.starts) - 1
    rows = np.repeat(np.arange(size), np.diff(counts.starts))
    total = np.bincount(rows, counts.values, size)
    context = np.bincount(counts.columns, counts.values, size) ** SMOOTHING
    chance = total[rows] * (context / context.sum())[counts.columns]
    information = np.log(counts.values / chance)
    kept = information > 0
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows[kept], minlength=size))))
    return SparseRows(starts, counts.columns[kept], information[kept].astype(np.float32))


def transposed(matrix: SparseRows) -> SparseRows:
    """The same matrix with rows and columns exchanged."""
    size = len(matrix.starts) - 1
    rows = np.repeat(np.arange(size), np.diff(matrix.starts))
    order = np.argsort(matrix.columns, kind="stable")
    starts = np.searchsorted(matrix.columns[order], np.arange(size + 1))
    return SparseRows(starts, rows[order], matrix.values[order])


def left_vectors(matrix: SparseRows, dimensions: int = DIMENSIONS, seed: int = 1) -> Any:
    """The left singular vectors of the largest singular values; zeros where there are fewer."""
    size = len(matrix.starts) - 1
    width = min(size, dimensions + _OVERSAMPLED)
    back = transposed(matrix)
    random = np.random.default_rng(seed).standard_normal((size, width)).astype(np.float32)
    basis = np.linalg.qr(matrix.times(random))[0]
    for _ in range(_POWER_STEPS):
        basis = np.linalg.qr(matrix.times(np.linalg.qr(back.times(basis))[0]))[0]
    # basis.T @ matrix, seen from the other side.
    small = back.times(basis).T
    left = basis @ np.linalg.svd(small, full_matrices=False)[0]
    vectors = np.zeros((size, dimensions), dtype=np.float32)
    vectors[:, : min(width, dimensions)] = left[:, :dimensions]
    return vectors


def recentred(vectors: Any, idf: Any) -> Any:
    """Unit vectors without the direction that words share, common words counting most."""
    unit = _unit(np.asarray(vectors, dtype=np.float64))
    common = _unit((unit * np.exp(-np.asarray(idf, dtype=np.float64))[:, None]).sum(axis=0))
    return _unit(unit - np.outer(unit @ common, common))


def as_bytes(unit: Any) -> Any:
    """Unit vectors as signed bytes, `ROW_LENGTH` standing for 1."""
    return np.clip(np.rint(unit * ROW_LENGTH), -127, 127).astype(np.int8)


def _unit(vectors: Any) -> Any:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0, length, 1)


def save(path: Path, vocabulary: Sequence[str], vectors: Any, idf: Any) -> None:
    """Write the file that `secretary_tui.routing.words.word_vectors` reads."""
    arrays = {
        "vocab": np.array("\n".join(vocabulary)),
        "E": as_bytes(recentred(vectors, idf)),
        "idf": np.asarray(idf, dtype=np.float32),
    }
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def build(folder: Path, out: Path, least: int = LEAST_FILES) -> int:
    """Build vectors from a folder of markdown; gives how many stems they cover."""
    files = read_stems(folder)
    vocabulary, idf = count_vocabulary(files, least)
    if not vocabulary:
        raise SystemExit(f"{folder}: no word occurs in {least} markdown files; name more text.")
    information = positive_mutual_information(cooccurrences(files, vocabulary))
    save(out, vocabulary, left_vectors(information), idf)
    return len(vocabulary)


def recentre(old: Path, out: Path) -> int:
    """Do the last step for vectors that were made without it; gives how many stems there are."""
    with np.load(old) as data:
        vocabulary = str(data["vocab"]).split("\n")
        save(out, vocabulary, data["E"], data["idf"])
    return len(vocabulary)


def main() -> None:
    """Read the arguments and build."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", type=Path, help="a folder of markdown, or vectors to recentre")
    parser.add_argument("out", type=Path)
    parser.add_argument("--recentre", action="store_true", help="only remove what words share")
    parser.add_argument("--least-files", type=int, default=LEAST_FILES)
    arguments = parser.parse_args()
    if arguments.recentre:
        stems = recentre(arguments.source, arguments.out)
    else:
        stems = build(arguments.source, arguments.out, arguments.least_files)
    size = arguments.out.stat().st_size / 1e6
    sys.stdout.write(f"{arguments.out}: {stems} stems, {size:.1f} MB\n")


if __name__ == "__main__":
    main()
