"""The last gate before the terminal: a filter over every line that is painted."""

from __future__ import annotations

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_DANGEROUS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class TerminalGuard(LineFilter):
    """Replaces control characters and bidi overrides by a visible mark.

    Text is cleaned where it comes in; this is the backstop for what was missed (measured: ten of
    eleven Textual widgets pass escape sequences through).
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Give the segments, made harmless."""
        return [
            segment
            if segment.control or not _DANGEROUS.search(segment.text)
            else Segment(_DANGEROUS.sub("\ufffd", segment.text), segment.style)
            for segment in segments
        ]
