"""Every routing decision: what was asked, what was shown, who was chosen, and what it cost.

One JSONL file a project, which only grows: a line when a request was routed, another when the
user chose, a third when the user wants it forgotten. What is learnt from choices, the statistics
and `secretary-tui log` are made from it. Secrets are masked before a line is written. Like drafts,
it is not worth a failure: a folder that can't be written costs the memory, not the session.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets as tokens
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.people import Recommendation, RouteChoice
from secretary_tui.redact import environment_secrets, redact
from secretary_tui.sessions.log import project_runs_dir

KEPT_BYTES = 8_000_000
"""Of a longer file only the end is read: some ten thousand decisions."""
_LONGEST_TEXT = 4_000
_FILE = "decisions.jsonl"


@dataclass(frozen=True, slots=True)
class Shown:
    """An agent that the user could choose."""

    agent: str
    path: str
    confidence: int


@dataclass(frozen=True, slots=True)
class Decision:
    """One request and what became of it."""

    id: str
    conversation: str
    """Requests of one sitting share it."""
    at: float
    """Seconds since the epoch, UTC."""
    request: str
    """As typed, secrets masked, at most 4,000 characters."""
    kind: str
    """What sort of message it was taken for: delegate, search, chat, clarify …"""
    kind_confidence: float
    """How sure of that, 0–1."""
    reasoning: str
    """Why, in a sentence."""
    engine: str
    """`local`, or the engine and model that refined the ranking."""
    latency_ms: float
    tokens: int = 0
    """Of the model call that routed, all kinds added up."""
    cost_usd: float | None = 0.0
    """None when the price is unknown."""
    shown: tuple[Shown, ...] = ()
    """Best first."""
    recommended: str | None = None
    action: str | None = None
    """accept, alternative, other or cancel (`people.RouteAction`); None while nobody chose."""
    agent: str | None = None
    """The agent chosen, None when cancelled."""
    run_id: str = ""
    """The run that followed."""


def new_decision(
    recommendation: Recommendation,
    *,
    conversation: str,
    kind: str = "delegate",
    kind_confidence: float = 1.0,
    reasoning: str = "",
    tokens_used: int = 0,
    cost_usd: float | None = 0.0,
) -> Decision:
    """Make the decision that a recommendation stands for, with an id of its own."""
    return Decision(
        id=tokens.token_hex(8),
        conversation=conversation,
        at=time.time(),
        request=_masked(recommendation.request),
        kind=kind,
        kind_confidence=kind_confidence,
        reasoning=_masked(reasoning),
        engine=recommendation.engine,
        latency_ms=recommendation.elapsed_ms,
        tokens=tokens_used,
        cost_usd=cost_usd,
        shown=tuple(Shown(m.agent, m.path, m.confidence) for m in recommendation.matches),
        recommended=recommendation.recommended,
    )


class DecisionLog:
    """The decisions of one project."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, project: Path) -> DecisionLog:
        """The log of a project."""
        return cls(paths.state_dir() / "projects" / project_runs_dir(project).name / _FILE)

    def add(self, decision: Decision) -> None:
        """Write a decision down; one with the same id replaces the earlier one when read."""
        self._append({"decision": dataclasses.asdict(decision)})

    def choose(self, decision_id: str, choice: RouteChoice, run_id: str = "") -> None:
        """Write down what the user chose."""
        chosen = {"id": decision_id, "action": str(choice.action), "agent": choice.agent}
        self._append({"chosen": {**chosen, "run_id": run_id}})

    def forget(self, decision_ids: Iterable[str]) -> None:
        """Take decisions out of the file; what was learnt from them is gone with them.

        Raises:
            OSError: the file can't be written.
        """
        gone = frozenset(decision_ids)
        lines = [line for line in self._lines() if _id_of(line) not in gone]
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        paths.write_atomic(self.path, text, mode=0o600)

    def load(self) -> tuple[Decision, ...]:
        """Read all decisions, oldest first; damaged and foreign lines are left out."""
        found: dict[str, Decision] = {}
        for line in self._lines():
            decision = _decision(line.get("decision"))
            chosen = line.get("chosen")
            if decision is not None:
                found[decision.id] = decision
            elif isinstance(chosen, Mapping) and chosen.get("id") in found:
                found[chosen["id"]] = _with_choice(found[chosen["id"]], chosen)
        return tuple(found.values())

    def _lines(self) -> Iterator[Mapping[str, Any]]:
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - KEPT_BYTES))
            for raw in file.read().splitlines():
                with contextlib.suppress(ValueError, RecursionError):
                    line = json.loads(raw)
                    if isinstance(line, Mapping):
                        yield line

    def _append(self, line: Mapping[str, Any]) -> None:
        with contextlib.suppress(OSError):
            paths.make_private_folder(self.path.parent)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            handle = os.open(self.path, flags, 0o600)
            try:
                size = os.fstat(handle).st_size
                torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                os.write(handle, (b"\n" if torn else b"") + json.dumps(line).encode() + b"\n")
            finally:
                os.close(handle)


def all_projects() -> tuple[DecisionLog, ...]:
    """The decisions of every project of this user."""
    return tuple(map(DecisionLog, sorted((paths.state_dir() / "projects").glob(f"*/{_FILE}"))))


def _masked(text: str) -> str:
    return redact(text, environment_secrets())[:_LONGEST_TEXT]


def _id_of(line: Mapping[str, Any]) -> object:
    inner = line.get("decision", line.get("chosen"))
    return inner.get("id") if isinstance(inner, Mapping) else None


def _decision(data: object) -> Decision | None:
    if not isinstance(data, Mapping):
        return None
    names = {field.name for field in dataclasses.fields(Decision)}
    values = {key: value for key, value in data.items() if key in names}
    try:
        shown = tuple(
            Shown(str(row["agent"]), str(row["path"]), int(row["confidence"]))
            for row in values.pop("shown", ())
        )
        decision = Decision(**values, shown=shown)
    except (TypeError, ValueError, KeyError, OverflowError):
        return None
    return decision if _has_its_types(decision) else None


def _has_its_types(decision: Decision) -> bool:
    texts = (decision.id, decision.conversation, decision.request, decision.kind, decision.engine)
    more = (decision.reasoning, decision.run_id)
    names = (decision.recommended, decision.action, decision.agent)
    numbers = (decision.at, decision.kind_confidence, decision.latency_ms, decision.tokens)
    return (
        all(isinstance(text, str) for text in (*texts, *more))
        and all(name is None or isinstance(name, str) for name in names)
        and all(isinstance(number, int | float) for number in numbers)
        and (decision.cost_usd is None or isinstance(decision.cost_usd, int | float))
    )


def _with_choice(decision: Decision, chosen: Mapping[str, Any]) -> Decision:
    replaced = dataclasses.replace(
        decision,
        action=chosen.get("action"),
        agent=chosen.get("agent"),
        run_id=chosen.get("run_id", ""),
    )
    return replaced if _has_its_types(replaced) else decision
