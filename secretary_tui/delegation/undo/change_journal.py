"""What a run changed, file by file: its journal, added up.

Every line is one step of one place, from a state to another. What comes of it: the state before
the run, the state that the run left, and whether somebody else's hand was in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from secretary_tui.delegation.undo.file_states import FileState, PlaceKind
from secretary_tui.delegation.undo.undo_store import UndoStore

UNDO, REDO = "undo", "redo"
"""What stands for the tool where it was the user."""


@dataclass(frozen=True, slots=True)
class JournalStep:
    """One change of one place."""

    path: str
    """Relative to the workspace, with slashes."""
    before: FileState
    after: FileState
    by: str
    """The tool, `undo` or `redo`."""
    call: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give it as a line of the journal."""
        states = {"before": self.before.to_json(), "after": self.after.to_json()}
        return {"path": self.path, **states, "by": self.by, "call": self.call}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What a run did to one place, all its steps together."""

    path: str
    before: FileState
    """Before the run."""
    left: FileState
    """As the run left it."""
    last: FileState
    """As the last step left it: the run's, or the user's undo."""
    by: tuple[str, ...]
    """The tools that did it, each once."""
    mixed: bool = False
    """Whether something else changed it between two steps."""

    def start(self, by: str) -> FileState:
        """What an `UNDO` or a `REDO` begins with."""
        return self.before if by == REDO else self.left

    def goal(self, by: str) -> FileState:
        """What it ends with."""
        return self.left if by == REDO else self.before


@dataclass(frozen=True, slots=True)
class RunChanges:
    """All that a run changed in its workspace, as far as it is known."""

    run_id: str
    root: Path
    files: tuple[ChangedFile, ...] = ()
    folders_made: frozenset[str] = frozenset()
    folders_gone: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    """What can't be undone or isn't known, a sentence each."""


@dataclass(slots=True)
class _Steps:
    by_path: dict[str, list[JournalStep]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    root: str = ""

    def leave(self, paths: Iterable[str]) -> None:
        """Forget all steps but those of these files and of the folders above them."""
        places = {
            str(p) for path in paths for p in (PurePosixPath(path), *PurePosixPath(path).parents)
        }
        self.by_path = {path: done for path, done in self.by_path.items() if path in places}


def load_changes(run_id: str) -> RunChanges | None:
    """Add up a run's journal; None when there is none: it changed nothing, or it was dropped."""
    store = UndoStore(run_id)
    steps = _read(store.rows())
    if not steps.root:
        return None
    files = []
    made: set[str] = set()
    gone: set[str] = set()
    for path, done in sorted(steps.by_path.items()):
        first, last = done[0].before.kind, done[-1].after.kind
        kinds = {kind for step in done for kind in (step.before.kind, step.after.kind)}
        if PlaceKind.FOLDER in kinds and first is PlaceKind.ABSENT:
            made.add(path)
        elif first is PlaceKind.FOLDER and last is PlaceKind.ABSENT:
            gone.add(path)
        if not kinds <= {PlaceKind.FOLDER, PlaceKind.ABSENT}:
            files.append(_added_up(path, done))
    # A file that the run made and removed again is nobody's business.
    kept = tuple(file for file in files if file.before != file.left)
    return RunChanges(
        run_id, Path(steps.root), kept, frozenset(made), frozenset(gone), tuple(steps.notes)
    )


def _added_up(path: str, done: list[JournalStep]) -> ChangedFile:
    own = [step for step in done if step.by not in (UNDO, REDO)] or done
    mixed = any(not one.after.holds_the_same(next_.before) for one, next_ in pairwise(done))
    tools = tuple(dict.fromkeys(step.by for step in own))
    return ChangedFile(path, done[0].before, own[-1].after, done[-1].after, tools, mixed)


def _read(rows: Iterable[Mapping[str, Any]]) -> _Steps:
    """Sort the lines; a step that was taken back, or that no path can be made of, doesn't count."""
    steps = _Steps()
    for row in rows:
        if isinstance(row.get("root"), str) and "\0" not in row["root"]:
            steps.root = row["root"]
            if isinstance(only := row.get("only"), list):
                steps.leave(map(str, only))
        elif isinstance(row.get("note"), str):
            steps.notes[row["note"]] = None
        elif isinstance(row.get("void"), str):
            for done in steps.by_path.values():
                done[:] = [step for step in done if step.call != row["void"]]
        elif (step := _step(row)) is not None:
            done = steps.by_path.setdefault(step.path, [])
            # A kill between two writes can have the same step written down twice.
            if not done or (done[-1].before, done[-1].after) != (step.before, step.after):
                done.append(step)
    steps.by_path = {path: done for path, done in steps.by_path.items() if done}
    return steps


def _step(row: Mapping[str, Any]) -> JournalStep | None:
    path = row.get("path")
    if not isinstance(path, str) or not _is_inside(path):
        return None
    try:
        before, after = FileState.from_json(row["before"]), FileState.from_json(row["after"])
    except (ValueError, TypeError, KeyError):
        return None
    return JournalStep(path, before, after, str(row.get("by", "")), str(row.get("call", "")))


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and ".." not in parts and not path.startswith("/") and "\0" not in path
