"""What comes of looking up what a message refers to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reference(StrEnum):
    """How a message points at something that was said before."""

    ITEM = "item"
    """By its place or key in a list: `the second one`, `b)`."""
    THING = "thing"
    """By what it is called: `the nginx file`."""
    POINTED = "pointed"
    """By `it`, `that view`, `the same for …`, or by what is left out."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A request with what it refers to."""

    text: str
    """The request with references filled in; what is routed."""
    follows_up: bool = False
    """Whether it only makes sense after what was said before."""
    unresolved: str = ""
    """The words whose meaning is open, empty when all is clear."""
    pointed: str = ""
    """The words that were found to stand for something, empty when there are none."""
    by: Reference = Reference.POINTED
    deed: str = ""
    """The earlier request that is to be done once more, for something else."""
