"""File names in a request: they name a thing, not what should be done with it.

No agent's description holds `calc.py`, so the name would only count against all of them; and its
language, put in its place, would outweigh the verb ("review calc.py" is for a reviewer).
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"[\w.~/@-]+")
"""What a file name stands in; looked at one by one, since `a/a/a/…` takes time by its square."""
_LONGEST = 300
"""Characters up to which a piece may be a file."""
_FILE = re.compile(r"(?<![\w@])(?:[\w.~-]*/)*[\w-]+\.([A-Za-z]\w{0,7})\b(?!\.\w)")
_KNOWN = (
    "c h cc cpp hpp cs css csv dart ex exs go html ini ipynb java js json jsx kt lock log lua md "
    "pdf php pl ps1 py rb rs scala scss sh sol sql svelte swift tf toml ts tsx txt vue xml yaml yml"
)
_ENDINGS = frozenset(_KNOWN.split())


def without_files(request: str) -> str:
    """Leave the file names out; a request of nothing else stays as it is."""

    def is_file(found: re.Match[str]) -> str:
        ending = found[1].lower()
        # `node.js` is a technology, `lib/chart.js` a file.
        return " " if ending in _ENDINGS and (ending != "js" or "/" in found[0]) else found[0]

    def without(piece: re.Match[str]) -> str:
        return piece[0] if len(piece[0]) > _LONGEST else _FILE.sub(is_file, piece[0])

    rest = _PIECE.sub(without, request)
    return rest if re.search(r"\w", rest) else request
