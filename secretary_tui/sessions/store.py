"""The stored runs: list them, find one, read one back whole.

Reading never fails on what a file holds: torn lines, foreign lines and events of a newer version
are counted and left out. A list reads only the head and the tail of each file.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from secretary_tui import paths
from secretary_tui.events import (
    Notice,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    Usage,
    UsageAdded,
    from_json,
)
from secretary_tui.sessions.attachments import bring_back
from secretary_tui.sessions.errors import AmbiguousRunError, RunNotFoundError, SessionError
from secretary_tui.sessions.recovery import OpenCall, conversation_of, open_calls_of
from secretary_tui.sessions.run_log import is_being_written, project_runs_dir, read_torn_text
from secretary_tui.sessions.stored_messages import Message
from secretary_tui.spend import Spend

_BLOCK = 64 * 1024
_LONGEST_START = 16 * 1024 * 1024


class RunOutcome(StrEnum):
    """How a stored run stands: an `Outcome`, or what only a reader can tell."""

    DONE = "done"
    PARTIAL = "partial"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    CUT_OFF = "cut off"
    """No final event: the process died."""
    RUNNING = "running"
    """No final event yet: a live process holds the log."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of the history.

    Cost, turns and tokens are those of the last continuation, since only the end of the log is
    read; `load_run` adds them all up.
    """

    id: str
    path: Path
    """The log."""
    project: str
    """The folder it ran in; empty when the log's beginning can't be read."""
    agent: str
    request: str
    started_at: str
    """UTC, ISO 8601."""
    outcome: RunOutcome
    model: str
    engine: str
    cost_usd: float | None
    """None when unknown."""
    turns: int
    tokens: int
    """All tokens together; 0 when the run was cut off."""
    size: int
    """Bytes of the log."""
    elapsed_s: float | None = None
    """Of the last continuation; None when it was cut off or still goes on."""
    stop_reason: str = ""
    """The API's, or one of ours for a limit; empty without a final event."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as its log tells it."""

    id: str
    path: Path
    events: tuple[RunEvent, ...]
    messages: tuple[Message, ...]
    """The conversation, fit to be continued once `open_calls` have their results."""
    open_calls: tuple[OpenCall, ...]
    """Tool calls of the last message whose results were never added to the conversation."""
    started: RunStarted
    """How it began; blank but for the id when that line can't be read."""
    outcome: RunOutcome
    usage: Usage
    cost_usd: float | None
    """None when a price is unknown."""
    unreadable_lines: int = 0
    """Lines that are no events: torn or foreign."""
    unknown_events: int = 0
    """Events that this version does not know."""

    @property
    def problem(self) -> str:
        """One sentence about what was left out; empty when nothing was."""
        parts = []
        if self.unreadable_lines:
            parts.append(f"{self.unreadable_lines} damaged line(s)")
        if self.unknown_events:
            parts.append(f"{self.unknown_events} event(s) of another version")
        return f"Left out of {self.path.name}: {' and '.join(parts)}." if parts else ""


def new_run_id() -> str:
    """Make an id that sorts by time (UTC) and is short enough to type, `20261120-093112-a1b2`."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def list_runs(project: Path | None = None) -> tuple[RunSummary, ...]:
    """Give the stored runs of a project (of all when None), newest first."""
    return tuple(iter_runs(project))


def iter_runs(project: Path | None = None) -> Iterator[RunSummary]:
    """Give the same one by one: the first of thousands are there at once."""
    for path in _logs(project):
        with contextlib.suppress(OSError):  # Deleted while we looked.
            yield summarize(path)


def find_run(wanted: str) -> Path:
    """Find the log of a run by its id or by the beginning of it that no other id shares.

    Raises:
        RunNotFoundError: no id begins like this.
        AmbiguousRunError: more than one does.
    """
    logs = {path.stem: path for path in _logs(None)}
    if wanted in logs:
        return logs[wanted]
    candidates = tuple(run_id for run_id in logs if wanted and run_id.startswith(wanted))
    if len(candidates) > 1:
        raise AmbiguousRunError(wanted, candidates)
    if not candidates:
        nearest = difflib.get_close_matches(wanted, logs, n=3, cutoff=0.4) or list(logs)[:3]
        raise RunNotFoundError(wanted, tuple(nearest))
    return logs[candidates[0]]


def load_run(run_id: str) -> RunRecord:
    """Read a run back by its id or a unique beginning of it.

    Raises:
        RunNotFoundError: no id begins like this.
        AmbiguousRunError: more than one does.
        SessionError: the file can't be opened.
    """
    path = find_run(run_id)
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise SessionError(f"{path} can't be read: {error.strerror}.") from None
    events: list[RunEvent] = []
    unreadable = unknown = 0
    for line in filter(bytes.strip, lines):
        event, data = read_line(line, path)
        if event is not None:
            events.append(event)
        elif data is not None and isinstance(data.get("type"), str) and _is_foreign(data):
            unknown += 1
        else:
            unreadable += 1
    paid = (Spend.of(e.cost_usd, e.usage) for e in events if isinstance(e, UsageAdded))
    spent = sum(paid, Spend())
    return RunRecord(
        id=path.stem,
        path=path,
        events=tuple(events),
        messages=conversation_of(events),
        open_calls=open_calls_of(events),
        started=next((e for e in events if isinstance(e, RunStarted)), _blank(path.stem)),
        outcome=_outcome(path, reversed(events)),
        usage=spent.usage,
        cost_usd=spent.cost_usd,
        unreadable_lines=unreadable,
        unknown_events=unknown,
    )


def _logs(project: Path | None) -> list[Path]:
    folder = paths.runs_dir() if project is None else project_runs_dir(project)
    pattern = "*/*.jsonl" if project is None else "*.jsonl"
    return sorted(folder.glob(pattern), key=lambda path: path.stem, reverse=True)


def summarize(path: Path) -> RunSummary:
    """Read the head and the tail of one log.

    Raises:
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        first = _event(parse_line(file.readline(_LONGEST_START)))
        last = _last_event(file, size)
    started = first if isinstance(first, RunStarted) else _blank(path.stem)
    final = last if isinstance(last, RunFinished | RunFailed) else None
    return RunSummary(
        id=path.stem,
        path=path,
        project=started.project,
        agent=started.agent,
        request=started.request,
        started_at=started.started_at,
        outcome=_outcome(path, iter((last,) if last else ())),
        model=started.model,
        engine=started.engine,
        cost_usd=final.cost_usd if final else None,
        turns=final.turns if isinstance(final, RunFinished) else 0,
        tokens=final.usage.total if final else 0,
        size=size,
        elapsed_s=final.elapsed_s if final else None,
        stop_reason=final.stop_reason if isinstance(final, RunFinished) else "",
    )


def _last_event(file: BinaryIO, size: int) -> RunEvent | None:
    """Read backwards, twice as much each time, until an event other than a notice is whole."""
    block = _BLOCK
    while True:
        start = max(0, size - block)
        file.seek(start)
        lines = file.read(size - start).split(b"\n")
        for line in reversed(lines if start == 0 else lines[1:]):
            event = _event(parse_line(line))
            if event is not None and not isinstance(event, Notice):
                return event
        if start == 0:
            return None
        block *= 2


def _outcome(path: Path, newest_first: Iterator[RunEvent]) -> RunOutcome:
    last = next((event for event in newest_first if not isinstance(event, Notice)), None)
    if isinstance(last, RunFinished):
        return RunOutcome(last.outcome)
    if isinstance(last, RunFailed):
        return RunOutcome.FAILED
    return RunOutcome.RUNNING if is_being_written(path) else RunOutcome.CUT_OFF


def read_line(line: bytes, log: Path) -> tuple[RunEvent | None, Mapping[str, Any] | None]:
    """Read a line of a log, with its pictures and documents; gives the event, and the line's JSON.

    Either is None where it can't be read.
    """
    data = parse_line(line)
    if data is not None and b'"stored"' in line:
        data = bring_back(data, log)
    return _event(data), data


def parse_line(line: bytes) -> Mapping[str, Any] | None:
    """Read a line of a log, a torn one of text too; None when it is no JSON object."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return read_torn_text(line)
    return data if isinstance(data, dict) else None


def _event(data: Mapping[str, Any] | None) -> RunEvent | None:
    try:
        return None if data is None else from_json(data)
    except ValueError:
        return None


def _is_foreign(data: Mapping[str, Any]) -> bool:
    try:
        return from_json(data) is None
    except ValueError:
        return False


def _blank(run_id: str) -> RunStarted:
    return RunStarted(
        run_id=run_id,
        agent="",
        agent_path="",
        agent_hash="",
        request="",
        task="",
        system="",
        engine="",
        model="",
        tools=(),
        permission_mode="",
        project="",
        started_at="",
    )
