"""Fielded BM25 over name, description and body, with typing errors repaired.

BM25F (Robertson, Zaragoza, Taylor 2004): the term frequencies of a document's fields are length-
normalised and summed with weights before they saturate. Indexing the body at a small weight is
what helps most; at full weight it hurts.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Protocol

from secretary_tui.routing.terms import count_words, stem_all, words


class Field(IntFlag):
    """Where in an agent's file a word was found."""

    NAME = 1
    DESCRIPTION = 2
    BODY = 4


@dataclass(frozen=True, slots=True)
class FieldWeight:
    """How much a field counts, and how strongly its length is normalised (BM25's `b`)."""

    weight: float
    b: float


FIELD_WEIGHTS: Mapping[Field, FieldWeight] = {
    Field.NAME: FieldWeight(2.0, 0.0),
    Field.DESCRIPTION: FieldWeight(1.0, 0.4),
    Field.BODY: FieldWeight(0.2, 0.75),
}
K1 = 1.2
"""Saturation: how soon a repeated word stops counting."""
REPAIR_SIMILARITY = 0.7
"""Least similarity (1 - edits / length, a swap being one edit) of a typing error and its word."""

_MAX_CHARS = 20_000
_MAX_TERMS = 200
_MAX_REPAIRS = 16
_REPAIRABLE = range(4, 31)
_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one agent, by field."""

    name: str
    description: str
    body: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """An index term that a word of the request may stand for."""

    stem: str
    word: str
    """The word as the library writes it."""
    weight: float
    """1 for the word itself, less for a repair."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word of the request and what it may stand for."""

    word: str
    meanings: tuple[Meaning, ...]
    """Empty for a word the library does not know; several for a repaired one."""
    idf: float
    """How rare the word is in the library; highest for an unknown one."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A word of the request found in a document."""

    word: str
    found: str
    """The same word, or the one it was repaired to."""
    fields: Field
    score: float
    idf: float
    """How rare the word is, less when it had to be repaired."""


class Scorer(Protocol):
    """Something that scores all documents for a request; scores of scorers can be blended."""

    def score(self, request: str) -> Sequence[float]:
        """One score per document, in the order the documents were given; 0 means no relation."""
        ...


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
    """A `Scorer` over the words of the documents; it is built once and never changes."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._size = len(documents)
        counted = [
            (
                (Field.NAME, count_words(document.name)),
                (Field.DESCRIPTION, count_words(document.description)),
                (Field.BODY, count_words(document.body)),
            )
            for document in documents
        ]
        vocabulary = list({word for fields in counted for _, counts in fields for word in counts})
        self._stems = dict(zip(vocabulary, stem_all(vocabulary), strict=True))
        self._postings = self._post(counted)

    def _post(
        self, counted: Sequence[Sequence[tuple[Field, Mapping[str, int]]]]
    ) -> dict[str, _Postings]:
        totals = dict.fromkeys(FIELD_WEIGHTS, 0)
        lengths = [{field: sum(counts.values()) for field, counts in doc} for doc in counted]
        for length in lengths:
            for field, total in length.items():
                totals[field] += total
        postings: dict[str, _Postings] = {}
        stems = self._stems
        for number, fields in enumerate(counted):
            for field, counts in fields:
                if not counts:
                    continue
                setting = FIELD_WEIGHTS[field]
                average = totals[field] / self._size
                relative = lengths[number][field] / average
                factor = setting.weight / (1 - setting.b + setting.b * relative)
                bit = int(field)
                for word, count in counts.items():
                    stem = stems[word]
                    entry = postings.get(stem)
                    if entry is None:
                        entry = postings[stem] = _Postings()
                    entry.add(number, factor * count, bit)
        return postings

    @property
    def unknown_idf(self) -> float:
        """The weight of a word that no document holds: the most that a word can weigh."""
        return self._idf(0)

    def parse(self, request: str) -> tuple[QueryTerm, ...]:
        """The distinct terms of a request; unknown words are taken for typing errors if close.

        Only the first 20,000 characters and 200 terms count, and 16 words are repaired at most,
        so the time is bounded whatever is pasted.
        """
        distinct = list(dict.fromkeys(words(request[:_MAX_CHARS])))[:_MAX_TERMS]
        terms: dict[str, QueryTerm] = {}
        repairs = 0
        for word, stem in zip(distinct, stem_all(distinct), strict=True):
            if stem in terms:
                continue
            if stem in self._postings:
                terms[stem] = QueryTerm(word, (Meaning(stem, word, 1.0),), self._idf_of(stem))
                continue
            meanings: tuple[Meaning, ...] = ()
            if len(word) in _REPAIRABLE and repairs < _MAX_REPAIRS:
                repairs += 1
                meanings = self._repair(word)
            idf = max((self._idf_of(meaning.stem) for meaning in meanings), default=self._idf(0))
            terms[stem] = QueryTerm(word, meanings, idf)
        return tuple(terms.values())

    def score(self, request: str) -> list[float]:
        """Implement `Scorer`."""
        return self.score_terms(self.parse(request))

    def score_terms(self, terms: Sequence[QueryTerm]) -> list[float]:
        """Score all documents for parsed terms: a repaired word counts by its best meaning."""
        scores = [0.0] * self._size
        for term in terms:
            best: dict[int, float] = {}
            for meaning in term.meanings:
                postings = self._postings[meaning.stem]
                gain = meaning.weight * self._idf_of(meaning.stem)
                for document, frequency in zip(
                    postings.documents, postings.frequencies, strict=True
                ):
                    value = gain * frequency / (frequency + K1)
                    if value > best.get(document, 0.0):
                        best[document] = value
            for document, value in best.items():
                scores[document] += value
        return scores

    def hits(self, terms: Sequence[QueryTerm], document: int) -> tuple[Hit, ...]:
        """Which of the terms a document holds, and where; the one that earned most first."""
        found = (hit for term in terms if (hit := self._hit(term, document)) is not None)
        return tuple(sorted(found, key=lambda hit: (-hit.score, hit.word)))

    def _hit(self, term: QueryTerm, document: int) -> Hit | None:
        best: Hit | None = None
        for meaning in term.meanings:
            postings = self._postings[meaning.stem]
            at = bisect_left(postings.documents, document)
            if at == len(postings.documents) or postings.documents[at] != document:
                continue
            frequency = postings.frequencies[at]
            gain = meaning.weight * self._idf_of(meaning.stem)
            score = gain * frequency / (frequency + K1)
            if best is None or score > best.score:
                fields = Field(postings.fields[at])
                best = Hit(term.word, meaning.word, fields, score, meaning.weight * term.idf)
        return best

    def _repair(self, word: str) -> tuple[Meaning, ...]:
        # Imported here: most requests have no typing error, and the hook path counts milliseconds.
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        near = process.extract(
            word,
            self._stems.keys(),
            scorer=OSA.normalized_similarity,
            limit=_CANDIDATES,
            score_cutoff=REPAIR_SIMILARITY,
        )
        meanings: dict[str, Meaning] = {}
        for candidate, similarity, _ in sorted(near, key=lambda row: (-row[1], row[0])):
            stem = self._stems[candidate]
            meanings.setdefault(stem, Meaning(stem, candidate, similarity**2))
        return tuple(meanings.values())

    def _idf_of(self, stem: str) -> float:
        return self._idf(len(self._postings[stem].documents))

    def _idf(self, documents: int) -> float:
        return math.log(1 + (self._size - documents + 0.5) / (documents + 0.5))
