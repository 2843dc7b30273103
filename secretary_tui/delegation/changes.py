"""What a Write or an Edit would do to a file, computed before anyone is asked about it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.delegation.workspace import Workspace, WorkspaceError


@dataclass(frozen=True, slots=True)
class Change:
    """A change to one file: applied only while the file still is `before`."""

    path: Path
    before: bytes | None
    """None when the file doesn't exist yet."""
    after: str
    diff: str
    """Unified, what the user judges."""
    replacements: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether the file already is what it shall become."""
        return self.before == self.after.encode("utf-8", "replace")


def plan_write(workspace: Workspace, path: Path, content: str) -> Change:
    """Plan to replace or create a file.

    Raises:
        WorkspaceError: something that can't be written is there.
    """
    before = workspace.read_bytes(path)
    try:
        old = None if before is None else before.decode("utf-8")
    except UnicodeDecodeError:
        size = len(before or b"")
        note = f"(replaces a binary file of {size} bytes)\n"
        return Change(path, before, content, note + _diff(workspace.shown(path), None, content))
    return Change(path, before, content, _diff(workspace.shown(path), old, content))


def plan_edit(
    workspace: Workspace, path: Path, old: str, new: str, *, replace_all: bool = False
) -> Change:
    """Plan to replace `old` by `new` in a text file, once or everywhere.

    Raises:
        WorkspaceError: no such file, no text, or `old` isn't there exactly once.
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
    after = text.replace(old, new)
    return Change(path, before, after, _diff(name, text, after), count)


def _diff(name: str, before: str | None, after: str) -> str:
    old, new = before or "", after
    note = ""
    if before is not None and ("\r\n" in old) != ("\r\n" in new):
        note = "(changes the line endings)\n"
    lines = difflib.unified_diff(
        _lines(old), _lines(new), "/dev/null" if before is None else f"a/{name}", f"b/{name}", n=3
    )
    return note + "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str) -> list[str]:
    # Not splitlines(): it also splits at form feeds and other separators.
    return [f"{line}\n" for line in text.replace("\r\n", "\n").split("\n")[:-1]] + (
        [text.rsplit("\n", 1)[-1]] if text and not text.endswith("\n") else []
    )
