"""What an export tells of a stored run, in whatever form: cleaned, secrets masked, added up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from secretary_tui.events import RunFailed, RunFinished, Usage
from secretary_tui.number_format import dollars
from secretary_tui.redact import environment_secrets, redact_prose
from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.export.export_entries import ExportEntry, entries_of
from secretary_tui.sessions.store import RunRecord


@dataclass(frozen=True, slots=True)
class RunDocument:
    """A run, ready to be written down: cleaned, secrets masked."""

    id: str
    agent: str
    request: str
    """On one line."""
    facts: Mapping[str, Any]
    """What JSON says about the run as a whole, by its key."""
    entries: tuple[ExportEntry, ...]
    problem: str
    """What was left out of a damaged log; empty when nothing was."""

    @property
    def title(self) -> str:
        """The beginning of the request."""
        return self.request if len(self.request) <= 100 else f"{self.request[:99]}…"

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """What stands at the head, for people."""
        facts = self.facts
        tokens = Usage(**facts["usage"]).total
        cost = facts["cost_usd"]
        rows = (
            ("Agent", self.agent),
            ("Model", " · ".join(filter(None, (facts["model"], facts["engine"])))),
            ("Started", str(facts["started_at"])),
            ("Outcome", str(facts["outcome"])),
            ("Turns", str(facts["turns"] or "")),
            ("Tokens", f"{tokens:,}" if tokens else ""),
            ("Cost", "unknown" if cost is None else dollars(cost) if cost else ""),
            ("Folder", str(facts["project"])),
            ("Run", self.id),
        )
        return tuple((label, value) for label, value in rows if value)


def document_of(record: RunRecord) -> RunDocument:
    """Gather what an export tells."""
    secrets = environment_secrets()

    def line(text: str) -> str:
        return redact_prose(clean_line(text), secrets)

    started = record.started
    finals = [e for e in record.events if isinstance(e, RunFinished | RunFailed)]
    return RunDocument(
        id=record.id,
        agent=line(started.agent),
        request=line(started.request),
        facts={
            "project": line(started.project),
            "engine": line(started.engine),
            "model": line(started.model),
            "permission_mode": line(started.permission_mode),
            "confidence": started.confidence,
            "started_at": line(started.started_at),
            "outcome": str(record.outcome),
            "turns": sum(e.turns for e in finals if isinstance(e, RunFinished)),
            "elapsed_s": _finite(round(sum(e.elapsed_s for e in finals), 3)),
            "usage": asdict(record.usage),
            "cost_usd": _finite(record.cost_usd),
        },
        entries=entries_of(record.events),
        problem=line(record.problem),
    )


def _finite(number: float | None) -> float | None:
    """JSON knows no infinity; a foreign log can hold one."""
    return number if number is not None and math.isfinite(number) else None
