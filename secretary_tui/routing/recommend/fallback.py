"""The generalist that is offered where no specialist fits (seed 004: surveyor, worker, coder).

It is a fallback and says so: its number never reaches that of a recommendation, and who cannot do
what is asked (change something, run something) is not offered for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from secretary_tui.people import AgentMatch
from secretary_tui.routing.match.work import Work, kinds_of_work
from secretary_tui.routing.words.languages import in_english

WHAT_IT_DOES = {
    "surveyor": "finds out how things are and explains them; changes nothing",
    "worker": "carries out a clear instruction: edits files, runs commands",
    "coder": "builds and changes code, and checks the result",
}
"""What each generalist can do: the reason of its row."""
_READING = frozenset(
    (Work.EXPLAIN, Work.FIND, Work.REVIEW, Work.RESEARCH, Work.PLAN, Work.TEACH, Work.BUSINESS)
)
_PLAIN = 0.5
"""Probability from which a kind of work is plain."""
_CODING = frozenset((Work.BUILD, Work.DEBUG, Work.TEST, Work.REFACTOR, Work.OPTIMIZE, Work.SECURE))


def generalist_for(request: str) -> tuple[str, bool]:
    """The name of the generalist that can do what is asked, and whether that is plain."""
    kinds = kinds_of_work(in_english(request))
    kind = max(kinds, key=lambda each: kinds[each])
    name = "surveyor" if kind in _READING else "coder" if kind in _CODING else "worker"
    return name, kinds[kind] >= _PLAIN


def marked(ranking: Sequence[AgentMatch], recommend_above: int) -> tuple[AgentMatch, ...]:
    """Let generalists be fallbacks: at most `recommend_above`, and so is who ranks behind one.

    A coder that fits better than that is the specialist for building.
    """
    found: list[AgentMatch] = []
    ceiling = 100
    for match in ranking:
        fallback = match.fallback
        if match.agent == "coder" and match.confidence > recommend_above:
            fallback = False
        if fallback:
            ceiling = min(ceiling, recommend_above)
        reason = WHAT_IT_DOES.get(match.agent, match.reason) if fallback else match.reason
        sure = min(match.confidence, ceiling)
        found.append(replace(match, confidence=sure, reason=reason, fallback=fallback))
    return tuple(found)


def offered(
    ranking: Sequence[AgentMatch], request: str, *, show_above: int, most: int
) -> tuple[AgentMatch, ...]:
    """What is shown of a ranking: at most `most`, and one generalist where nobody is recommended.

    That is the one that can do what is asked where that is plain, else the first of the ranking.
    """
    fit = [match for match in ranking if match.confidence >= show_above]
    generalists = [match for match in ranking if match.fallback]
    wanted, plain = generalist_for(request)
    if plain or not any(match in fit for match in generalists):
        generalists.sort(key=lambda match: match.agent != wanted)
    chosen = next(iter(generalists), None)
    shown = [match for match in fit if not match.fallback or match is chosen]
    if chosen is None or chosen in shown[:most]:
        return tuple(shown[:most])
    return (*shown[: most - 1], chosen)
