"""Repair of protected files that a command changed: moved aside or put back, never deleted.

Names that already stood there are read-only while a command runs. A new one deeper in the project
can't be held beforehand, and a symlink can't be mounted over, so both are put right afterwards.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TypeAlias

from secretary_tui.delegation.sandbox.protected_picture import ProtectedPicture
from secretary_tui.delegation.workspace.protected import GIT_HEAD, Protected, find_protected
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.sanitize import clean_line

_MAX_NAMED = 20
Identities: TypeAlias = dict[Path, tuple[int, int]]
"""Inode of each protected thing; of a file also when it was changed."""


def identities(found: Protected) -> Identities:
    """Say which files and folders stand at the protected places."""
    return {path: identity for path in found.things if (identity := _identity(path))}


def repair_protected(
    workspace: Workspace, picture: ProtectedPicture, stood: Identities
) -> list[str]:
    """Move aside what is new and protected, put back changed links; says each in a sentence."""
    before, ends = picture.found, picture.ends
    # Replacing a file on the host lifts the mount over it, so the command may have had a hand in.
    failed = [
        f"{clean_line(workspace.shown(path))} was changed by another program meanwhile."
        for path, identity in sorted(stood.items())
        if _identity(path) not in (None, identity)
    ]
    after = _find_everywhere(workspace, before, failed)
    new = {*(after.things - before.things), *(after.links.keys() - before.links.keys())}
    new |= {path for path, text in before.links.items() if after.links.get(path, text) != text}
    moved: list[str] = []
    for path in sorted(new):
        _aside(workspace, path, moved, failed)
    for path in sorted(after.repositories - before.repositories):
        _aside(workspace, path / GIT_HEAD, moved, failed)
    for path, text in sorted(before.links.items()):
        if not os.path.lexists(path):
            _link_again(workspace, path, text, failed)
        if os.path.lexists(path) and (os.path.realpath(path), path.exists()) != ends[path]:
            _aside(workspace, path, moved, failed)
    return [*_sentences(moved, failed, before, after)]


def _find_everywhere(workspace: Workspace, before: Protected, failed: list[str]) -> Protected:
    """Search also folders that the command made unlistable: git would still look into them."""
    tried: set[Path] = set()
    while True:
        after = find_protected(workspace.root)
        closed = after.unread - before.unread
        if closed <= tried:
            failed += [f"{workspace.shown(path)} can't be looked into." for path in sorted(closed)]
            return after
        for path in sorted(closed - tried):
            tried.add(path)
            try:
                workspace.make_listable(path)
            except WorkspaceError as error:
                failed.append(str(error))


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, 0 if stat.S_ISDIR(status.st_mode) else status.st_mtime_ns


def _aside(workspace: Workspace, path: Path, moved: list[str], failed: list[str]) -> None:
    try:
        workspace.move_aside(path)
    except WorkspaceError as error:
        failed.append(str(error))
    else:
        moved.append(clean_line(workspace.shown(path)))


def _link_again(workspace: Workspace, path: Path, text: str, failed: list[str]) -> None:
    try:
        workspace.link(path, text)
    except WorkspaceError as error:
        failed.append(str(error))


def _sentences(
    moved: list[str], failed: list[str], before: Protected, after: Protected
) -> list[str]:
    sentences = []
    if moved:
        more = f" and {len(moved) - _MAX_NAMED} more" if len(moved) > _MAX_NAMED else ""
        sentences.append(
            f"Moved aside, because other programs run or obey it: {', '.join(moved[:_MAX_NAMED])}"
            f"{more}. It stands beside its place as *.moved-aside; only the user may move it back."
        )
    sentences += [f"Check this before you use it: {reason}" for reason in failed[:_MAX_NAMED]]
    if not (before.is_complete and after.is_complete):
        sentences.append(
            "The project is too large to look for new .git, .claude, .envrc and .mcp.json "
            "everywhere; folders deep down were not checked."
        )
    return sentences
