"""How two states of a place differ: a diff of texts, a sentence for all else."""

from __future__ import annotations

from secretary_tui.delegation.undo.file_states import FileState, PlaceKind
from secretary_tui.delegation.workspace.diffs import unified_diff


def state_diff(
    path: str, before: FileState, was: bytes | None, after: FileState, now: bytes | None
) -> str:
    """Show a change as a unified diff; `was` and `now` are the contents, where they are known."""
    if before.kind is PlaceKind.LINK or after.kind is PlaceKind.LINK:
        return f"({path}: {_named(before)} → {_named(after)})\n"
    mode = ""
    if PlaceKind.ABSENT not in (before.kind, after.kind) and before.mode and after.mode:
        changed = before.mode != after.mode
        mode = f"({path}: mode {before.mode:o} → {after.mode:o})\n" if changed else ""
    try:
        old = _text(before, was)
        new = _text(after, now)
    except ValueError:
        return f"{mode}({path}: {_named(before)} → {_named(after)})\n"
    return mode + unified_diff(path, old, new or "")


def _text(state: FileState, data: bytes | None) -> str | None:
    """Read a text; None where nothing is.

    Raises:
        ValueError: it is no text, or its content was not kept.
    """
    if state.kind is PlaceKind.ABSENT:
        return None
    if data is None or b"\0" in data:
        raise ValueError("no text")
    return data.decode("utf-8")


def _named(state: FileState) -> str:
    if state.kind is PlaceKind.LINK:
        return f"link to {state.target}"
    if state.kind is PlaceKind.FILE:
        return f"{state.size} bytes that are not shown"
    return "nothing" if state.kind is PlaceKind.ABSENT else str(state.kind)
