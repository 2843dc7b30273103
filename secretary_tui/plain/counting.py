"""Statistics as sentences, where the verb `stats` draws columns and bars."""

from __future__ import annotations

from collections.abc import Iterator

from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.statistics.statistics import AgentUse, Share, Statistics
from secretary_tui.spend import said_cost
from secretary_tui.verbs.output import amount

_MOST_AGENTS = 25


def statistics_lines(found: Statistics) -> Iterator[str]:
    """Say how good the choices were and what all of it cost; the most used agents first."""
    if not (found.requests or found.runs):
        yield "Nothing to count in this project yet."
        return
    yield (
        f"{amount(found.requests, 'request')}, {found.answered:,} answered, "
        f"{found.cancelled:,} cancelled, {amount(found.runs, 'run')}, cost {said_cost(found.cost)}."
    )
    for label, share in (
        ("The recommendation was accepted", found.accepted),
        ("The recommended agent was chosen", found.right),
        ("An agent among the first three was chosen", found.among_first),
    ):
        if share.of:
            yield f"{label} in {_of(share)}."
    for band in found.bands:
        if band.chosen.of:
            yield f"Confidence {band.low} to {band.high}: chosen in {_of(band.chosen)}."
    for use in found.agents[:_MOST_AGENTS]:
        yield _agent(use)
    if len(found.agents) > _MOST_AGENTS:
        yield f"And {len(found.agents) - _MOST_AGENTS:,} more agents: stats --json has them all."


def _agent(use: AgentUse) -> str:
    runs = f", {amount(use.runs, 'run')}, {use.done:,} done" if use.runs else ""
    cost = f", cost {said_cost(use.cost)}" if use.runs else ""
    return (
        f"{clean_line(use.agent)}: shown {amount(use.shown, 'time')}, "
        f"recommended {use.recommended:,}, chosen {use.chosen:,}, "
        f"passed over {use.passed_over:,}{runs}{cost}."
    )


def _of(share: Share) -> str:
    return f"{share.hits:,} of {share.of:,}"
