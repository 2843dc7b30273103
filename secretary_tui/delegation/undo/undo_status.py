"""How the files of a run stand now: which can be undone, and why the others can't."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from secretary_tui.delegation.undo.change_journal import UNDO, ChangedFile, RunChanges
from secretary_tui.delegation.undo.file_states import ABSENT, FileState, PlaceKind, look
from secretary_tui.delegation.undo.renames import Look, can_be_kept, source_of, target_of
from secretary_tui.delegation.undo.undo_store import UndoStore
from secretary_tui.delegation.workspace.diffs import unified_diff
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError


class UndoError(Exception):
    """A run or a file of it can't be undone; the message says why and what can be done."""


class UndoStatus(StrEnum):
    """How a changed file stands now."""

    CHANGED = "changed"
    """It is as the run left it: it can be undone."""
    UNDONE = "undone"
    """It is as before the run: it can be redone, unless the run's version wasn't kept."""
    CONFLICT = "conflict"
    """Somebody changed it since: it is left alone."""
    LOST = "lost"
    """Its original was not kept, or undoing would lose the only copy of what stands there."""


@dataclass(frozen=True, slots=True)
class UndoFile:
    """One file of a run, and how it stands now."""

    change: ChangedFile
    status: UndoStatus
    now: FileState
    reason: str = ""
    """Why it can't be put back, in a sentence."""

    @property
    def path(self) -> str:
        """Relative to the workspace."""
        return self.change.path

    @property
    def verb(self) -> str:
        """What the run did to it: created, deleted or changed."""
        if self.change.before.kind is PlaceKind.ABSENT:
            return "created"
        return "deleted" if self.change.left.kind is PlaceKind.ABSENT else "changed"


class RunFiles:
    """What one run changed, as it stands now. Blocking: use it in a thread."""

    def __init__(self, changes: RunChanges) -> None:
        self.changes = changes
        self._store = UndoStore(changes.run_id)
        try:
            self._workspace = Workspace.at(changes.root)
        except (WorkspaceError, OSError):
            raise UndoError(
                f"The run worked in {changes.root}, which is gone. Restore it to undo anything."
            ) from None
        if self._workspace.root != changes.root:
            raise UndoError(f"{changes.root} leads elsewhere now, so nothing is undone there.")

    def files(self) -> tuple[UndoFile, ...]:
        """Give every file that the run changed, as it stands now."""
        return tuple(map(self._status, self.changes.files))

    def file(self, path: str) -> UndoFile:
        """Give one of them.

        Raises:
            UndoError: the run didn't change it; names those that it did.
        """
        for change in self.changes.files:
            if change.path == path:
                return self._status(change)
        names = ", ".join(change.path for change in self.changes.files[:5]) or "none"
        raise UndoError(f"The run changed no file {path!r}. It changed: {names}.")

    def diff(self, path: str) -> str:
        """Show what the run did to a file."""
        change = self.file(path).change
        return state_diff(
            path,
            change.before,
            self._content(change.before),
            change.left,
            self._content(change.left),
        )

    def later_diff(self, path: str) -> str:
        """Show what changed in a file since the run left it; empty when nothing did."""
        file = self.file(path)
        if file.now.holds_the_same(file.change.left) or file.status is UndoStatus.UNDONE:
            return ""
        _, now = self._look(path)
        return state_diff(path, file.change.left, self._content(file.change.left), file.now, now)

    def _status(self, change: ChangedFile) -> UndoFile:
        try:
            now, content = self._look(change.path)
        except WorkspaceError as error:
            return UndoFile(change, UndoStatus.CONFLICT, ABSENT, str(error))
        if now.holds_the_same(change.before) and (
            change.before.mode in (now.mode, change.left.mode)
        ):
            return UndoFile(change, UndoStatus.UNDONE, now)
        if not now.holds_the_same(change.left):
            what = "is gone" if now.kind is PlaceKind.ABSENT else "was changed"
            return UndoFile(
                change,
                UndoStatus.CONFLICT,
                now,
                f"{change.path} {what} since the run, so it is left alone.",
            )
        if change.mixed:
            return UndoFile(
                change,
                UndoStatus.CONFLICT,
                now,
                f"{change.path} was also changed from elsewhere during the run, so it is "
                "left alone.",
            )
        reason = self._why_lost(change, can_be_kept(now, content))
        return UndoFile(change, UndoStatus.LOST if reason else UndoStatus.CHANGED, now, reason)

    def _why_lost(self, change: ChangedFile, keeps_now: bool) -> str:
        """Say why undoing can't make or mustn't remove what it would; empty when it can."""
        if change.before.kind is PlaceKind.OTHER:
            return f"{change.path} was no regular file, so it can't be made again."
        kept = change.before.kind is not PlaceKind.FILE or self._content(change.before) is not None
        if not kept and not self._other(source_of, change, UNDO):
            return f"The original of {change.path} was not kept: it was too large."
        if not keeps_now and not self._other(target_of, change, UNDO):
            what = "delete" if change.before.kind is PlaceKind.ABSENT else "overwrite"
            return (
                f"{change.path} is too large to be kept, and undoing would {what} the only copy, "
                f"so it is left alone. If it may go, {what} it yourself."
            )
        return ""

    def _other(
        self,
        find: Callable[[RunChanges, ChangedFile, str, Look], ChangedFile | None],
        change: ChangedFile,
        by: str,
    ) -> ChangedFile | None:
        """Find the other end of a rename; none where it can't be looked at."""
        with contextlib.suppress(WorkspaceError):
            return find(self.changes, change, by, self._look)
        return None

    def _look(self, path: str) -> tuple[FileState, bytes | None]:
        """Say what stands at a path, with its content when that can be kept."""
        return look(self._workspace, self._workspace.root / path)

    def _content(self, state: FileState) -> bytes | None:
        return self._store.content(state.digest) if state.kind is PlaceKind.FILE else None


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
