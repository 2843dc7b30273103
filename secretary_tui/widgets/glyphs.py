"""Lines, bars and marks in ASCII, for terminals, fonts and ears that can't do with others.

A filter over every line that is painted, so that widgets draw with one set of glyphs and Textual's
own borders are covered too. Each glyph becomes as many characters as it has cells: nothing moves.
"""

from __future__ import annotations

import codecs
import locale
import re
from collections.abc import Mapping
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_ASCII = {
    **dict.fromkeys("─┄┈╌╴╶▁▂▃▔–—·‐‑", "-"),
    **dict.fromkeys("━═╍┅┉╸╺▬", "="),
    **dict.fromkeys("│┃┆┇┊┋╎╏║▌▐▎▍▏▕", "|"),
    **dict.fromkeys("●•◉", "*"),
    **dict.fromkeys("○◦◯", "o"),
    **dict.fromkeys("█▓▉▊▋▇▆▅▄▀■", "#"),
    **dict.fromkeys("▒░", ":"),
    **dict.fromkeys("→❯›▶►⇒", ">"),
    **dict.fromkeys("←‹◀⇐↶", "<"),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”„", '"'),
    **{"▸": "+", "▾": "-", "✓": "v", "✗": "x", "×": "x", "◐": "c", "◆": "@", "↻": "~"},
    **{"↑": "^", "↓": "v", "…": "~", "╱": "/", "╲": "\\", "╳": "X", "≥": ">", "≤": "<"},
}
_ANY = {"\u2190": ">", "\u2500": "+", "\u2580": "#", "\u25a0": "*", "\u2600": "*", "\u2800": "*"}
"""For glyphs that are not named above: by the first one of their block."""
_BLOCKS = sorted(_ANY, reverse=True)
_GLYPHS = re.compile(
    "[\u00b7\u00d7\u2010-\u2026\u2039\u203a\u2190-\u21ff\u2264\u2265\u2500-\u27bf\u2800-\u28ff]"
)


class AsciiGlyphs(LineFilter):
    """Draws with ASCII; letters stay as they are, as far as the terminal's encoding has them.

    Args:
        encoding: What the terminal takes; letters it does not have become question marks.
    """

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding
        self._is_utf8 = _is_utf8(encoding)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Give the segments in ASCII."""
        return [
            segment
            if segment.control or segment.text.isascii()
            else Segment(self.text(segment.text), segment.style)
            for segment in segments
        ]

    def text(self, text: str) -> str:
        """Give a text with every glyph replaced."""
        drawn = _GLYPHS.sub(lambda match: _ascii(match[0]), text)
        if self._is_utf8 or drawn.isascii():
            return drawn
        return "".join(c if self._has(c) else "?" * cell_len(c) for c in drawn)

    def _has(self, character: str) -> bool:
        try:
            character.encode(self._encoding)
        except UnicodeEncodeError:
            return False
        return True


@lru_cache(maxsize=512)
def _ascii(glyph: str) -> str:
    own = _ASCII.get(glyph)
    if own is not None:
        return own
    block = next((first for first in _BLOCKS if first <= glyph), "")
    return _ANY.get(block, "?") * cell_len(glyph)


def terminal_encoding(environ: Mapping[str, str]) -> str:
    """The encoding of the terminal's locale, as POSIX says: LC_ALL, LC_CTYPE, LANG, the first set.

    A name with an encoding counts as it is written, for it came with the terminal, and the machine
    may not have that locale. UTF-8 where nothing is set.
    """
    name = next((v for k in ("LC_ALL", "LC_CTYPE", "LANG") if (v := environ.get(k))), "")
    if not name:
        return "utf-8"
    if name in ("C", "POSIX"):
        return "ascii"
    written = name.partition("@")[0].partition(".")[2] or locale.nl_langinfo(locale.CODESET)
    try:
        return codecs.lookup(written).name
    except LookupError:
        return "utf-8"


def wants_ascii(setting: str, environ: Mapping[str, str]) -> bool:
    """Whether to draw with ASCII under the setting `glyphs` (auto, unicode or ascii)."""
    if setting == "auto":
        return not _is_utf8(terminal_encoding(environ))
    return setting == "ascii"


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "").replace("_", "") == "utf8"
