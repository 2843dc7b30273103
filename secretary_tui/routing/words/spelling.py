"""Words that a misspelt one may stand for.

Most of a large vocabulary is set aside by its letters alone: an edit adds one letter at most and
takes one away, so a word with more letters that are not in the other can't be near.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence

Alike = Callable[["array[int]", int, int], Sequence[int]]
"""Finds, by number, the sets of 32 bits that differ from one by at most some bits either way."""
_ENOUGH = 100
"""Words of one length from which comparing them all takes longer."""


class SpellingDictionary:
    """The words of a vocabulary by length and letters; it never changes."""

    def __init__(self, words: Iterable[str], similarity: float) -> None:
        """Take the words; `similarity` is the least that counts, 1 - edits / longer length."""
        self._similarity = similarity
        self._words: dict[int, list[str]] = {}
        for word in words:
            self._words.setdefault(len(word), []).append(word)

        self._letters: dict[int, array[int]] = {}
        self._alike: Alike | None = None

    def prepare(self, alike: Alike) -> None:
        """Set words aside by their letters from now on: worth it for more than one request."""
        self._letters = {
            length: array("I", map(_letters, words))
            for length, words in self._words.items()
            if len(words) >= _ENOUGH
        }
        self._alike = alike
        self.nearest("warmup", 1)  # Imports what the first misspelt word would wait for.

    def nearest(self, word: str, limit: int) -> list[tuple[str, float]]:
        """The most similar words with their similarity, at most `limit`; equal ones by name.

        An edit is a letter more, less or another one, or two that are swapped.
        """
        # Imported here: most requests have no typing error, and the hook path counts milliseconds.
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found: list[tuple[str, float]] = []
        # A word so much longer or shorter can't be similar enough.
        least, most = len(word) * self._similarity, len(word) / self._similarity
        for length in range(math.ceil(least), int(most) + 1):
            near = process.extract(
                word,
                self._candidates(word, length),
                scorer=OSA.normalized_similarity,
                limit=limit,
                score_cutoff=self._similarity,
            )
            found += ((candidate, similarity) for candidate, similarity, _ in near)
        return sorted(found, key=lambda row: (-row[1], row[0]))[:limit]

    def _candidates(self, word: str, length: int) -> list[str]:
        words = self._words.get(length, [])
        letters = self._letters.get(length)
        if letters is None or self._alike is None:
            return words
        # One edit more than there can be, for the rounding of what counts as similar.
        edits = int((1 - self._similarity) * max(length, len(word))) + 1
        return [words[number] for number in self._alike(letters, _letters(word), edits)]


def _letters(word: str) -> int:
    """The set of a word's letters in 32 bits; letters that share one make it less exact only."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 31)
    return bits
