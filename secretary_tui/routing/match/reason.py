"""The one line that says why an agent fits a request, where it can in its author's own words."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.routing.index.lexical import Field, TermHit
from secretary_tui.routing.match.learned import Lift
from secretary_tui.routing.words.clauses import first_clause, telling_clause
from secretary_tui.routing.words.investigation import INVESTIGATES
from secretary_tui.routing.words.terms import stem_all

CLOSE_DESCRIPTION = 0.35
"""Cosine of sentences from which a description is said to be close to the request."""
CLOSE_IN_MEANING = "close in meaning"
NO_WORDS_IN_COMMON = "no word of the request occurs in its file"
_WORDS = 3
_QUOTED = 40
_DAY_S = 86_400


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
    said = "; ".join(_parts(evidence))
    if said:
        return said
    clause = first_clause(evidence.spec.description)  # Its trade alone speaks for it.
    return f"“{clause}”" if clause else NO_WORDS_IN_COMMON


def _parts(evidence: Evidence) -> Iterator[str]:
    lift, hits = evidence.lift, evidence.hits
    if lift is not None and (said := _lesson(lift)):
        yield said
    yield from _told(evidence)
    yield from (f"“{hit.word}” read as {hit.found}" for hit in hits[:1] if hit.word != hit.found)
    if evidence.finds_causes:
        yield INVESTIGATES


def _told(evidence: Evidence) -> Iterator[str]:
    """What its file says of the matter: the description first, else the name, else the rest."""
    described = [hit for hit in evidence.hits if hit.fields & Field.DESCRIPTION]
    description = evidence.spec.description
    if described:
        stems = stem_all(hit.found for hit in described)
        weights = {stem: hit.idf for stem, hit in zip(stems, described, strict=True)}
        if clause := telling_clause(description, weights):
            yield f"“{clause}”"
            return
    if named := [hit for hit in evidence.hits if hit.fields & Field.NAME]:
        yield f"for {_listed([hit.found for hit in named])}"
    elif evidence.sentences >= CLOSE_DESCRIPTION and (clause := first_clause(description)):
        yield f"{CLOSE_IN_MEANING}: “{clause}”"
    elif evidence.hits:
        yield f"its instructions mention {_listed([hit.found for hit in evidence.hits])}"
    elif evidence.near:
        yield f"{CLOSE_IN_MEANING} to {_listed([f'“{word}”' for word in evidence.near])}"


def _lesson(lift: Lift) -> str:
    """What was chosen before, or an example in its description, in a few words."""
    if not lift.chosen or not lift.request:
        return lift.reason
    times = f" {lift.chosen} times, such as" if lift.chosen > 1 else ""
    asked = " ".join(lift.request.split())
    asked = asked if len(asked) <= _QUOTED else f"{asked[: _QUOTED - 1].rstrip()}…"
    when = [_ago(time.time() - lift.at)] if lift.at else []
    when += ["in another project"] * lift.elsewhere
    return f"you chose it{times} for “{asked}”" + (f" ({', '.join(when)})" if when else "")


def _ago(seconds: float) -> str:
    days = max(0, int(seconds // _DAY_S))
    return {0: "today", 1: "yesterday"}.get(days, f"{days} days ago")


def _listed(found: Sequence[str]) -> str:
    *others, last = list(dict.fromkeys(found))[:_WORDS]
    return f"{', '.join(others)} and {last}" if others else last
