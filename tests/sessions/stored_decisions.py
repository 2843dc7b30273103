"""Decisions as their log tells them: three weeks of one project, the same every time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from secretary_tui.sessions.decisions import Decision, DecisionLog, Shown

FIRST = datetime(2026, 1, 1, 9, tzinfo=UTC)
"""A Thursday."""


def decision(number: int = 0, **given: object) -> Decision:
    """One decision, accepted on its day (`number` days after the first) unless given otherwise."""
    values: dict[str, object] = {
        "id": f"{number:04x}{'0' * 12}",
        "conversation": f"talk-{number // 4}",
        "at": (FIRST + timedelta(days=number)).timestamp(),
        "request": "audit the login code for security holes",
        "intent": "delegate",
        "intent_confidence": 0.9,
        "reasoning": "It audits authentication code.",
        "engine": "local",
        "latency_ms": 12.0,
        "shown": (
            Shown("security-auditor", "/a/security-auditor.md", 92),
            Shown("code-critic", "/a/code-critic.md", 61),
        ),
        "recommended": "security-auditor",
        "action": "accept",
        "agent": "security-auditor",
    }
    return Decision(**{**values, **given})  # type: ignore[arg-type]


def three_weeks() -> tuple[Decision, ...]:
    """Twenty-one decisions: mostly accepted, some alternatives, one cancelled, one left open."""
    asked = []
    for number in range(21):
        given: dict[str, object] = {}
        if number % 5 == 3:
            given = {"action": "alternative", "agent": "code-critic"}
        if number % 3 == 2:
            given |= {
                "engine": "Claude API · claude-haiku-4-5",
                "latency_ms": 800.0 + 10 * number,
                "tokens": 2400,
                "cost_usd": 0.0021,
            }
        if number == 10:
            given = {"action": "cancel", "agent": None}
        if number == 15:
            given = {"action": "other", "agent": "schema-smith", "request": "add an index"}
        if number == 20:
            given = {"action": None, "agent": None, "request": "write the release notes"}
        asked.append(decision(number, **given))
    return tuple(asked)


def store(project: Path, *decisions: Decision) -> DecisionLog:
    """Write decisions (those of the three weeks when none are given) into a project's log."""
    log = DecisionLog.of(project)
    for one in decisions or three_weeks():
        log.add(one)
    return log
