"""Put values of frontmatter into quotes where YAML needs them, touching nothing else.

What a value is comes from `rescue`, so a quoted file means what the tolerant reader made of it.
"""

from __future__ import annotations

import re

from secretary_tui.registry.definition.fields import KNOWN_FIELDS, TEXT_FIELDS
from secretary_tui.registry.definition.rescue import KEY, rescue

_FRONTMATTER = re.compile(r"\s*-{3,}[ \t]*\n(.*?)^-{3,}[ \t]*$", re.S | re.M)


class NotQuotableError(Exception):
    """The frontmatter can't be mended by quotes alone; the message is a clause saying why."""


def quote_frontmatter(text: str) -> tuple[str, tuple[str, ...]]:
    """Quote the broken values in a definition with `\\n` line ends; give the new text and the keys.

    Raises:
        NotQuotableError: quotes alone don't make it valid, or would cement a misreading.
    """
    match = _FRONTMATTER.match(text)
    if match is None:
        raise NotQuotableError("the frontmatter doesn't stand between two lines --- at the margin")
    lines = match[1].split("\n")
    rescued = rescue(
        match[1], known=KNOWN_FIELDS, as_text=TEXT_FIELDS, on_duplicate=lambda *_: None
    )
    keys = [key for key, _, _ in rescued.repairs]
    if not keys:
        raise NotQuotableError("no single value is at fault")
    if len(set(keys)) < len(keys):
        raise NotQuotableError("a field is given twice")
    repairs = list(zip(rescued.repairs, rescued.spans, strict=True))
    for (key, start, _), (_, after) in reversed(repairs):
        end = after
        while end > start + 1 and not lines[end - 1].strip():
            end -= 1  # Blank lines below the value stay.
        if end > start + 1 and key != "description":
            raise NotQuotableError(f"{key} goes over several lines and may be more than a text")
        start_of_line = KEY.match(lines[start])
        if start_of_line is None:
            raise NotQuotableError(f"{key} is indented by a tab")
        lines[start:end] = quoted_value(start_of_line[0], str(rescued.values[key]))
    start, end = match.span(1)
    return text[:start] + "\n".join(lines) + text[end:], tuple(keys)


def quoted_value(key: str, value: str) -> list[str]:
    """The lines of a field, `key` with its colon: the value quoted, or a block for many lines."""
    if "\n" in value:
        return [f"{key} |-", *(f"  {line}" if line else "" for line in value.split("\n"))]
    if '"' not in value and "\\" not in value:
        return [f'{key} "{value}"']
    return [f"{key} '{value.replace(chr(39), chr(39) * 2)}'"]
