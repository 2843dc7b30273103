"""A stored run as a document: markdown, one HTML file, or JSON."""

from __future__ import annotations

import json
import math
import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from secretary_tui.events import RunFailed, RunFinished, Usage
from secretary_tui.figures import dollars
from secretary_tui.redact import environment_secrets, redact_prose
from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.entries import Entry, EntryKind, entries_of
from secretary_tui.sessions.errors import ExportExistsError, SessionError
from secretary_tui.sessions.store import RunRecord

VERSION = 1
"""Of the JSON document (docs/exports.md); a change that breaks its readers raises it."""


class ExportFormat(StrEnum):
    """What an export is written as."""

    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"

    @property
    def suffix(self) -> str:
        """The end of a file's name."""
        return {"markdown": ".md", "html": ".html", "json": ".json"}[self]


@dataclass(frozen=True, slots=True)
class Document:
    """A run, ready to be written down: cleaned, secrets masked."""

    id: str
    agent: str
    request: str
    """On one line."""
    facts: Mapping[str, Any]
    """What JSON says about the run as a whole, by its key."""
    entries: tuple[Entry, ...]
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


def export(record: RunRecord, form: ExportFormat) -> str:
    """Write a run as a document that ends with a line break."""
    return _WRITERS[form](document_of(record))


def file_name(record: RunRecord, form: ExportFormat) -> str:
    """A name for the document, `run-20261120-093112-a1b2.md`."""
    return f"run-{record.id}{form.suffix}"


def write_export(path: Path, text: str, *, overwrite: bool = False) -> None:
    """Write a document, readable by its user alone; a file that is there stays unless told.

    What is overwritten is replaced, so nothing is written through a link or into a pipe.

    Raises:
        SessionError: it is there already, or can't be written.
    """
    if overwrite and os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise SessionError(f"{path} is no plain file, so it stays. Choose another name.")
    try:
        if overwrite:
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".export-")
        else:
            flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_EXCL
            handle, name = os.open(path, flags, 0o600), str(path)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except FileExistsError:
        raise ExportExistsError(path) from None
    except OSError as error:
        reason = "There is no such folder" if not path.parent.is_dir() else error.strerror
        raise SessionError(f"{path} can't be written: {reason}. Choose another place.") from None


def document_of(record: RunRecord) -> Document:
    """Gather what an export tells."""
    secrets = environment_secrets()

    def line(text: str) -> str:
        return redact_prose(clean_line(text), secrets)

    started = record.started
    finals = [e for e in record.events if isinstance(e, RunFinished | RunFailed)]
    return Document(
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


def _json(document: Document) -> str:
    data = {
        "format": "secretary-tui/run",
        "version": VERSION,
        "id": document.id,
        "agent": document.agent,
        "request": document.request,
        **document.facts,
        "problem": document.problem,
        "entries": [_entry(entry) for entry in document.entries],
    }
    # Nothing a terminal obeys is left in it, and ASCII alone can't be broken by an encoding.
    return json.dumps(data, indent=2, allow_nan=False, default=str) + "\n"


def _entry(entry: Entry) -> dict[str, Any]:
    if entry.kind is not EntryKind.TOOL:
        return {"kind": str(entry.kind), "text": entry.text}
    data: dict[str, Any] = {
        "kind": str(entry.kind),
        "tool": entry.tool,
        "summary": entry.text,
        "input": entry.input or {},
        "output": entry.output,
        "is_error": entry.is_error,
        "denied": entry.denied,
        "elapsed_s": entry.elapsed_s,
    }
    if entry.agent:
        data |= {"agent": entry.agent, "entries": [_entry(inner) for inner in entry.inner]}
    return data


def _markdown(document: Document) -> str:
    from secretary_tui.sessions.export_markdown import to_markdown

    return to_markdown(document)


def _html(document: Document) -> str:
    from secretary_tui.sessions.export_html import to_html

    return to_html(document)


_WRITERS: Mapping[ExportFormat, Callable[[Document], str]] = {
    ExportFormat.MARKDOWN: _markdown,
    ExportFormat.HTML: _html,
    ExportFormat.JSON: _json,
}
