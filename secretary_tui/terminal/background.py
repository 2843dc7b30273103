"""Whether the terminal is dark or light: it is asked once (OSC 11), and its answer is taken out of
what is typed before anything else sees it.

An answer may come at once, late, in pieces, or never (tmux without a client, old terminals); the
screen does not wait for it. A terminal that is not known to understand the question isn't asked.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from textual._xterm_parser import XTermParser
from textual.message import Message

if TYPE_CHECKING:
    pass

QUERY = "\x1b]11;?\x07"
HELD_S = 0.2
"""Seconds after which the beginning of an answer is taken for keys: Alt+] begins like one."""
FRESH_S = 5.0
"""Seconds after the start in which even Esc may be the beginning of an answer."""
LIGHT_FROM = 0.5
"""Brightness from which a background counts as light."""

_ANSWER = re.compile(r"\x1b\]11;([^\x07\x1b]{0,60})(?:\x07|\x1b\\)")
_BEGUN = re.compile(r"\x1b(?:\](?:1(?:1(?:;[^\x07\x1b]{0,60}\x1b?)?)?)?)?\Z")
"""An answer whose end has not come yet."""
_CUT = re.compile(r"\x1b\]11;(?:rgba?:[0-9a-fA-F/]*)?(?:\x1b(?![\[O]))?")
"""What there is of an answer that never ended; not the beginning of the key behind it."""
_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"
_MARK = re.compile(r"\x1b\[20[01]~")
_MARK_BEGUN = re.compile(r"\x1b(?:\[(?:2(?:0[01]?)?)?)?\Z")
_RGB = re.compile(r"rgba?:([0-9a-fA-F]{1,4}(?:/[0-9a-fA-F]{1,4}){2,3})")
_DEAF = frozenset({"", "dumb", "linux", "unknown"})
"""Values of TERM whose terminals don't answer, or might show the question."""


class BackgroundReported(Message):
    """The terminal said what its background is."""

    def __init__(self, *, dark: bool) -> None:
        super().__init__()
        self.dark = dark


class AnswerParser(XTermParser):
    """Textual's parser of what the terminal sends, less the answers to `QUERY`."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._began = time.monotonic()
        self._held = ""
        self._held_since = 0.0
        self._pasting = False
        """Whether a paste has begun whose end has not come yet."""

    def feed(self, data: str) -> Iterable[Message]:
        """Parse what came in; the beginning of an answer is held until the rest is there."""
        held, self._held = self._held, ""
        whole = self._with_whole_pastes(held + data)
        at = 0
        for answer in _ANSWER.finditer(whole):
            yield from self._typed(whole[at : answer.start()])
            colour = _RGB.match(answer[1])
            if colour is not None:
                yield BackgroundReported(dark=is_dark(colour[1]))
            at = answer.end()
        begun = _BEGUN.search(whole, at) if data and not self._pasting else None
        if begun is not None and (len(begun[0]) > 1 or self._is_fresh):
            self._held, self._held_since = begun[0], time.monotonic()
            yield from self._typed(whole[at : begun.start()])
        else:
            yield from self._typed(whole[at:])
        if not data:
            yield from super().feed("")

    def tick(self) -> Iterable[Message]:
        """Let keys through that only looked like the beginning of an answer."""
        if self._held and not self._pasting and time.monotonic() - self._held_since >= HELD_S:
            held, self._held = self._held, ""
            yield from self._typed(held)
        yield from super().tick()

    def _with_whole_pastes(self, text: str) -> str:
        """Take out of pastes what would end them, and all else that begins like a key.

        Textual (8.2.8, pinned) would type what follows an escape in a paste, or click there.
        """
        start = 0 if self._pasting else text.find(_PASTE) + len(_PASTE)
        if not self._pasting and _PASTE not in text:
            return text
        end = text.rfind(_PASTED, start)
        self._pasting = end < 0
        if self._pasting:
            begun = _MARK_BEGUN.search(text, start)
            end = begun.start() if begun is not None else len(text)
            self._held, rest = text[end:], ""
        else:
            rest = _PASTED + self._with_whole_pastes(text[end + len(_PASTED) :])
        pasted = _CUT.sub("", _ANSWER.sub("", _MARK.sub("", text[start:end]))).replace("\x1b", "")
        return text[:start] + pasted + rest

    @property
    def _is_fresh(self) -> bool:
        return time.monotonic() - self._began < FRESH_S

    def _typed(self, text: str) -> Iterable[Message]:
        keys = _CUT.sub("", text)
        if keys:
            yield from super().feed(keys)


def understands_the_question(environ: Mapping[str, str]) -> bool:
    """Whether the terminal that TERM names may be asked for its background."""
    return environ.get("TERM", "") not in _DEAF


def background_of(environ: Mapping[str, str]) -> bool | None:
    """Whether COLORFGBG says that the background is dark; None when it says nothing."""
    last = environ.get("COLORFGBG", "").rpartition(";")[2]
    if not last.isascii() or not last.isdigit():
        return None
    return int(last) in (0, 1, 2, 3, 4, 5, 6, 8)


def is_dark(rgb: str) -> bool:
    """Whether a colour as X writes it (`ffff/ffff/ffff`, 1 to 4 digits each) is a dark one."""
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in rgb.split("/")[:3])
    return bool(0.299 * red + 0.587 * green + 0.114 * blue < LIGHT_FROM)
