"""Every routing decision: what was asked, what was shown, who was chosen, and what it cost.

One JSONL file a project, which only grows: a line when a request was routed, another when the
user chose, a third when the user wants it forgotten. What is learnt from choices, the statistics
and `secretary-tui log` are made from it. Secrets are masked before a line is written. Like drafts,
it is not worth a failure: a folder that can't be written costs the memory, not the session.
Several windows write to one file: each line is one write, and whoever takes lines out locks it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import secrets as tokens
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.codec import from_json, stored, to_json
from secretary_tui.people import Intent, Recommendation, RouteAction, RouteChoice
from secretary_tui.redact import environment_secrets, redact
from secretary_tui.sessions.run_log import project_runs_dir

KEPT_BYTES = 8_000_000
"""Of a longer file only the end is read: some ten thousand decisions."""
_LONGEST_TEXT = 4_000
_LARGEST = 1 << 53
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
    intent: str = field(metadata=stored(key="kind"))
    """What sort of message it was taken for: delegate, search, chat, clarify …"""
    intent_confidence: float = field(metadata=stored(key="kind_confidence"))
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
    action: RouteAction | None = None
    """None: nothing was chosen yet."""
    agent: str | None = None
    """The agent chosen, None when cancelled."""
    run_id: str = ""
    """The run that followed."""


def new_decision(
    recommendation: Recommendation,
    *,
    conversation: str,
    intent: str = Intent.DELEGATE,
    intent_confidence: float = 1.0,
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
        intent=intent,
        intent_confidence=intent_confidence,
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
        self._append({"decision": to_json(decision)})

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
        if gone.isdisjoint(decision.id for decision in self.load()):
            return
        with self._locked() as handle:
            _, lines = _read_lines(handle, 0, KEPT_BYTES)
            kept = [line for line in lines if _id_of(line) not in gone]
            text = "".join(f"{json.dumps(line)}\n" for line in kept)
            paths.write_atomic(self.path, text, mode=0o600)

    def clear(self) -> None:
        """Take all decisions out, those too that are no longer read because the file is long.

        Raises:
            OSError: the file can't be written.
        """
        if self.path.exists():
            with self._locked():
                paths.write_atomic(self.path, "", mode=0o600)

    def load(self) -> tuple[Decision, ...]:
        """Read all decisions, oldest first; damaged and foreign lines are left out."""
        return DecisionReader(self).read()

    def _append(self, line: Mapping[str, Any]) -> None:
        with contextlib.suppress(OSError):
            paths.make_private_folder(self.path.parent)
            with self._locked() as handle:
                size = os.fstat(handle).st_size
                torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                os.write(handle, (b"\n" if torn else b"") + json.dumps(line).encode() + b"\n")

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        """The open file, locked for this process; it is made when it is missing."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
        while True:
            handle = os.open(self.path, flags, 0o600)
            try:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise OSError(f"{self.path} is not a regular file")
                fcntl.flock(handle, fcntl.LOCK_EX)
                if _is_at(handle, self.path):
                    yield handle
                    return
            finally:
                os.close(handle)
            # Another process forgot something meanwhile: what is at the path now is the log.


class DecisionReader:
    """Reads a log again and again; only what was added since the last time is parsed.

    Not for use by two threads at once.
    """

    def __init__(self, log: DecisionLog, most_bytes: int = KEPT_BYTES) -> None:
        self._path = log.path
        self._most_bytes = most_bytes
        """Of a longer file only the end is read."""
        self._place: tuple[int, int] = (0, 0)
        """Device and inode of the file that was read."""
        self._offset = 0
        """How far: behind the last whole line."""
        self._found: dict[str, Decision] = {}
        self._decisions: tuple[Decision, ...] = ()

    def read(self) -> tuple[Decision, ...]:
        """All decisions, oldest first; the same object as before when nothing was added."""
        lines: list[Mapping[str, Any]] = []
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            self._begin((0, 0))
            return self._decisions
        try:
            info = os.fstat(handle)
            place = (info.st_dev, info.st_ino)
            if place != self._place or info.st_size < self._offset:
                self._begin(place)
            if stat.S_ISREG(info.st_mode) and info.st_size > self._offset:
                self._offset, lines = _read_lines(handle, self._offset, self._most_bytes)
        except OSError:
            pass  # A disk that fails costs what could not be read.
        finally:
            os.close(handle)
        if lines:
            self._take(lines)
            self._decisions = tuple(self._found.values())
        return self._decisions

    def _begin(self, place: tuple[int, int]) -> None:
        self._place, self._offset, self._found, self._decisions = place, 0, {}, ()

    def _take(self, lines: Iterable[Mapping[str, Any]]) -> None:
        found = self._found
        for line in lines:
            decision = _decision(line.get("decision"))
            chosen = line.get("chosen")
            if decision is not None:
                found[decision.id] = decision
            elif isinstance(chosen, Mapping) and (of := _id_of(line)) in found:
                found[of] = _with_choice(found[of], chosen)


def all_projects() -> tuple[DecisionLog, ...]:
    """The decisions of every project of this user."""
    return tuple(map(DecisionLog, sorted((paths.state_dir() / "projects").glob(f"*/{_FILE}"))))


def _masked(text: str) -> str:
    return redact(text, environment_secrets())[:_LONGEST_TEXT]


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _read_lines(handle: int, start: int, most_bytes: int) -> tuple[int, list[Mapping[str, Any]]]:
    """The whole lines from a place on, and where they end; of a long rest only its end."""
    size = os.fstat(handle).st_size
    start = max(start, size - most_bytes)
    raw = os.pread(handle, size - start, start)
    raw = raw[: raw.rfind(b"\n") + 1]
    lines = []
    for text in raw.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):
            line = json.loads(text)
            if isinstance(line, Mapping):
                lines.append(line)
    return start + len(raw), lines


def _id_of(line: Mapping[str, Any]) -> str:
    """The decision that a line is about, empty for a foreign line."""
    inner = line.get("decision", line.get("chosen"))
    found = inner.get("id") if isinstance(inner, Mapping) else None
    return found if isinstance(found, str) else ""


def _decision(data: object) -> Decision | None:
    try:
        decision = from_json(Decision, data)
    except ValueError:
        return None
    numbers = (decision.at, decision.intent_confidence, decision.latency_ms, decision.tokens)
    return decision if all(map(_is_number, (*numbers, decision.cost_usd or 0.0))) else None


def _is_number(value: object) -> bool:
    """Whether it is one that can be reckoned with: JSON lets through NaN and 400 digits."""
    if isinstance(value, int):
        return abs(value) < _LARGEST
    return isinstance(value, float) and math.isfinite(value)


def _with_choice(decision: Decision, chosen: Mapping[str, Any]) -> Decision:
    choice = {"action": None, "agent": None, "run_id": "", **chosen, "id": decision.id}
    return _decision({**to_json(decision), **choice}) or decision
