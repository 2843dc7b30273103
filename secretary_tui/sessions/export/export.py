"""A stored run as a document: markdown, one HTML file, or JSON; and the file it is written to."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from secretary_tui.sessions.errors import ExportExistsError, SessionError
from secretary_tui.sessions.export.export_document import RunDocument, document_of
from secretary_tui.sessions.export.export_entries import EntryKind, ExportEntry
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
        raise SessionError(
            f"{path} is not a regular file, so it was not replaced. Choose another name."
        )
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


def _markdown(document: RunDocument) -> str:
    from secretary_tui.sessions.export.export_markdown import to_markdown

    return to_markdown(document)


def _html(document: RunDocument) -> str:
    from secretary_tui.sessions.export.export_html import to_html

    return to_html(document)


def _json(document: RunDocument) -> str:
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


_WRITERS: Mapping[ExportFormat, Callable[[RunDocument], str]] = {
    ExportFormat.MARKDOWN: _markdown,
    ExportFormat.HTML: _html,
    ExportFormat.JSON: _json,
}
