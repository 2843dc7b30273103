"""Keeps the originals of what a run changes, before it changes them.

A Write or an Edit names its file, so its original is kept first, and nothing is written when that
fails. What a command changes is seen by comparing the project before and after it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from secretary_tui.delegation.undo.change_journal import JournalStep
from secretary_tui.delegation.undo.file_states import (
    ABSENT,
    MAX_KEPT_BYTES,
    FileState,
    PlaceKind,
    digest_of,
    look,
)
from secretary_tui.delegation.undo.project_scan import Baseline
from secretary_tui.delegation.undo.undo_store import UndoStore, drop_oldest
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.tool_table import BASH

_CUT_OFF = (
    "The program was stopped while a command ran; what changed since then may come from it or "
    "from elsewhere. Look at each file before you undo it."
)


class Snapshots:
    """The originals of one run. Every method blocks: call them in a thread."""

    def __init__(self, workspace: Workspace, run_id: str) -> None:
        self._workspace = workspace
        self._store = UndoStore(run_id)
        self._baseline = Baseline(self._store.folder)
        self._lock = threading.Lock()
        self._begun = False
        self._commands = 0
        """Commands that run right now."""

    @contextlib.contextmanager
    def writing(
        self, call: str, tool: str, path: Path, before: bytes | None, after: bytes
    ) -> Iterator[None]:
        """Keep a file's original while a tool replaces or makes it.

        Raises:
            WorkspaceError: the original can't be kept, so nothing may be written.
        """
        name = self._workspace.shown(path)
        try:
            with self._lock:
                self._begin()
                was, _ = look(self._workspace, path)
                mode = was.mode if was.kind is PlaceKind.FILE else 0
                left = FileState(PlaceKind.FILE, mode, digest_of(after), len(after))
                for data in (before, after):
                    if data is not None and len(data) <= MAX_KEPT_BYTES:
                        self._store.keep(data)
                for folder in self._missing_folders(path):
                    made = FileState(PlaceKind.FOLDER)
                    self._note(JournalStep(folder, ABSENT, made, tool, call))
                self._note(JournalStep(name, was, left, tool, call))
        except OSError as error:
            raise WorkspaceError(
                f"The original of {name} can't be kept ({error.strerror}), so nothing was written."
            ) from None
        try:
            yield
        except BaseException:
            self._store.append({"void": call})
            raise

    def begin_command(self) -> str:
        """Look at the project before a command; gives a sentence when that fails."""
        with self._lock:
            try:
                self._begin()
                if self._commands:
                    self._take_differences(BASH, "")
                self._baseline.take(self._workspace.root)
            except OSError as error:
                return f"What this command changes can't be undone: {error.strerror}."
            finally:
                self._commands += 1
            return ""

    def end_command(self, call: str, *, sandboxed: bool) -> None:
        """Keep what a command changed."""
        with self._lock:
            self._commands -= 1
            if not self._baseline.exists:
                return
            with contextlib.suppress(OSError):
                self._take_differences(BASH, call)
                if not sandboxed:
                    self._say(
                        "Commands ran outside the sandbox: what they changed outside the project "
                        "or in .git is not known."
                    )
                if self._commands:
                    self._baseline.take(self._workspace.root)
                else:
                    self._baseline.is_settled()

    def close(self) -> None:
        """Put away what only the next command would have needed."""
        with self._lock:
            if not self._commands:
                self._baseline.forget()

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        drop_oldest(self._store.folder.name)
        self._store.append({"root": str(self._workspace.root)})
        if self._baseline.exists:
            settle_cut_off(self._workspace, self._store, self._baseline)
        self._baseline.forget()

    def _take_differences(self, tool: str, call: str) -> None:
        _take_differences(self._workspace, self._store, self._baseline, tool, call)

    def _missing_folders(self, path: Path) -> list[str]:
        root = self._workspace.root
        above = [folder for folder in path.parents if folder.is_relative_to(root)]
        return [self._workspace.shown(f) for f in reversed(above) if f != root and not f.exists()]

    def _note(self, step: JournalStep) -> None:
        self._store.append(step.to_json())

    def _say(self, note: str) -> None:
        self._store.append({"note": note})


def settle_cut_off(workspace: Workspace, store: UndoStore, baseline: Baseline) -> None:
    """Take in what a command did whose end a killed program never saw.

    Raises:
        OSError: the journal can't be written.
    """
    if baseline.reload(workspace.root):
        store.append({"note": _CUT_OFF})
        _take_differences(workspace, store, baseline, BASH, "")
    baseline.forget()


def _take_differences(
    workspace: Workspace, store: UndoStore, baseline: Baseline, tool: str, call: str
) -> None:
    unkept = 0
    for found in baseline.differences(workspace.root):
        for data in (found.before_data, found.after_data):
            if data is not None:
                store.keep(data)
        unkept += found.before.kind is PlaceKind.FILE and found.before_data is None
        step = JournalStep(found.path, found.before, found.after, tool, call)
        store.append(step.to_json())
    if unkept:
        store.append(
            {"note": f"{unkept} file(s) were too large to be kept before a command changed them."}
        )
    if not baseline.scan.is_complete:
        store.append({"note": "The project is too large to be watched whole by commands."})
    if baseline.scan.unwatched - {".git"}:
        names = ", ".join(sorted(baseline.scan.unwatched - {".git"}))
        store.append({"note": f"Not watched while commands ran: {names}."})


@contextlib.asynccontextmanager
async def watched_command(
    snapshots: Snapshots | None, call: str, *, sandboxed: bool
) -> AsyncIterator[str]:
    """Watch the project while a command runs; gives a sentence when that can't be done."""
    if snapshots is None:
        yield ""
        return
    problem = await asyncio.to_thread(snapshots.begin_command)
    try:
        yield problem
    finally:
        ending = asyncio.to_thread(snapshots.end_command, call, sandboxed=sandboxed)
        await asyncio.shield(asyncio.ensure_future(ending))
