"""What an agent says of itself, as sentences."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

MOST_SENTENCES = 24
"""Sentences of a description that are read; published ones have 12 at most."""
_END = re.compile(r"(?<=[.!?;])\s+")


@dataclass(frozen=True, slots=True)
class Described:
    """What an agent says of itself."""

    name: str
    description: str
    """Without `<example>` blocks."""

    @property
    def sentences(self) -> list[str]:
        """The sentences of the description; the name when there is none."""
        found = _END.split(self.description.strip())
        told = [sentence for sentence in found if " " in sentence] or [self.description.strip()]
        return told[:MOST_SENTENCES] if told[0] else [self.name.replace("-", " ")]

    @property
    def key(self) -> bytes:
        """32 bytes that are the same for the same sentences."""
        told = "\0".join(self.sentences)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).digest()
