"""The one line that says why an agent fits a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.index.lexical import Field, TermHit
from secretary_tui.routing.match.learned import Lift
from secretary_tui.routing.words.investigation import INVESTIGATES

CLOSE_DESCRIPTION = 0.35
"""Cosine of sentences from which a description is said to be close to the request."""
DESCRIPTION_IS_CLOSE = "its description is close in meaning"
NO_WORDS_IN_COMMON = "no word of the request occurs in its file"
_WORDS_IN_REASON = 5
_CLOSE_WORDS = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an agent."""

    spec: AgentSpec
    hits: Sequence[TermHit]
    """The words of the request found in its file, the one that earned most first."""
    near: Sequence[str]
    """Words of the request that are close to it in meaning, the closest first."""
    sentences: float
    """Cosine of the request and its description; 0 where that is not known."""
    lift: Lift | None
    """What similar requests say."""
    finds_causes: bool
    """Whether the request asks for a cause, and finding causes is the agent's trade."""


def reason_for(evidence: Evidence) -> str:
    """Say why an agent fits."""
    told = _told(evidence.hits, evidence.near)
    parts = [told] if told else []
    if evidence.sentences >= CLOSE_DESCRIPTION:
        parts.append(DESCRIPTION_IS_CLOSE)
    if evidence.lift is not None and evidence.lift.reason:
        parts.insert(0, evidence.lift.reason)
    if evidence.finds_causes and evidence.hits:
        parts.append(INVESTIGATES)
    return "; ".join(parts) or NO_WORDS_IN_COMMON


def _told(hits: Sequence[TermHit], close: Sequence[str]) -> str:
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
    return "; ".join(parts)


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
