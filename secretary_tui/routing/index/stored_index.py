"""A routing index as JSON: the hook can't afford to count 200 files' words for each prompt.

The postings of all terms lie in three arrays one behind the other; those of a term are cut out
when a request asks for it, so loading costs the same few milliseconds whatever the request. The
directions of meaning are stored as well, since making them is what takes longest.
"""

from __future__ import annotations

import base64
from array import array
from collections.abc import Mapping
from typing import Any

from secretary_tui.routing.index.arithmetic import PlainArithmetic
from secretary_tui.routing.index.lexical import LexicalIndex, _Postings
from secretary_tui.routing.index.routing_index import RoutingIndex
from secretary_tui.routing.words.word_vectors import DIMENSIONS


def dump_index(index: RoutingIndex) -> dict[str, Any]:
    """The index as values that JSON can hold; `load_index` reads them."""
    documents, frequencies, fields = array("I"), array("f"), bytearray()
    lengths = {}
    for stem, postings in index.lexical._postings.items():
        lengths[stem] = len(postings.documents)
        documents += postings.documents
        frequencies += postings.frequencies
        fields += postings.fields
    return {
        "size": len(index.lexical),
        "stems": index.lexical.stems,
        "lengths": lengths,
        "documents": _text(documents.tobytes()),
        "frequencies": _text(frequencies.tobytes()),
        "fields": _text(bytes(fields)),
        "vectors": _text(index.vectors.tobytes()),
    }


def load_index(data: Mapping[str, Any]) -> RoutingIndex:
    """Rebuild an index that scores exactly like the one that was dumped on this machine.

    Raises:
        ValueError: it is damaged.
    """
    try:
        documents, frequencies = array("I"), array("f")
        documents.frombytes(base64.b64decode(data["documents"]))
        frequencies.frombytes(base64.b64decode(data["frequencies"]))
        fields = bytearray(base64.b64decode(data["fields"]))
        vectors = array("h")
        vectors.frombytes(base64.b64decode(data["vectors"]))
        lengths: dict[str, int] = data["lengths"]
        total = sum(lengths.values())
        size, stems = int(data["size"]), dict(data["stems"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"the stored index is incomplete: {error}") from None
    whole = total == len(documents) == len(frequencies) == len(fields)
    whole = whole and len(vectors) == size * DIMENSIONS
    if not whole or max(documents, default=-1) >= size:
        raise ValueError("the stored index is damaged")
    lexical = LexicalIndex(())
    lexical._size = size
    lexical.stems = stems
    lexical._postings = _StoredPostings(lengths, documents, frequencies, fields)
    return RoutingIndex(lexical, vectors, PlainArithmetic())


class _StoredPostings(dict[str, _Postings]):
    """The postings by term, cut out of the arrays at the first use."""

    def __init__(
        self,
        lengths: Mapping[str, int],
        documents: array[int],
        frequencies: array[float],
        fields: bytearray,
    ) -> None:
        super().__init__()
        self._lengths = lengths
        self._starts: dict[str, int] = {}
        start = 0
        for stem, length in lengths.items():
            self._starts[stem] = start
            start += length
        self._documents, self._frequencies, self._fields = documents, frequencies, fields

    def __contains__(self, stem: object) -> bool:
        return stem in self._starts

    def __missing__(self, stem: str) -> _Postings:
        start = self._starts[stem]
        part = slice(start, start + self._lengths[stem])
        postings = self[stem] = _Postings()
        postings.documents = self._documents[part]
        postings.frequencies = self._frequencies[part]
        postings.fields = self._fields[part]
        return postings


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
