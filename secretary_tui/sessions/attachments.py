"""Pictures and PDFs of a run, kept beside its log, so that no line of the log holds megabytes.

A message in the log refers to them by their hash; reading the log puts them back. A file that is
gone leaves a sentence, since the conversation can go on without the picture.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from secretary_tui import paths

SMALLEST = 2_000
"""Characters of base64; what is shorter stays in its line."""
_STORED = "stored"
_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_BYTES = 50_000_000
_GONE = "[a picture or document that was shown here is no longer stored]"


def folder_of(log: Path) -> Path:
    """Where the attachments of a log stand."""
    return log.with_suffix(".files")


def put_aside(value: Any, log: Path) -> Any:
    """Give JSON without large base64 sources: each is written to a file and referred to.

    Raises:
        OSError: it can't be written.
    """
    if isinstance(value, list | tuple):
        return [put_aside(part, log) for part in value]
    if not isinstance(value, Mapping):
        return value
    data = value.get("data")
    if value.get("type") == "base64" and isinstance(data, str) and len(data) >= SMALLEST:
        return {**value, "type": _STORED, "data": _write(data, folder_of(log))}
    return {key: put_aside(part, log) for key, part in value.items()}


def bring_back(value: Any, log: Path) -> Any:
    """Give JSON with what `put_aside` took out."""
    if isinstance(value, list):
        return [bring_back(part, log) for part in value]
    if not isinstance(value, Mapping):
        return value
    source = value.get("source")
    if isinstance(source, Mapping) and source.get("type") == _STORED:
        data = _read(str(source.get("data")), folder_of(log))
        if data is None:
            return {"type": "text", "text": _GONE}
        return {**value, "source": {**source, "type": "base64", "data": data}}
    return {key: bring_back(part, log) for key, part in value.items()}


def _write(data: str, folder: Path) -> str:
    digest = _digest(data)
    path = folder / digest
    if not path.exists():
        paths.write_atomic(path, data, mode=0o600)
    return digest


def _read(digest: str, folder: Path) -> str | None:
    """Read one; None when it is gone, or isn't what its name says."""
    if _HASH.fullmatch(digest) is None:
        return None
    try:
        with (folder / digest).open("rb") as file:
            data = file.read(_MAX_BYTES).decode("ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return data if _digest(data) == digest else None


def _digest(data: str) -> str:
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()
