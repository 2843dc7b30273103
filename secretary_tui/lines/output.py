"""What the verbs print: results on the standard output, everything else on the error output.

Text from outside is cleaned here, whatever it went through before: a terminal obeys escape
sequences. Nothing is coloured, so `NO_COLOR` has nothing to switch off.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence

from secretary_tui.lines.plain_mode import prefers_lines
from secretary_tui.number_format import dollars
from secretary_tui.sanitize import clean, clean_line

_UNSAFE_IN_JSON = re.compile(
    r"[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"  # C1, bidi, surrogates
)


def say(text: str = "", *, end: str = "\n") -> None:
    """Print a piece of the result."""
    sys.stdout.write(clean(text) + end)


def note(text: str) -> None:
    """Print a remark for the user, flushed so that it keeps its place among the result."""
    sys.stdout.flush()
    sys.stderr.write(clean(text) + "\n")
    sys.stderr.flush()


def say_json(value: object, *, indent: int | None = None) -> None:
    """Print one JSON value and flush."""
    sys.stdout.write(json_text(value, indent=indent) + "\n")
    sys.stdout.flush()


def json_text(value: object, *, indent: int | None = None) -> str:
    """Write a JSON value; what a terminal might obey is escaped, nothing is lost."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSAFE_IN_JSON.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def say_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: aligned and cut to the width on a terminal, tab-separated in a pipe.

    Where lines are preferred, a terminal gets each row as one, its cells named.
    """
    cells = [[clean_line(cell) for cell in row] for row in (header, *rows)]
    if sys.stdout.isatty() and prefers_lines():
        for row in cells[1:]:
            named = (f"{name}: {cell}" for name, cell in zip(cells[0], row, strict=True) if cell)
            say(", ".join(named))
        return
    if not sys.stdout.isatty():
        for row in cells:
            say("\t".join(row))
        return
    width = shutil.get_terminal_size().columns
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        line = "  ".join(cell.ljust(wide) for cell, wide in zip(row, widths, strict=True))
        say(shorten(line.rstrip(), width))


def line_width() -> int:
    """How wide a line of prose may be: the terminal's width, 100 in a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 100


def shorten(text: str, width: int) -> str:
    """Cut a line to `width` characters, the cut marked."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def amount(number: float, one: str, many: str = "") -> str:
    """Say a number with its noun, `1 run`, `2 runs`, `1,234 tokens`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def file_size(size: float) -> str:
    """Say a number of bytes, `12 kB`."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def money(cost_usd: float | None) -> str:
    """Say a cost, `$0.0123`; empty when it is unknown."""
    return "" if cost_usd is None else dollars(cost_usd)
