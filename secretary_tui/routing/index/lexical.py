"""Fielded BM25 over name, description and body, with typing errors repaired.

BM25F (Robertson, Zaragoza, Taylor 2004): the term frequencies of a document's fields are length-
normalised and summed with weights before they saturate. Indexing the body at a small weight is
what helps most; at full weight it hurts.
"""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property

from secretary_tui.routing.index.arithmetic import K1, Arithmetic, Gain
from secretary_tui.routing.words.file_names import without_files
from secretary_tui.routing.words.spelling import SpellingDictionary
from secretary_tui.routing.words.terms import (
    count_words,
    go_as_golang,
    golang_in_name,
    stem_all,
    words,
)


class Field(IntFlag):
    """Where in an agent's file a word was found."""

    NAME = 1
    DESCRIPTION = 2
    BODY = 4


@dataclass(frozen=True, slots=True)
class FieldWeight:
    """How much a field counts, how strongly its length is normalised, and where that is abuse."""

    weight: float
    b: float
    """BM25's `b`."""
    most_words: int
    """Words that are read: the rest of a longer field can't win anything."""
    most_repeats: int
    """How often a word counts, however often it is said."""
    usual_words: int
    """Beyond this length each word weighs less: a list of everything fits nothing well."""

    def factor(self, words_: int, mean: float) -> float:
        """What one occurrence of a word counts in a field of `words_` words."""
        return self.weight / (1 - self.b + self.b * words_ / mean) * self.dilution(words_) ** 2

    def dilution(self, words_: int) -> float:
        """1 for a field of a usual length, less for a longer one."""
        return min(1.0, self.usual_words / words_)


FIELD_WEIGHTS: Mapping[Field, FieldWeight] = {
    Field.NAME: FieldWeight(2.0, 0.0, 12, 1, 5),
    Field.DESCRIPTION: FieldWeight(1.0, 0.4, 400, 4, 80),
    Field.BODY: FieldWeight(0.2, 0.75, 20_000, 12, 4_000),
}
"""The bounds lie beyond all but a few in a thousand of the published agents: names have at most
six words and descriptions 81, where no word stands more than nine times."""
_FIELDS = tuple(map(Field, range(2 * Field.BODY)))
"""Every combination by its number: making one takes as long as scoring a word."""
REPAIR_SIMILARITY = 0.7
"""Least similarity (1 - edits / length, a swap being one edit) of a typing error and its word."""

_MAX_CHARS = 20_000
_MAX_TERMS = 200
_MAX_REPAIRS = 16
_REPAIRABLE = range(4, 31)
_CANDIDATES = 8
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one agent, by field."""

    name: str
    description: str
    body: str


@dataclass(frozen=True, slots=True)
class CountedDocument:
    """The words of a document, counted; what takes longest, kept while a file does not change."""

    fields: tuple[tuple[Field, tuple[str, ...], array[int]], ...]
    """For each field its distinct words and how often each occurs."""


def count_document(document: Document) -> CountedDocument:
    """Count the words of a document."""
    texts = (
        (Field.NAME, golang_in_name(document.name)),
        (Field.DESCRIPTION, go_as_golang(document.description)),
        (Field.BODY, go_as_golang(document.body)),
    )
    counted = ((field, count_words(text, FIELD_WEIGHTS[field].most_words)) for field, text in texts)
    return CountedDocument(
        tuple((field, tuple(counts), array("I", counts.values())) for field, counts in counted)
    )


@dataclass(frozen=True, slots=True)
class Meaning:
    """An index term that a word of the request may stand for."""

    stem: str
    word: str
    """The word as the library writes it."""
    weight: float
    """1 for the word itself, less for a repair."""
    gain: float
    """The most that it can add to a score."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word of the request and what it may stand for."""

    word: str
    stem: str
    """Its stem; of a repaired word, the stem of the nearest one."""
    meanings: tuple[Meaning, ...]
    """Empty for a word the library does not know; several for a repaired one."""
    idf: float
    """How rare the word is in the library; highest for an unknown one."""
    share: float = 1.0
    """How much it counts: less than 1 for a word that the request only hints at."""


@dataclass(frozen=True, slots=True)
class TermHit:
    """A word of the request found in a document."""

    word: str
    found: str
    """The same word, or the one it was repaired to."""
    fields: Field
    score: float
    idf: float
    """How rare the word is, less when it had to be repaired."""


def repaired(request: str, terms: Sequence[QueryTerm]) -> str:
    """A request with its typing errors mended, where the library knows what was meant."""
    meant = {
        term.word: term.meanings[0].word
        for term in terms
        if term.meanings and term.meanings[0].word != term.word
    }
    if not meant:
        return request
    return _WORD.sub(lambda word: meant.get(word[0].lower(), word[0]), request)


class _Postings:
    """The documents that hold one term, ascending, with weighted frequency and fields."""

    __slots__ = ("documents", "fields", "frequencies")

    def __init__(self) -> None:
        self.documents = array("I")
        self.frequencies = array("f")
        self.fields = bytearray()

    def add(self, document: int, frequency: float, field: int) -> None:
        if self.documents and self.documents[-1] == document:
            self.frequencies[-1] += frequency
            self.fields[-1] |= field
        else:
            self.documents.append(document)
            self.frequencies.append(frequency)
            self.fields.append(field)


class LexicalIndex:
    """Scores all documents by the words of a request; it is built once and never changes."""

    def __init__(self, documents: Sequence[CountedDocument]) -> None:
        self._size = len(documents)
        vocabulary = list(
            {word for document in documents for _, words_, _ in document.fields for word in words_}
        )
        self.stems: Mapping[str, str] = dict(zip(vocabulary, stem_all(vocabulary), strict=True))
        """The stem of every word of the documents."""
        self._postings = self._post(documents)

    def __len__(self) -> int:
        """How many documents there are."""
        return self._size

    def _post(self, documents: Sequence[CountedDocument]) -> dict[str, _Postings]:
        totals = dict.fromkeys(FIELD_WEIGHTS, 0)
        for document in documents:
            for field, _, counts in document.fields:
                totals[field] += sum(counts)
        postings: dict[str, _Postings] = {}
        for number, document in enumerate(documents):
            for field, words_, counts in document.fields:
                if not words_:
                    continue
                setting = FIELD_WEIGHTS[field]
                factor = setting.factor(sum(counts), totals[field] / self._size)
                most = setting.most_repeats
                bit = int(field)
                for word, count in zip(words_, counts, strict=True):
                    stem = self.stems[word]
                    entry = postings.get(stem)
                    if entry is None:
                        entry = postings[stem] = _Postings()
                    entry.add(number, factor * (count if count < most else most), bit)
        return postings

    @property
    def unknown_idf(self) -> float:
        """The weight of a word that no document holds: the most that a word can weigh."""
        return self._idf(0)

    def parse(
        self, request: str, known: Container[str] = (), *, mend: bool = True
    ) -> tuple[QueryTerm, ...]:
        """The distinct terms of a request; to `mend`, unknown words are taken for typing errors.

        A word whose stem is `known` is no typing error: `cheap` is not `cheat` because
        no agent speaks of prices. Only the first 20,000 characters and 200 terms count, and 16
        words are repaired at most, so the time is bounded whatever is pasted.
        """
        distinct = list(dict.fromkeys(words(without_files(request[:_MAX_CHARS]))))[:_MAX_TERMS]
        terms: dict[str, QueryTerm] = {}
        repairs = 0
        for word, stem in zip(distinct, stem_all(distinct), strict=True):
            if stem in terms:
                continue
            if stem in self._postings:
                idf = self._idf_of(stem)
                terms[stem] = QueryTerm(word, stem, (Meaning(stem, word, 1.0, idf),), idf)
                continue
            meanings: tuple[Meaning, ...] = ()
            mends = mend and repairs < _MAX_REPAIRS
            if mends and len(word) in _REPAIRABLE and stem not in known:
                repairs += 1
                meanings = self._repair(word)
            idf = max((self._idf_of(meaning.stem) for meaning in meanings), default=self._idf(0))
            meant = meanings[0].stem if meanings else stem
            terms[stem] = QueryTerm(word, meant, meanings, idf)
        return tuple(terms.values())

    def hinted(
        self, hints: Iterable[tuple[str, str, float]], terms: Sequence[QueryTerm]
    ) -> tuple[QueryTerm, ...]:
        """Terms for words that a request only hints at: each with its origin and its share.

        A word that the request holds itself gets none; of equal ones the first counts.
        """
        said = {term.stem for term in terms}
        found: dict[str, QueryTerm] = {}
        for origin, word, share in hints:
            (stem,) = stem_all((word,))
            if stem in said or stem in found:
                continue
            idf = self.weight_of(stem)
            meant = (Meaning(stem, word, share, share * idf),) if stem in self._postings else ()
            found[stem] = QueryTerm(origin, stem, meant, idf, share)
        return tuple(found.values())

    def score_terms(self, terms: Sequence[QueryTerm], arithmetic: Arithmetic) -> Sequence[float]:
        """Score all documents for parsed terms: a repaired word counts by its best meaning."""
        return arithmetic.saturated(self._size, map(self._gains, terms))

    def _gains(self, term: QueryTerm) -> list[Gain]:
        gains = []
        for meaning in term.meanings:
            postings = self._postings[meaning.stem]
            gains.append((postings.documents, postings.frequencies, meaning.gain))
        return gains

    def holders(self, stem: str) -> Sequence[int]:
        """The documents that hold a stem."""
        return self._postings[stem].documents if stem in self._postings else ()

    def hits(self, terms: Sequence[QueryTerm], document: int) -> tuple[TermHit, ...]:
        """Which of the terms a document holds, and where; the one that earned most first."""
        found = (hit for term in terms if (hit := self._hit(term, document)) is not None)
        return tuple(sorted(found, key=lambda hit: (-hit.score, hit.word)))

    def _hit(self, term: QueryTerm, document: int) -> TermHit | None:
        best: TermHit | None = None
        for meaning in term.meanings:
            postings = self._postings[meaning.stem]
            at = bisect_left(postings.documents, document)
            if at == len(postings.documents) or postings.documents[at] != document:
                continue
            frequency = postings.frequencies[at]
            score = meaning.gain * frequency / (frequency + K1)
            if best is None or score > best.score:
                fields = _FIELDS[postings.fields[at]]
                best = TermHit(term.word, meaning.word, fields, score, meaning.weight * term.idf)
        return best

    @cached_property
    def spelling(self) -> SpellingDictionary:
        """The words of the documents, for repairs."""
        return SpellingDictionary(self.stems, REPAIR_SIMILARITY)

    def _repair(self, word: str) -> tuple[Meaning, ...]:
        meanings: dict[str, Meaning] = {}
        for candidate, similarity in self.spelling.nearest(word, _CANDIDATES):
            stem = self.stems[candidate]
            weight = similarity**2
            gain = weight * self._idf_of(stem)
            meanings.setdefault(stem, Meaning(stem, candidate, weight, gain))
        return tuple(meanings.values())

    def weight_of(self, stem: str) -> float:
        """How rare a stem is in the library (idf); highest for one that no document holds."""
        return self._idf_of(stem) if stem in self._postings else self._idf(0)

    def _idf_of(self, stem: str) -> float:
        return self._idf(len(self._postings[stem].documents))

    def _idf(self, documents: int) -> float:
        return math.log(1 + (self._size - documents + 0.5) / (documents + 0.5))
