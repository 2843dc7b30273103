"""Write and Edit: what a call would do to a file is worked out before anyone is asked about it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from secretary_tui.delegation.permissions.rules import Subject
from secretary_tui.delegation.permissions.visible_files import refuse_by_pattern
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall, permit
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import EditInput, WriteInput
from secretary_tui.delegation.undo.snapshots import Snapshots
from secretary_tui.delegation.workspace.diffs import is_shortened, unified_diff
from secretary_tui.delegation.workspace.protected import is_program_state
from secretary_tui.delegation.workspace.threads import in_daemon_thread
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean_line, oddities, reveal

Result = TypeVar("Result")

MAX_RESULT = 5_000_000
"""Characters; a file is not made larger than that."""
_PLANNING_S = 20.0
_UNCHANGED = "The file already is like that; nothing was written."


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change to one file: applied only while the file still is `before`."""

    path: Path
    before: bytes | None
    """None when the file doesn't exist yet."""
    after: str
    replacements: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether the file already is what it shall become."""
        return self.before == self.after.encode("utf-8", "replace")

    def diff(self, name: str) -> str:
        """Show it as a unified diff, which the user judges. Takes a moment for a large file."""
        if self.before is None:
            return unified_diff(name, None, self.after)
        try:
            return unified_diff(name, self.before.decode("utf-8"), self.after)
        except UnicodeDecodeError:
            note = f"(replaces a binary file of {len(self.before)} bytes)\n"
            return note + unified_diff(name, None, self.after)


def plan_write(workspace: Workspace, path: Path, content: str) -> FileChange:
    """Plan to replace or create a file.

    Raises:
        WorkspaceError: something that can't be written is there, or it would be too large.
    """
    _check_size(workspace.shown(path), len(content))
    return FileChange(path, workspace.read_bytes(path), content)


def plan_edit(
    workspace: Workspace, path: Path, old: str, new: str, *, replace_all: bool = False
) -> FileChange:
    """Plan to replace `old` by `new` in a text file, once or everywhere.

    Raises:
        WorkspaceError: no such file, no text, `old` isn't there exactly once, or the result would
            be too large.
    """
    name = workspace.shown(path)
    before = workspace.read_bytes(path)
    if before is None:
        raise WorkspaceError(f"{name} does not exist; use Write to create it.")
    try:
        text = before.decode("utf-8")
    except UnicodeDecodeError:
        raise WorkspaceError(f"{name} is not UTF-8 text, so it can't be edited.") from None
    if not old:
        raise WorkspaceError("old_string is empty; use Write to replace a whole file.")
    if old not in text and "\r\n" in text:
        # Models write LF; the file's own line endings stay.
        old, new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
    count = text.count(old)
    if count == 0:
        raise WorkspaceError(f"old_string was not found in {name}; read the file again.")
    if count > 1 and not replace_all:
        raise WorkspaceError(
            f"old_string appears {count} times in {name}; give more context or set replace_all."
        )
    _check_size(name, len(text) + count * (len(new) - len(old)))
    return FileChange(path, before, text.replace(old, new), count)


def _check_size(name: str, characters: int) -> None:
    if characters > MAX_RESULT:
        raise WorkspaceError(
            f"{name} would have {characters} characters; more than {MAX_RESULT} aren't written."
        )


class ChangeTool:
    """Writes and edits files of the project for one run, and keeps their originals."""

    about = ""

    def __init__(self, context: ToolContext, snapshots: Snapshots | None) -> None:
        self._context = context
        self._workspace = context.workspace
        self._snapshots = snapshots

    async def run(self, call: ToolCall, asked: WriteInput | EditInput) -> str:
        """Show what would change, ask, and write.

        Raises:
            ToolError, WorkspaceError: it was refused, or can't be done.
        """
        path = self._workspace.resolve(asked.file_path)
        if path == self._workspace.root:
            raise ToolError("That is the working directory itself; name a file in it.")
        refuse_by_pattern(self._context.offered, call.name, path, self._context.workspace.root)
        subject = Subject(call.name, path=path)
        protected = self._workspace.is_protected(path, asked.file_path) or is_program_state(path)
        # Before any work on the texts: what is refused anyway must cost nothing.
        known = self._context.permissions.without_asking(subject, protected=protected)
        if known is not None and not known.allowed:
            self._context.permissions.report(call.id, known)
            raise ToolError(known.reason)
        change = await _aside(lambda: self._plan(path, asked))
        if change.is_empty:
            return _UNCHANGED
        name = self._workspace.shown(path)
        # Nobody looks at the difference where nobody is asked.
        diff = await _aside(lambda: change.diff(name)) if known is None else ""
        warnings = list(oddities(diff))
        if is_shortened(diff):
            warnings.insert(0, "the change is too large to be shown whole")
        if protected:
            warnings.insert(0, "protected path: other programs run or obey what stands there")
        if path != self._workspace.root / asked.file_path:
            warnings.append(f"the path leads to {name}")
        request = ToolRequest(
            call.id,
            self._context.agent,
            call.name,
            clean_line(name),
            reveal(diff),
            str(self._workspace.root),
            warnings=tuple(warnings),
            input=call.input,
        )
        await permit(self._context, request, subject, each_time=protected)
        # The file may have become a link while the user was reading.
        if self._workspace.resolve(asked.file_path) != path:
            raise ToolError(f"{name} leads elsewhere now, so nothing was written.")
        await asyncio.to_thread(self._apply, call, change)
        if change.replacements:
            return f"Edited {name} ({change.replacements} replaced)."
        return f"{'Created' if change.before is None else 'Replaced'} {name}."

    def _apply(self, call: ToolCall, change: FileChange) -> None:
        after = change.after.encode("utf-8", "replace")
        keeping = (
            self._snapshots.writing(call.id, call.name, change.path, change.before, after)
            if self._snapshots is not None
            else contextlib.nullcontext()
        )
        with keeping:
            self._workspace.replace(change.path, change.before, change.after)

    def _plan(self, path: Path, asked: WriteInput | EditInput) -> FileChange:
        if isinstance(asked, WriteInput):
            return plan_write(self._workspace, path, asked.content)
        return plan_edit(
            self._workspace,
            path,
            asked.old_string,
            asked.new_string,
            replace_all=asked.replace_all,
        )


async def _aside(work: Callable[[], Result]) -> Result:
    """Work on the texts of a change in a thread, with a time limit."""
    try:
        return await in_daemon_thread(work, _PLANNING_S)
    except TimeoutError:
        raise ToolError("The change is too large to be worked out; make smaller ones.") from None
