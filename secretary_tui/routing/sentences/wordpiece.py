"""WordPiece as BERT reads English: text in, numbers of word pieces out (Devlin et al. 2018, §3).

Lower case, accents dropped, punctuation and Chinese characters on their own; each word is then cut
into the longest pieces that the vocabulary has. Special tokens written in a text are plain text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

_LONGEST_WORD = 100
"""Characters; a longer word is unknown as a whole."""
_ASCII_WORDS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ASCII_DROPPED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs"})
_CJK = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


class WordPiece:
    """Cuts texts into the pieces of one vocabulary."""

    def __init__(self, vocabulary: Iterable[str], special: tuple[str, str, str]) -> None:
        """Take the pieces in the order of their numbers, and those that no text has.

        `special` are the pieces for an unknown word, before a text and behind it.

        Raises:
            ValueError: it lacks the special ones, so it is the vocabulary of another model.
        """
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        try:
            self._unknown, self._first, self._last = (self._numbers[piece] for piece in special)
        except KeyError as error:
            raise ValueError(f"the vocabulary has no {error.args[0]}") from None

    def __len__(self) -> int:
        """How many pieces there are."""
        return len(self._numbers)

    def encode(self, text: str, limit: int) -> list[int]:
        """Number the pieces of a text between the special ones, at most `limit` in all."""
        numbers = [self._first]
        for word in split_words(text):
            numbers += self._pieces(word)
            if len(numbers) >= limit:
                break
        return [*numbers[: limit - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        whole = self._numbers.get(word)
        if whole is not None and len(word) <= _LONGEST_WORD:
            return [whole]
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._numbers.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            pieces.append(number)
            start = end
        return pieces


def split_words(text: str) -> Iterator[str]:
    """Normalise a text and split it into words and marks of punctuation."""
    if text.isascii():
        yield from _ASCII_WORDS.findall(_ASCII_DROPPED.sub("", text).lower())
        return
    word = ""
    kept = "".join(filter(_is_kept, text))
    for character in unicodedata.normalize("NFD", kept):
        if unicodedata.category(character) == "Mn":
            continue
        for lower in character.lower():
            if lower.isspace() or _stands_alone(lower):
                if word:
                    yield word
                if not lower.isspace():
                    yield lower
                word = ""
            else:
                word += lower
    if word:
        yield word


def _is_kept(character: str) -> bool:
    """Whether a character is text: no control or format character, nothing undecodable."""
    if character in "\t\n\r":
        return True
    return character != "\ufffd" and unicodedata.category(character) not in _DROPPED


@lru_cache(maxsize=4096)
def _stands_alone(character: str) -> bool:
    code = ord(character)
    if code < 128:
        return not character.isalnum()
    if unicodedata.category(character)[0] == "P":
        return True
    return any(first <= code <= last for first, last in _CJK)
