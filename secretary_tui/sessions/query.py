"""One line that says which runs are meant: `agent:x outcome:failed cost>0.1 since:7d words`.

The history screen and `sessions list` share it. What is no term is a word that must occur in the
run, in whatever it said or did.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from secretary_tui.sessions.errors import QueryError
from secretary_tui.sessions.store import RunOutcome, RunSummary

KEYS = ("agent", "project", "outcome", "cost", "since", "until", "model")
"""What a term may begin with."""
CAPS = frozenset(("max_turns", "max_cost", "budget_spent"))
"""Our own stop reasons for a limit that was reached (`delegation.endings` names them)."""
_TERM = re.compile(r'([a-z]+)(:|<=|>=|<|>|=)("[^"]*"?|\S*)|("[^"]*"?|\S+)', re.IGNORECASE)
_AGO = re.compile(r"(\d{1,4})([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_MONTH = re.compile(r"\d{4}-\d{2}")


class OutcomeWord(StrEnum):
    """What `outcome:` may name: a `RunOutcome`, or what lies across several of them."""

    DONE = "done"
    PARTIAL = "partial"
    STOPPED = "stopped"
    """By the user."""
    FAILED = "failed"
    CUT_OFF = "cut-off"
    RUNNING = "running"
    CAPPED = "capped"
    """Ended by a limit: of turns, of tokens or of money."""
    DENIED = "denied"
    """The user or a rule refused one of its tool calls."""


_OUTCOMES: Mapping[OutcomeWord, RunOutcome] = {
    OutcomeWord.DONE: RunOutcome.DONE,
    OutcomeWord.PARTIAL: RunOutcome.PARTIAL,
    OutcomeWord.STOPPED: RunOutcome.INTERRUPTED,
    OutcomeWord.FAILED: RunOutcome.FAILED,
    OutcomeWord.CUT_OFF: RunOutcome.CUT_OFF,
    OutcomeWord.RUNNING: RunOutcome.RUNNING,
}
_SYNONYMS = {
    "interrupted": OutcomeWord.STOPPED,
    "cut_off": OutcomeWord.CUT_OFF,
    "cutoff": OutcomeWord.CUT_OFF,
}


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit on what a run cost, in US dollars."""

    operator: str
    """One of < <= > >= =."""
    usd: float

    def holds(self, cost: float) -> bool:
        """Whether a cost is on the right side."""
        match self.operator:
            case "<":
                return cost < self.usd
            case "<=":
                return cost <= self.usd
            case ">":
                return cost > self.usd
            case ">=":
                return cost >= self.usd
        return cost == self.usd


@dataclass(frozen=True, slots=True)
class RunQuery:
    """Which runs are meant; what is empty narrows nothing."""

    words: tuple[str, ...] = ()
    """In lower case; each must occur."""
    agent: str = ""
    """A part of its id."""
    project: str = ""
    """Empty or `this` for the one at hand, `all`, or a part of its path."""
    endings: Collection[OutcomeWord] = field(default_factory=frozenset)
    """Any of them."""
    costs: tuple[Bound, ...] = ()
    since: date | None = None
    until: date | None = None
    """This day included."""
    model: str = ""

    @property
    def everywhere(self) -> bool:
        """Whether other projects count, too."""
        return self.project not in ("", "this")

    def asks_for_denied(self, run: RunSummary) -> bool:
        """Whether a run that fits is meant only if a call of it was denied, as its log tells."""
        others = (ending for ending in self.endings if ending is not OutcomeWord.DENIED)
        return OutcomeWord.DENIED in self.endings and not any(_ended(run, e) for e in others)

    def fits(self, run: RunSummary) -> bool:
        """Whether a run fits all but the words, as far as its summary can tell."""
        named = self.project not in ("", "this", "all")
        return (
            self.agent in run.agent.lower()
            and self.model in run.model.lower()
            and (not named or self.project in run.project.lower())
            and (not self.endings or any(_ended(run, ending) for ending in self.endings))
            and all(bound.holds(run.cost_usd or 0.0) for bound in self.costs)
            and self._in_time(run)
        )

    def _in_time(self, run: RunSummary) -> bool:
        if self.since is None and self.until is None:
            return True
        try:
            day = datetime.fromisoformat(run.started_at).astimezone().date()
        except (ValueError, OverflowError):
            return False
        return (self.since is None or day >= self.since) and (
            self.until is None or day <= self.until
        )


def parse_query(text: str, today: date | None = None) -> RunQuery:
    """Read the line.

    Raises:
        QueryError: a term has a value that doesn't fit; says which values do.
    """
    today = today or datetime.now().date()
    words: list[str] = []
    found: dict[str, Any] = {}
    for match in _TERM.finditer(text):
        key, operator = (match[1] or "").lower(), match[2]
        value = (match[3] or "").strip('"').lower()
        if key not in KEYS or (operator != ":" and key != "cost"):
            words += filter(None, (match[0].strip('"').lower(),))
            continue
        try:
            _take(found, key, operator, value, today)
        except QueryError as error:
            raise QueryError(str(error), match[0]) from None
    return RunQuery(words=tuple(dict.fromkeys(words)), **found)


def parse_leniently(text: str, today: date | None = None) -> tuple[RunQuery, str]:
    """Read the line as far as it goes, for one that is still being typed; and what is wrong."""
    fault = ""
    while True:
        try:
            return parse_query(text, today), fault
        except QueryError as error:
            fault = fault or f"{error}."
            text = text.replace(error.term, " ", 1)


def _take(found: dict[str, Any], key: str, operator: str, value: str, today: date) -> None:
    """Put what a term says into the fields of a query."""
    if not value:
        raise QueryError(f"{key}{operator} wants {_WANTED[key]}")
    if key == "outcome":
        endings = {_ending(name) for name in value.split(",") if name}
        found["endings"] = frozenset(endings | found.get("endings", frozenset()))
    elif key == "cost":
        bound = Bound(">=" if operator == ":" else operator, _usd(value))
        found["costs"] = (*found.get("costs", ()), bound)
    elif key in ("since", "until"):
        found[key] = _day(key, value, today)
    else:
        found[key] = value


def set_term(text: str, key: str, value: str) -> str:
    """Give the line with the terms of `key` replaced by `value` (`:failed`, `>0.1`), or without."""
    kept = [m[0] for m in _TERM.finditer(text) if (m[1] or "").lower() != key]
    return " ".join((*kept, *((f"{key}{value}",) if value else ())))


def term(text: str, key: str) -> str:
    """What the line says for `key`, with its operator; empty when it says nothing."""
    found = (f"{m[2]}{m[3]}" for m in _TERM.finditer(text) if (m[1] or "").lower() == key)
    return next(found, "")


_WANTED = {
    "agent": "an agent's name or a part of it, such as agent:auditor",
    "project": "all, this or a part of a folder's path, such as project:all",
    "outcome": f"one of {', '.join(OutcomeWord)}, such as outcome:failed",
    "cost": "an amount of US dollars, such as cost>0.10",
    "since": "a day, such as since:7d, since:today or since:2026-11-01",
    "until": "a day, such as until:7d, until:yesterday or until:2026-11-01",
    "model": "a model's name or a part of it, such as model:sonnet",
}


def _ended(run: RunSummary, ending: OutcomeWord) -> bool:
    if ending is OutcomeWord.DENIED:
        return True  # The log is asked (`run_search`).
    if ending is OutcomeWord.CAPPED:
        return run.stop_reason in CAPS
    return run.outcome is _OUTCOMES[ending]


def _ending(name: str) -> OutcomeWord:
    try:
        return _SYNONYMS.get(name) or OutcomeWord(name)
    except ValueError:
        raise QueryError(f"outcome:{name} is none; it is one of {', '.join(OutcomeWord)}") from None


def _usd(value: str) -> float:
    try:
        return float(value.removeprefix("$"))
    except ValueError:
        raise QueryError(f"cost wants an amount of US dollars, not {value!r}") from None


def _day(key: str, value: str, today: date) -> date:
    ago = _AGO.fullmatch(value)
    if ago is not None:  # As many days as that, today being the first.
        days = max(0, int(ago[1]) * _DAYS[ago[2]] - 1)
        return today - min(timedelta(days), today - date.min)
    named = {"today": 0, "yesterday": 1}
    if value in named:
        return today - timedelta(days=named[value])
    try:
        return date.fromisoformat(f"{value}-01" if _MONTH.fullmatch(value) else value)
    except ValueError:
        raise QueryError(f"{key}:{value} is no day; {key}: wants {_WANTED[key]}") from None
