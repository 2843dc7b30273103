"""A unified diff in bounded time, whatever the texts are.

What is equal at both ends is set aside first. The middle is compared by `difflib` while that is
cheap (its worst case is worse than quadratic), line against line when the number of lines stays
the same, and as one block otherwise: still exact, only less fine. A diff that nobody could read is
shortened to its ends, and says so.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

MAX_COMPARED_LINES = 4_000
MAX_COMPARED_PAIRS = 20_000
"""Pairs of equal lines that `difflib` may look at."""
MAX_SHOWN = 400_000
"""Characters; a longer diff shows its beginning and end."""
_ENDS = 20_000
_CONTEXT = 3
_SHORTENED = re.compile(r"(?:\((?:changes|replaces) [^\n]*\n)*\(too large to show whole: ")

Block = tuple[int, int, int, int]
"""Lines `a1:a2` of the old text become lines `b1:b2` of the new one."""


def unified_diff(name: str, before: str | None, after: str) -> str:
    """Show a change; `before` is None for a new file."""
    old, new = _lines(before or ""), _lines(after)
    blocks = _changed_blocks(old, new)
    changed = before is not None and before != after
    note = ""
    if changed and (not blocks or _line_ends(before or "") != _line_ends(after)):
        note = "(changes the line endings)\n"
    if not blocks:
        return note
    head = f"--- {'/dev/null' if before is None else f'a/{name}'}\n+++ b/{name}\n"
    body = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for hunk in _hunks(blocks)
        for line in _hunk_lines(hunk, old, new)
    )
    if len(body) <= MAX_SHOWN:
        return note + head + body
    cut = (
        f"(too large to show whole: {len(old)} lines become {len(new)}; only the beginning and "
        "the end of the change follow)\n"
    )
    left_out = f"\n[… {len(body) - 2 * _ENDS} characters of the change are not shown …]\n"
    return note + cut + head + body[:_ENDS] + left_out + body[-_ENDS:]


def is_shortened(diff: str) -> bool:
    """Whether a diff shows only a part of the change."""
    return _SHORTENED.match(diff) is not None


def _line_ends(text: str) -> str:
    windows = text.count("\r\n")
    return "" if not windows else "windows" if text.count("\n") == windows else "mixed"


def _lines(text: str) -> list[str]:
    # Not splitlines(): it also splits at form feeds and other separators.
    whole, _, rest = text.replace("\r\n", "\n").rpartition("\n")
    lines = [f"{line}\n" for line in whole.split("\n")] if "\n" in text else []
    return [*lines, rest] if rest else lines


def _changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    start, shorter = 0, min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle = old[start : len(old) - end], new[start : len(new) - end]
    return [
        (a1 + start, a2 + start, b1 + start, b2 + start) for a1, a2, b1, b2 in _compare(*middle)
    ]


def _compare(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    if not old and not new:
        return []
    if len(old) + len(new) <= MAX_COMPARED_LINES:
        counts, others = Counter(old), Counter(new)
        if sum(count * others[line] for line, count in counts.items()) <= MAX_COMPARED_PAIRS:
            codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
            return [(a1, a2, b1, b2) for tag, a1, a2, b1, b2 in codes if tag != "equal"]
    if len(old) != len(new):
        return [(0, len(old), 0, len(new))]
    places = [at for at, (was, now) in enumerate(zip(old, new, strict=True)) if was != now]
    breaks = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(places)) if b != a + 1), len(places)]
    runs = [(places[first], places[last - 1] + 1) for first, last in pairwise(breaks)]
    return [(first, last, first, last) for first, last in runs]


def _hunks(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    hunk: list[Block] = []
    for block in blocks:
        if hunk and block[0] - hunk[-1][1] > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    yield hunk


def _hunk_lines(hunk: Sequence[Block], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    above = min(_CONTEXT, hunk[0][0])
    below = min(_CONTEXT, len(old) - hunk[-1][1])
    first, last = hunk[0][0] - above, hunk[-1][1] + below
    was = _range(first, last)
    now = _range(hunk[0][2] - above, hunk[-1][3] + below)
    yield f"@@ -{was} +{now} @@\n"
    at = first
    for a1, a2, b1, b2 in hunk:
        yield from (f" {line}" for line in old[at:a1])
        yield from (f"-{line}" for line in old[a1:a2])
        yield from (f"+{line}" for line in new[b1:b2])
        at = a2
    yield from (f" {line}" for line in old[at:last])


def _range(start: int, stop: int) -> str:
    """Name lines as the format does: counted from 1, an empty range by the line before it."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
