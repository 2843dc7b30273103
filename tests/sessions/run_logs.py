"""Runs written as the product writes them, for what reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from secretary_tui.events import (
    MessageAdded,
    Outcome,
    RunEvent,
    RunFinished,
    RunStarted,
    TextDelta,
    TurnStarted,
    Usage,
    UsageAdded,
    UserMessage,
)
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import find_run

SPENT = Usage(100, 20, 3, 4)


def started(
    project: Path, run_id: str, request: str, agent: str = "schema-smith", at: str = ""
) -> RunStarted:
    return RunStarted(
        run_id=run_id,
        agent=agent,
        agent_path="/agents/a.md",
        agent_hash="00",
        request=request,
        task=f"Task: {request}",
        system="You are careful with SYSTEMONLY words.",
        engine="anthropic",
        model="claude-sonnet-5-5",
        tools=("Read",),
        permission_mode="ask",
        project=str(project),
        started_at=at or "2026-11-20T09:31:12+00:00",
    )


def answered(text: str, cost: float = 0.02, stop: str = "end_turn") -> tuple[RunEvent, ...]:
    """One turn with an answer, and the end of the run."""
    outcome = Outcome.DONE if stop == "end_turn" else Outcome.PARTIAL
    return (
        TurnStarted(1),
        TextDelta(text),
        MessageAdded("assistant", [{"type": "text", "text": text}]),
        UsageAdded(SPENT, cost),
        RunFinished(outcome, stop, text, SPENT, cost, 1, 2.0),
    )


def write(
    project: Path,
    run_id: str,
    request: str,
    events: Sequence[RunEvent] = (),
    agent: str = "schema-smith",
    at: str = "",
) -> Path:
    """Write a run: its beginning, the events, nothing more."""
    with RunLog.create(project, run_id) as log:
        log.append(started(project, run_id, request, agent, at))
        log.append(MessageAdded("user", f"Task: {request}"))
        for event in events:
            log.append(event)
    return log.path


def reply(project: Path, run_id: str, text: str, answer: str) -> None:
    """Go on with a run, as a reply does."""
    with RunLog.open(find_run(run_id)) as log:
        first = started(project, run_id, "first")
        log.append(replace(first, resumed=True))
        log.append(UserMessage(text))
        log.append(MessageAdded("user", text))
        for event in answered(answer):
            log.append(event)
