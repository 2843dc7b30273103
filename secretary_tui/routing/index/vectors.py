"""The meaning of agents and requests as directions: the mean of their words' vectors.

A word counts the more the rarer it is. Name, description and body are averaged each on its own and
added with weights, so that a long body does not drown the name. Vectors hold whole numbers:
`UNIT` stands for 1.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence

from secretary_tui.routing.index.arithmetic import Arithmetic
from secretary_tui.routing.index.lexical import FIELD_WEIGHTS as LENGTHS
from secretary_tui.routing.index.lexical import CountedDocument, Field, QueryTerm
from secretary_tui.routing.words.word_vectors import DIMENSIONS, WordVectors

UNIT = 2048
FIELD_WEIGHTS: Mapping[Field, float] = {Field.NAME: 3.0, Field.DESCRIPTION: 2.0, Field.BODY: 1.0}


def document_vector(
    document: CountedDocument,
    stems: Mapping[str, str],
    known: WordVectors,
    arithmetic: Arithmetic,
) -> array[int]:
    """The direction of a document, all zeros when none of its words is known."""
    total = [0.0] * DIMENSIONS
    for field, words, counts in document.fields:
        weighted = [
            (number, count * known.weight(number))
            for word, count in zip(words, counts, strict=True)
            if (number := known.numbers.get(stems[word])) is not None
        ]
        if weighted:
            weight = FIELD_WEIGHTS[field] * LENGTHS[field].dilution(sum(counts))
            direction = _unit(arithmetic.weighted_sum(known.rows, weighted))
            total = [sum_ + weight * part for sum_, part in zip(total, direction, strict=True)]
    return _rounded(_unit(total))


def request_vector(
    terms: Sequence[QueryTerm],
    known: WordVectors,
    holders: Callable[[QueryTerm], Iterable[Sequence[int]]],
    arithmetic: Arithmetic,
) -> array[int]:
    """The direction of a request, all zeros when nothing is known of its words.

    When no word has a vector, such as the name of a tool alone, the request means what the
    documents that hold its words are about: `holders` gives their directions.
    """
    weighted = [
        (number, round(known.weight(number) * term.share))
        for term in terms
        if (number := known.numbers.get(term.stem)) is not None
    ]
    if weighted:
        return _rounded(_unit(arithmetic.weighted_sum(known.rows, weighted)))
    about = [direction for term in terms for direction in holders(term)]
    return _rounded(_unit([sum(parts) for parts in zip(*about, strict=True)]))


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [value / length for value in vector] if length else [0.0] * DIMENSIONS


def _rounded(vector: Iterable[float]) -> array[int]:
    return array("h", (round(value * UNIT) for value in vector))
