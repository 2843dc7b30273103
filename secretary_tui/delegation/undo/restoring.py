"""Undo what a run changed, a file at a time, and never what somebody changed since.

A file is put back only while it still is what the run left. Putting it back is a step in the
run's journal like any other, with what stood there kept: it can be taken back in turn.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from secretary_tui.delegation.undo.change_journal import (
    REDO,
    UNDO,
    ChangedFile,
    JournalStep,
    load_changes,
)
from secretary_tui.delegation.undo.file_states import (
    ABSENT,
    MAX_KEPT_BYTES,
    FileState,
    PlaceKind,
    look,
    move,
    put,
)
from secretary_tui.delegation.undo.project_scan import Baseline
from secretary_tui.delegation.undo.renames import can_be_kept, source_of, target_of
from secretary_tui.delegation.undo.snapshots import settle_cut_off
from secretary_tui.delegation.undo.undo_status import RunFiles, UndoError, UndoFile, UndoStatus
from secretary_tui.delegation.workspace.workspace import WorkspaceError


class Undo(RunFiles):
    """The undoing of one run. Blocking: call it in a thread."""

    @classmethod
    def of(cls, run_id: str) -> Undo:
        """Open the undoing of a run.

        Raises:
            UndoError: it changed nothing that is known, or its folder is gone.
        """
        changes = load_changes(run_id)
        if changes is None:
            raise UndoError(
                f"Run {run_id} changed no files, or its originals were dropped to make room."
            )
        undo = cls(changes)
        baseline = Baseline(undo._store.folder)
        if baseline.exists and not _is_live(run_id):
            with contextlib.suppress(OSError):
                settle_cut_off(undo._workspace, undo._store, baseline)
            undo.changes = load_changes(run_id) or changes
        return undo

    def restore(self, path: str) -> UndoFile:
        """Put a file back as it was before the run.

        Raises:
            UndoError: it changed since, or its original was not kept. Nothing was touched.
        """
        file = self.file(path)
        if file.status is UndoStatus.UNDONE:
            return file
        if file.status is not UndoStatus.CHANGED:
            raise UndoError(file.reason)
        self._carry_out(file, UNDO)
        return self._reloaded(path)

    def redo(self, path: str) -> UndoFile:
        """Put a file that was undone back as the run left it.

        Raises:
            UndoError: it changed since, or the run's version was not kept.
        """
        file = self.file(path)
        if file.status is UndoStatus.CHANGED:
            return file
        if file.status is not UndoStatus.UNDONE:
            raise UndoError(file.reason or f"{path} was not undone.")
        self._carry_out(file, REDO)
        return self._reloaded(path)

    def restore_all(self) -> tuple[UndoFile, ...]:
        """Put back every file that can be; gives all as they stand then."""
        for file in self.files():
            if file.status is UndoStatus.CHANGED:
                with contextlib.suppress(UndoError):
                    self.restore(file.path)
        for folder in sorted(self.changes.folders_gone):
            with contextlib.suppress(WorkspaceError):
                made = FileState(PlaceKind.FOLDER, 0o755)
                path = self._workspace.root / folder
                if look(self._workspace, path)[0].kind is PlaceKind.ABSENT:
                    put(self._workspace, path, ABSENT, made, None)
        for folder in sorted(self.changes.folders_made, reverse=True):
            self._remove_if_empty(self._workspace.root / folder)
        return self.files()

    def put_beside(self, path: str) -> str:
        """Write the original as `name.before-RUN` next to a file; gives the name.

        Raises:
            UndoError: there was no file before, it was not kept, or it can't be written.
        """
        change = self.file(path).change
        data = self._content(change.before)
        if data is None:
            raise UndoError(f"There is no original of {path} to put beside it.")
        place = self._workspace.root / path
        name = f"{place.name[:150]}.before-{self.changes.run_id}"
        for number in itertools.count(1):
            beside = place.with_name(name if number == 1 else f"{name}-{number}")
            try:
                state, _ = look(self._workspace, beside)
                if state.kind is not PlaceKind.ABSENT:
                    continue
                put(self._workspace, beside, ABSENT, change.before, data)
            except WorkspaceError as error:
                raise UndoError(str(error)) from None
            return self._workspace.shown(beside)
        raise AssertionError("numbers don't end")

    def _carry_out(self, file: UndoFile, by: str) -> None:
        """Undo or redo one file: by what was kept, or where that is too large by renaming it."""
        change, wanted = file.change, file.change.goal(by)
        source = self._other(source_of, change, by) if self._is_unkept(wanted) else None
        target = None
        if wanted.kind is PlaceKind.ABSENT and file.now.size > MAX_KEPT_BYTES:
            target = self._other(target_of, change, by)
        if source is not None:
            self._rename(source, change, by)
        elif target is not None:
            self._rename(change, target, by)
        else:
            self._move(file, wanted, by, change.start(by))
        gone = source if source is not None else change
        if gone.goal(by).kind is PlaceKind.ABSENT:
            self._remove_empty_folders(gone.path)

    def _is_unkept(self, wanted: FileState) -> bool:
        return wanted.kind is PlaceKind.FILE and self._content(wanted) is None

    def _rename(self, source: ChangedFile, target: ChangedFile, by: str) -> None:
        """Move what is too large to be kept to the place where it shall stand."""
        there, _ = self._look(source.path)
        now, content = self._look(target.path)
        if not can_be_kept(now, content):
            raise UndoError(f"{target.path} is too large to be kept, so it was left alone.")
        mode = target.goal(by).mode or there.mode
        root = self._workspace.root
        try:
            if content is not None:
                self._store.keep(content)
            move(self._workspace, root / source.path, there, root / target.path, now, mode)
            self._store.append(JournalStep(source.path, there, ABSENT, by).to_json())
            left = replace(there, mode=mode)
            self._store.append(JournalStep(target.path, now, left, by).to_json())
        except (WorkspaceError, OSError) as error:
            raise UndoError(str(error)) from None

    def _move(self, file: UndoFile, wanted: FileState, by: str, other: FileState) -> None:
        """Put a file in another state, and write that down before and after."""
        data = self._content(wanted)
        if wanted.kind is PlaceKind.FILE and data is None:
            raise UndoError(f"The run's version of {file.path} was not kept.")
        now, content = self._look(file.path)
        if now != file.now:
            raise UndoError(f"{file.path} changed at this very moment, so it was left alone.")
        if not can_be_kept(now, content):
            raise UndoError(f"{file.path} is too large to be kept, so it was left alone.")
        if wanted.kind is PlaceKind.FILE and (wanted.mode == other.mode or not wanted.mode):
            # The run didn't touch the permissions: whoever did since meant it.
            mode = now.mode if now.kind is PlaceKind.FILE else wanted.mode
            wanted = replace(wanted, mode=mode or 0o644)
        try:
            if content is not None:
                self._store.keep(content)
            path = self._workspace.root / file.path
            put(self._workspace, path, now, wanted, data)
            self._store.append(JournalStep(file.path, now, wanted, by).to_json())
        except (WorkspaceError, OSError) as error:
            raise UndoError(str(error)) from None

    def _reloaded(self, path: str) -> UndoFile:
        self.changes = load_changes(self.changes.run_id) or self.changes
        return self.file(path)

    def _remove_empty_folders(self, path: str) -> None:
        """Remove the folders that the run made for a file, from the innermost, while empty."""
        for folder in (self._workspace.root / path).parents:
            if not folder.is_relative_to(self._workspace.root) or folder == self._workspace.root:
                return
            if self._workspace.shown(folder) not in self.changes.folders_made:
                return
            self._remove_if_empty(folder)

    def _remove_if_empty(self, folder: Path) -> None:
        with contextlib.suppress(OSError), self._workspace.folder_of(folder) as above:
            os.rmdir(folder.name, dir_fd=above)


def total_diff(undo: Undo, files: Sequence[UndoFile]) -> str:
    """Show what the run did to all of the files, one after the other."""
    return "\n".join(undo.diff(file.path).rstrip("\n") for file in files) + "\n" * bool(files)


def _is_live(run_id: str) -> bool:
    from secretary_tui import paths
    from secretary_tui.sessions.run_log import is_being_written

    return any(map(is_being_written, paths.runs_dir().glob(f"*/{run_id}.jsonl")))
