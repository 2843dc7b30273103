"""Repair of text that UTF-8 can't carry: lone surrogates, as JSON escapes bring them in."""

from __future__ import annotations

import re
from typing import Any

_LONE = re.compile(r"[\ud800-\udfff]")


def well_formed(value: Any) -> Any:
    """Give a JSON value in which every text can be encoded.

    Two halves of a pair that arrived apart become the character; a half alone becomes U+FFFD.
    """
    if isinstance(value, str):
        if not _LONE.search(value):
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value


class PairJoiner:
    """Repairs a text that arrives in pieces: a first half waits for the piece with the second."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Give what can be shown of the text so far and wasn't given yet."""
        text, self._held = self._held + piece, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return str(well_formed(text))
