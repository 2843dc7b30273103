"""A run as one JSON value for programs (docs/exports.md)."""

from __future__ import annotations

import json
from typing import Any

from secretary_tui.sessions.export.export_document import RunDocument
from secretary_tui.sessions.export.export_entries import EntryKind, ExportEntry

VERSION = 1
"""Of the JSON document (docs/exports.md); a change that breaks its readers raises it."""


def to_json(document: RunDocument) -> str:
    """Write it: the facts, then what happened."""
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


def _entry(entry: ExportEntry) -> dict[str, Any]:
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
