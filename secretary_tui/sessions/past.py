"""Decisions and runs as they are read back for people: secrets masked once more, text cleaned.

The log masks what it writes; what another version or another hand wrote is masked here, so that
nothing which shows, prints or counts the past meets a key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from secretary_tui.redact import environment_secrets, redact
from secretary_tui.sanitize import clean, clean_line
from secretary_tui.sessions.decisions import Decision, DecisionLog, Shown, all_projects
from secretary_tui.sessions.store import RunSummary, list_runs


@dataclass(frozen=True, slots=True)
class Past:
    """What was decided and run, in one project or in all."""

    decisions: tuple[Decision, ...] = ()
    """Oldest first."""
    runs: tuple[RunSummary, ...] = ()
    """Newest first."""
    logs: Mapping[str, DecisionLog] = field(default_factory=dict)
    """Where each decision stands, by its id."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Every agent that was shown, chosen or run, by name."""
        names = {shown.agent for d in self.decisions for shown in d.shown}
        names |= {name for d in self.decisions for name in (d.recommended, d.agent) if name}
        return tuple(sorted(names | {run.agent for run in self.runs if run.agent}))


def read_past(project: Path | None) -> Past:
    """Read the decisions and runs of a project (of all when None); blocking.

    What is damaged is left out.
    """
    found = read_decisions(project)
    runs = tuple(map(_fit_run, list_runs(project)))
    return replace(found, runs=runs)


def logs_of(project: Path | None) -> tuple[DecisionLog, ...]:
    """The log of a project, or those of all when None."""
    return all_projects() if project is None else (DecisionLog.of(project),)


def read_decisions(project: Path | None) -> Past:
    """Read the decisions alone; blocking."""
    secrets = environment_secrets()
    name = cache(lambda text: redact(clean_line(text), secrets))
    text = cache(lambda text: redact(clean(text), secrets))
    decisions: list[Decision] = []
    places: dict[str, DecisionLog] = {}
    for log in logs_of(project):
        for decision in log.load():
            decisions.append(_fit(decision, name, text))
            places[decision.id] = log
    return Past(tuple(sorted(decisions, key=lambda d: d.at)), (), places)


def forget(past: Past, decision_ids: Collection[str]) -> None:
    """Take decisions out of the logs they stand in; what was learnt from them is gone with them.

    Raises:
        OSError: a log can't be written.
    """
    by_log: dict[DecisionLog, list[str]] = {}
    for decision_id in decision_ids:
        by_log.setdefault(past.logs[decision_id], []).append(decision_id)
    for log, mine in by_log.items():
        log.forget(mine)


def about(decisions: Iterable[Decision], agent: str) -> tuple[Decision, ...]:
    """The decisions from which something was learnt about an agent: chosen, or passed over."""
    return tuple(
        d
        for d in decisions
        if agent in (d.agent, d.recommended, *(shown.agent for shown in d.shown[:1]))
    )


def became(decision: Decision) -> str:
    """Say what the user made of a recommendation."""
    said = {
        "accept": f"accepted {decision.agent}",
        "alternative": f"took the alternative {decision.agent}",
        "other": f"named {decision.agent}",
        "workflow": f"ran {decision.agent}",
        "continue": f"went on with {decision.agent}",
        "cancel": "cancelled",
    }
    return said.get(decision.action or "", "nothing was chosen")


def _fit(decision: Decision, name: Callable[[str], str], text: Callable[[str], str]) -> Decision:
    return replace(
        decision,
        conversation=name(decision.conversation),
        request=text(decision.request),
        intent=name(decision.intent),
        reasoning=text(decision.reasoning),
        engine=name(decision.engine),
        shown=tuple(Shown(name(s.agent), name(s.path), s.confidence) for s in decision.shown),
        recommended=decision.recommended and name(decision.recommended),
        agent=decision.agent and name(decision.agent),
        run_id=name(decision.run_id),
    )


def _fit_run(run: RunSummary) -> RunSummary:
    usable = run.cost_usd is None or math.isfinite(run.cost_usd)
    timed = run.elapsed_s is not None and math.isfinite(run.elapsed_s)
    return replace(
        run,
        agent=clean_line(run.agent),
        engine=clean_line(run.engine),
        model=clean_line(run.model),
        cost_usd=run.cost_usd if usable else None,
        elapsed_s=run.elapsed_s if timed else None,
    )
