"""Work-arounds for what a terminal may send; the only place that reaches into Textual's driver."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from textual.drivers import linux_driver


def accept_any_byte() -> None:
    """Let a byte that is not UTF-8 become U+FFFD instead of ending the app.

    A pasted Latin-1 text and the mouse reports of old terminals hold such bytes; Textual (8.2.8,
    pinned) decodes its input strictly.
    """
    strict = codecs.getincrementaldecoder

    def lenient(encoding: str) -> Callable[..., codecs.IncrementalDecoder]:
        return lambda errors="replace": strict(encoding)("replace")

    linux_driver.getincrementaldecoder = lenient  # type: ignore[attr-defined,assignment]
