"""Short ways to make the two kinds of findings, so that each reads the same everywhere."""

from __future__ import annotations

from pathlib import Path

from secretary_tui.registry.definition.spec import Finding, Severity
from secretary_tui.sanitize import clean_line


def refused(path: Path, message: str, line: int | None = None) -> Finding:
    """An error: the file (or place) gives no agent and is skipped."""
    return Finding(path, line, message, Severity.ERROR, "skip")


def repaired(
    path: Path, message: str, line: int | None = None, *, kind: str = "definition"
) -> Finding:
    """A warning: the file is used, but read differently from what it says."""
    return Finding(path, line, message, Severity.WARNING, "repair", kind)


def noted(
    path: Path, message: str, line: int | None = None, *, kind: str = "definition"
) -> Finding:
    """A warning that changes nothing: the file is used as it is."""
    return Finding(path, line, message, Severity.WARNING, "keep", kind)


def remarked(path: Path, message: str, line: int | None = None, *, kind: str) -> Finding:
    """A note: a convention is not kept, and nothing is the worse for it."""
    return Finding(path, line, message, Severity.NOTE, "keep", kind)


def skipped_silently(path: Path, message: str, line: int | None = None) -> Finding:
    """An error although the file is used here: Claude Code skips it without a word."""
    return Finding(path, line, message, Severity.ERROR, "keep", "silent-skip", silent=True)


def quoted(value: object, limit: int = 60) -> str:
    """A value as a message shows it: clean, on one line, at most `limit` characters."""
    text = clean_line(str(value)[: limit * 4])
    return f'"{text}"' if len(text) <= limit else f'"{text[: limit - 1]}…"'
