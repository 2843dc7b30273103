"""Why an agent was ranked where it is, in one line that the user can check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from secretary_tui.routing.index.lexical import Field, TermHit

NO_WORDS_IN_COMMON = "no word of the request occurs in its file"
_WORDS_IN_REASON = 5
_CLOSE_WORDS = 3


@dataclass(frozen=True, slots=True)
class Bonus:
    """What moved a score beside the words and their meaning."""

    label: str
    """Why, in a few words, such as `finds causes`."""
    score: float
    """Added to the blended score; negative for a loss."""


def explain(hits: Sequence[TermHit], close: Sequence[str]) -> str:
    """Say which words were found where, and which of the others are close in meaning."""
    headline = [hit for hit in hits if hit.fields & (Field.NAME | Field.DESCRIPTION)]
    body = [hit for hit in hits if hit not in headline]
    found = {hit.word for hit in hits}
    near = [word for word in close if word not in found][:_CLOSE_WORDS]
    parts = []
    if headline:
        parts.append(f"{_where(headline)}: {_listed(headline)}")
    if body:
        parts.append(f"instructions mention: {_listed(body)}")
    if near:
        parts.append(f"close in meaning: {', '.join(near)}")
    return "; ".join(parts) or NO_WORDS_IN_COMMON


def _where(hits: Sequence[TermHit]) -> str:
    in_name = any(hit.fields & Field.NAME for hit in hits)
    in_description = any(hit.fields & Field.DESCRIPTION for hit in hits)
    if in_name and in_description:
        return "name and description mention"
    return "name mentions" if in_name else "description mentions"


def _listed(hits: Sequence[TermHit]) -> str:
    shown = [
        hit.word if hit.word == hit.found else f"{hit.found} (for “{hit.word}”)"
        for hit in hits[:_WORDS_IN_REASON]
    ]
    more = len(hits) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
