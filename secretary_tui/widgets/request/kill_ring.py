"""What readline's kills took away: the newest are kept, and kills in a row are one text."""

from __future__ import annotations

MOST_KILLED = 60
"""Texts that are kept, as readline itself keeps them."""


class KillRing:
    """The killed texts, and which of them is put back next."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._at = -1

    def kill(self, text: str, *, forward: bool, joins: bool) -> None:
        """Keep a text; one that was killed right after another joins it on its side.

        Args:
            text: What was taken away; nothing is not kept.
            forward: Whether it stood behind the cursor.
            joins: Whether the key before was a kill, too.
        """
        if not text:
            return
        if joins and self._texts:
            last = self._texts.pop()
            text = last + text if forward else text + last
        self._texts = [*self._texts, text][-MOST_KILLED:]
        self._at = -1

    @property
    def current(self) -> str:
        """What is put back; empty before the first kill."""
        return self._texts[self._at] if self._texts else ""

    def turn(self) -> str:
        """Go on to the text killed before, after the oldest to the newest again."""
        if self._texts:
            self._at = -1 - (-self._at % len(self._texts))
        return self.current
