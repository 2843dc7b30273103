"""What the matcher knows of a library: the words of all agents and their directions in meaning.

A score blends the words of the request that the file holds (fuzzy BM25F), how close the two are in
meaning (cosine of word vectors) and, when there are vectors of sentences, how close the request is
to what the agent says of itself; each standardised over the library.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from secretary_tui.routing.index.arithmetic import Arithmetic, PlainArithmetic
from secretary_tui.routing.index.lexical import (
    CountedDocument,
    Document,
    LexicalIndex,
    QueryTerm,
    count_document,
    repaired,
)
from secretary_tui.routing.index.vectors import UNIT, document_vector, request_vector
from secretary_tui.routing.words.word_vectors import DIMENSIONS, ROW_LENGTH, word_vectors

if TYPE_CHECKING:
    from secretary_tui.routing.sentences.sentences import SentenceIndex

SHARES = (0.4, 0.6)
"""How much words and their meaning count in a score."""
SHARES_WITH_SENTENCES = (0.25, 0.25, 0.5)
"""The same when the meaning of sentences counts too."""
ENOUGH_FOR_NUMPY = 16
"""Agents from which importing numpy takes less time than doing without."""
MOST_HOLDERS = 8
"""Documents up to which a word without a vector says what a request is about."""
CLOSE_IN_MEANING = 0.25
"""Cosine from which one word of a request is said to be close to an agent."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """What is worth keeping of a document for the next index."""

    counted: CountedDocument
    vector: array[int]


@dataclass(frozen=True, slots=True)
class Scores:
    """All documents scored for one request, by number."""

    terms: tuple[QueryTerm, ...]
    lexical: Sequence[float]
    """BM25F; 0 means no word in common."""
    products: Sequence[float]
    """Scalar products of directions, which are `UNIT` long."""
    blended: MutableSequence[float]
    """What ranks; it means something within one request only."""
    sentences: Sequence[float] | None = None
    """Cosines of the request and the agents' descriptions, None when they are not known."""

    def meaning(self, document: int) -> float:
        """How close a document is in meaning: the cosine, from -1 to 1."""
        return float(self.products[document]) / UNIT**2


class RoutingIndex:
    """The words and the directions of all documents; it is built once and never changes."""

    def __init__(self, lexical: LexicalIndex, vectors: array[int], arithmetic: Arithmetic) -> None:
        self.lexical = lexical
        self.vectors = vectors
        """The directions of all documents, one behind the other."""
        self.arithmetic = arithmetic
        self._matrix: Any = arithmetic.matrix(vectors)

    def score(
        self,
        request: str,
        sentences: SentenceIndex | None = None,
        *,
        mend: bool = True,
        hints: Sequence[tuple[str, str, float]] = (),
    ) -> Scores:
        """Score all documents; there must be one at least. Typing errors are mended or not.

        `hints` are words that the request only hints at, each with its origin and its share.
        """
        known = word_vectors()
        terms = self.lexical.parse(request, known.numbers, mend=mend)
        terms += self.lexical.hinted(hints, terms)
        lexical = self.lexical.score_terms(terms, self.arithmetic)
        direction = request_vector(terms, known, self._holders, self.arithmetic)
        products = self.arithmetic.products(self._matrix, direction)
        if sentences is None:
            blended = self.arithmetic.blend((lexical, products), SHARES)
            return Scores(terms, lexical, products, blended)
        close = sentences.closeness(repaired(request, terms))
        blended = self.arithmetic.blend((lexical, products, close), SHARES_WITH_SENTENCES)
        return Scores(terms, lexical, products, blended, close)

    def close_words(self, terms: Sequence[QueryTerm], documents: Sequence[int]) -> list[list[str]]:
        """For each document, the words of a request that are close to it, the closest first."""
        known = word_vectors()
        matrix = self.arithmetic.matrix(sum(map(self._direction, documents), array("h")))
        found: list[list[tuple[float, str]]] = [[] for _ in documents]
        for term in terms:
            number = known.numbers.get(term.stem)
            if number is None or term.share < 1:
                continue
            products = self.arithmetic.products(matrix, known.row(number))
            for near, product in zip(found, products, strict=True):
                if product >= CLOSE_IN_MEANING * UNIT * ROW_LENGTH:
                    near.append((-product, term.word))
        return [[word for _, word in sorted(near)] for near in found]

    def _direction(self, document: int) -> array[int]:
        return self.vectors[document * DIMENSIONS : (document + 1) * DIMENSIONS]

    def _holders(self, term: QueryTerm) -> list[array[int]]:
        """The directions of the documents that hold a word, none when there are many."""
        documents = self.lexical.holders(term.stem)
        return list(map(self._direction, documents)) if len(documents) <= MOST_HOLDERS else []


def build_index(
    documents: Sequence[Document], kept: Mapping[Document, Analysed]
) -> tuple[RoutingIndex, dict[Document, Analysed]]:
    """Index documents, analysing only those that were not kept; gives what to keep next time."""
    counted = [
        kept[document].counted if document in kept else count_document(document)
        for document in documents
    ]
    lexical = LexicalIndex(counted)
    arithmetic = arithmetic_for(len(documents))
    known = word_vectors()
    analysed: dict[Document, Analysed] = {}
    vectors = array("h")
    for document, words in zip(documents, counted, strict=True):
        before = kept.get(document)
        if before is None:
            vector = document_vector(words, lexical.stems, known, arithmetic)
            before = Analysed(words, vector)
        analysed[document] = before
        vectors += before.vector
    if not isinstance(arithmetic, PlainArithmetic):
        from secretary_tui.routing.index.numpy_arithmetic import alike

        lexical.spelling.prepare(alike)
    return RoutingIndex(lexical, vectors, arithmetic), analysed


def arithmetic_for(size: int) -> Arithmetic:
    """The faster arithmetic for a library that is built now."""
    if size < ENOUGH_FOR_NUMPY:
        return PlainArithmetic()
    from secretary_tui.routing.index.numpy_arithmetic import NumpyArithmetic

    return NumpyArithmetic()
