"""How close a request is to what agents say of themselves, as sentences and not as single words.

An agent's direction is the mean over the sentences of its description: better than the description
as one text, and than its nearest sentence, by which one sentence a trade would win them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from secretary_tui.routing.sentences.encoder import Encoder
from secretary_tui.routing.words.described import Described

SENTENCE_PIECES = 128
REQUEST_PIECES = 64
"""Pieces of a request that are read: each costs a third of a millisecond, or two."""
_REQUEST_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class SentenceIndex:
    """The directions of all agents of a library, in its order."""

    model: Encoder
    directions: Any
    """A matrix with a row of 32-bit floats for each agent."""

    def closeness(self, request: str) -> Any:
        """The cosine of the request and each agent, from -1 to 1; some 8 or 60 ms."""
        query = _direction(self.model, request[:_REQUEST_CHARS])
        return (self.directions @ query).astype(float)


@lru_cache(maxsize=512)
def _direction(model: Encoder, request: str) -> Any:
    """Read a request; kept, since one is ranked while it is typed, when sent and when shown."""
    (direction,) = model.encode([request], REQUEST_PIECES)
    direction.flags.writeable = False
    return direction


def directions_of(model: Encoder, described: Sequence[Described]) -> list[bytes]:
    """Compute the direction of each description, as `pack`ed numbers."""
    sentences = [each.sentences for each in described]
    rows = model.encode([text for each in sentences for text in each], SENTENCE_PIECES)
    packed = []
    start = 0
    for each in sentences:
        mean = rows[start : start + len(each)].mean(axis=0)
        packed.append((mean / (mean @ mean) ** 0.5).astype("<f2").tobytes())
        start += len(each)
    return packed


def packed_bytes(width: int) -> int:
    """What a direction takes as 16-bit floats; they change a cosine in its fourth place at most."""
    return 2 * width


def unpack(packed: Sequence[bytes]) -> Any:
    """Give packed directions as the matrix of a `SentenceIndex`."""
    import numpy as np

    numbers = np.frombuffer(b"".join(packed), dtype="<f2").astype(np.float32)
    return numbers.reshape(len(packed), -1)
