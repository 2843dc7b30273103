"""What of an agent's answer later messages can point at, as structured data (seed 001)."""

from __future__ import annotations

import re
from typing import Any

from secretary_tui.people import Intent

_MOST_ITEMS = 10
_LONGEST_ITEM = 80
_ITEM = re.compile(
    r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(?:\[[ xX]\][ \t]+)?"
    r"(?:\*\*(?P<bold>[^*\n]+)\*\*|\[(?P<link>[^\]\n]+)\]"
    r"|`(?P<code>[^`\n]+)`|(?P<plain>[^\n:–—]+))",
    re.M,
)
_REPOSITORY = re.compile(r"(?<![\w./-])([\w.-]+/[\w.-]+)(?![\w/])")


def listed_items(answer: str) -> tuple[str, ...]:
    """The names that a list in an answer gives, in its order."""
    names = []
    for found in _ITEM.finditer(answer):
        name = next(text for text in found.groups() if text is not None).strip().rstrip(":.")
        if name and len(name) <= _LONGEST_ITEM:
            names.append(name)
    return tuple(dict.fromkeys(names))[:_MOST_ITEMS]


def data_of_answer(intent: str, answer: str) -> dict[str, Any] | None:
    """Give the `StructuredData` of an answer to a request of that intent, in JSON form."""
    items = [{"full_name": name} for name in listed_items(answer)]
    if intent == Intent.ANALYZE:
        named = _REPOSITORY.search(answer)
        return {"type": "repo_detail", "repo": {"full_name": named[1]}} if named else None
    if not items:
        return None
    if intent == Intent.COMPARE:
        return {"type": "comparison", "items": [{"repo": item} for item in items]}
    return {"type": "repo_list", "items": items}
