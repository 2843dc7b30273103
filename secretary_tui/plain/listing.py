"""Agents, runs, settings and statistics as lines: what matters first, one thing a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from secretary_tui.config import Config
from secretary_tui.lines.output import amount, money, shorten
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.definition.spec import AgentStatus, IndexEntry
from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.statistics.statistics import AgentUse, Share, Statistics
from secretary_tui.sessions.store import RunSummary
from secretary_tui.setting_values import shown_value
from secretary_tui.settings import SETTINGS
from secretary_tui.spend import said_cost

_SHORT = 200
"""Characters of a description or request in a list."""
_MOST_AGENTS = 25


def agent_lines(index: AgentIndex, words: Sequence[str]) -> Iterator[str]:
    """Say the agents whose name, source or description has all the words."""
    shown = [entry for entry in index.entries if _has(words, _searched_text(entry))]
    yield f"{amount(len(shown), 'agent')}{_with_words(words)}:"
    for entry in shown:
        state = "" if entry.status is AgentStatus.ACTIVE else f", {entry.status}"
        about = shorten(clean_line(entry.spec.description), _SHORT)
        yield f"{clean_line(entry.id)}, from {clean_line(entry.spec.source.label)}{state}. {about}"
    if index.problems:
        yield f"{amount(len(index.problems), 'problem')} with files: /problems lists them."


def run_lines(runs: Sequence[RunSummary]) -> Iterator[str]:
    """Say stored runs, numbered, the newest first."""
    for number, run in enumerate(runs, 1):
        request = shorten(clean_line(run.request) or "(its beginning can't be read)", _SHORT)
        cost = f", {money(run.cost_usd)}" if run.cost_usd else ""
        yield (
            f"{number}: {clean_line(run.agent) or 'no agent'}, {run.outcome}, "
            f"{_when(run.started_at)}{cost}. {request}"
        )


def fitting_runs(runs: Iterable[RunSummary], words: Sequence[str]) -> list[RunSummary]:
    """The runs whose agent, request, outcome or model has all the words."""
    return [r for r in runs if _has(words, f"{r.agent} {r.request} {r.outcome} {r.model}")]


def setting_lines(config: Config, words: Sequence[str]) -> Iterator[str]:
    """Say each setting whose name or help has all the words: value, source, what it is."""
    for setting in SETTINGS:
        if _has(words, f"{setting.key} {setting.help}"):
            value = clean_line(shown_value(getattr(config, setting.key), empty="empty"))
            yield f"{setting.key} is {value}, from {config.source(setting.key)}. {setting.help}"


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
        yield _agent_use(use)
    if len(found.agents) > _MOST_AGENTS:
        yield f"And {len(found.agents) - _MOST_AGENTS:,} more agents: stats --json has them all."


def _searched_text(entry: IndexEntry) -> str:
    return f"{entry.id} {entry.spec.source.label} {entry.status} {entry.spec.description}"


def _has(words: Sequence[str], text: str) -> bool:
    folded = text.lower()
    return all(word.lower() in folded for word in words)


def _with_words(words: Sequence[str]) -> str:
    return f" with {clean_line(' '.join(words))}" if words else ""


def _when(started_at: str) -> str:
    try:
        return datetime.fromisoformat(started_at).astimezone().strftime("%d %B %H:%M")
    except ValueError:
        return "at an unknown time"


def _agent_use(use: AgentUse) -> str:
    runs = f", {amount(use.runs, 'run')}, {use.done:,} done" if use.runs else ""
    cost = f", cost {said_cost(use.cost)}" if use.runs else ""
    return (
        f"{clean_line(use.agent)}: shown {amount(use.shown, 'time')}, "
        f"recommended {use.recommended:,}, chosen {use.chosen:,}, "
        f"passed over {use.passed_over:,}{runs}{cost}."
    )


def _of(share: Share) -> str:
    return f"{share.hits:,} of {share.of:,}"
