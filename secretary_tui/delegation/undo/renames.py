"""Files too large to be kept, which a run renamed: undoing renames them back.

Their content stands nowhere but under the other name, so it is moved and never made or removed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from secretary_tui.delegation.undo.change_journal import ChangedFile, RunChanges
from secretary_tui.delegation.undo.file_states import FileState, PlaceKind

Look: TypeAlias = Callable[[str], tuple[FileState, bytes | None]]
"""What stands at a path of the workspace, and the content of a file that can be kept."""


def source_of(changes: RunChanges, change: ChangedFile, by: str, look: Look) -> ChangedFile | None:
    """Find where the content stands that an undo or redo of `change` needs, and shall go from."""
    wanted = change.goal(by)
    if wanted.kind is not PlaceKind.FILE:
        return None
    return next((other for other in changes.files if _gives(other, change, wanted, by, look)), None)


def target_of(changes: RunChanges, change: ChangedFile, by: str, look: Look) -> ChangedFile | None:
    """Find the file whose undo or redo takes away what stands at `change`, by moving it there."""
    if change.goal(by).kind is not PlaceKind.ABSENT:
        return None
    for other in changes.files:
        wanted = other.goal(by)
        if wanted.kind is PlaceKind.FILE and _gives(change, other, wanted, by, look):
            now, content = look(other.path)
            if now.holds_the_same(other.start(by)) and can_be_kept(now, content):
                return other
    return None


def can_be_kept(now: FileState, content: bytes | None) -> bool:
    """Whether nothing is lost when something else takes its place."""
    return now.kind is not PlaceKind.FILE or content is not None


def _gives(
    source: ChangedFile, target: ChangedFile, wanted: FileState, by: str, look: Look
) -> bool:
    if source is target or source.mixed or target.mixed:
        return False
    start = source.start(by)
    return (
        source.goal(by).kind is PlaceKind.ABSENT
        and start.holds_the_same(wanted)
        and look(source.path)[0].holds_the_same(start)
    )
