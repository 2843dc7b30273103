"""A new run that begins like a stored one: its conversation up to an answer, then something else.

The original is only read. What the fork begins with was paid for there, so here it costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from secretary_tui.events import (
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    TurnStarted,
    Usage,
    UsageAdded,
    UserMessage,
)
from secretary_tui.sessions.errors import SessionError
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import RunRecord, new_run_id

FORKED = "forked"
"""The stop reason of a fork that was not continued yet."""


@dataclass(frozen=True, slots=True)
class UserTurn:
    """Something the user said, and where the conversation goes on after it."""

    text: str
    answer: str
    """The beginning of what the agent answered."""
    end: int
    """The number of events up to the next thing the user said."""


def user_turns(events: Sequence[RunEvent]) -> tuple[UserTurn, ...]:
    """Give what the user said in a run: the request first, then each reply."""
    starts: list[tuple[int, str]] = []
    for at, event in enumerate(events):
        if isinstance(event, RunStarted) and not event.resumed:
            starts.append((at, event.request))
        elif isinstance(event, UserMessage):
            starts.append((at, event.text))
    ends = [_before_resume(events, at) for at, _ in starts[1:]] + [len(events)]
    return tuple(
        UserTurn(text, _answer(events[at:end]), end)
        for (at, text), end in zip(starts, ends, strict=True)
    )


def fork_run(record: RunRecord, turn: int | None = None) -> str:
    """Write a new run with the conversation up to the answer to user turn `turn`, from 1.

    None takes all of it. Gives the new run's id; going on with it is a resume.

    Raises:
        SessionError: there is no such turn, the run's beginning is damaged, or the log can't be
            written.
    """
    turns = user_turns(record.events)
    if not record.started.agent or not turns:
        raise SessionError(f"the beginning of {record.path} is damaged, so it can't be forked")
    wanted = len(turns) if turn is None else turn
    if not 1 <= wanted <= len(turns):
        said = "once" if len(turns) == 1 else f"{len(turns)} times"
        raise SessionError(f"there is no turn {wanted}: in {record.id} the user spoke {said}")
    kept = record.events[: turns[wanted - 1].end]
    run_id = new_run_id()
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    with RunLog.create(Path(record.started.project), run_id) as log:
        for event in kept:
            if not isinstance(event, UsageAdded):
                log.append(_as_part_of(run_id, now, event))
        if not isinstance(kept[-1], RunFinished | RunFailed):
            log.append(RunFinished(Outcome.INTERRUPTED, FORKED, "", Usage(), 0.0, 0, 0.0))
        log.append(Notice(f"Forked from {record.id} after turn {wanted} of {len(turns)}."))
    return run_id


def _as_part_of(run_id: str, now: str, event: RunEvent) -> RunEvent:
    if isinstance(event, RunStarted):
        return replace(event, run_id=run_id, started_at=now)
    if isinstance(event, RunFinished | RunFailed):
        return replace(event, usage=Usage(), cost_usd=0.0)
    return event


def _before_resume(events: Sequence[RunEvent], at: int) -> int:
    """Where the continuation that a message opened begins: between them no turn was taken."""
    for back in range(at - 1, -1, -1):
        event = events[back]
        if isinstance(event, RunStarted) and event.resumed:
            return back
        if isinstance(event, RunStarted | TurnStarted | RunFinished | RunFailed):
            break
    return at


def _answer(events: Sequence[RunEvent]) -> str:
    text = ""
    for event in events:
        if isinstance(event, TextDelta):
            text += event.text
            if len(text) > 200:
                break
    return text
