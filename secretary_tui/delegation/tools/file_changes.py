"""What a Write or an Edit would do to a file, computed before anyone is asked about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from secretary_tui.delegation.workspace.diffs import unified_diff
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError

MAX_RESULT = 5_000_000
"""Characters; a file is not made larger than that."""


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
