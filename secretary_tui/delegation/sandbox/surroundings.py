"""What a confined command sees of the repository that its workspace is a part of.

A workspace may be a folder deep in a repository, a linked worktree or a submodule; git and builds
then need what lies around it. It is shown read-only.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.workspace.protected import git_targets, looks_like_git


def surroundings(workspace: Path, home: Path) -> Iterator[Path]:
    """Give the repository's root and git's folders, as far as they really belong to it."""
    root = paths.repository_root(workspace)
    # In a repository that holds the home folder, the rest of it is no one's business.
    if home.is_relative_to(root):
        return
    yield root
    git = root / ".git"
    for folder in git_targets(git):
        if _is_git(folder) and not home.is_relative_to(folder) and _belongs(folder, git):
            yield folder


def _is_git(folder: Path) -> bool:
    try:
        return looks_like_git({path.name for path in folder.iterdir()})
    except OSError:
        return False


def _belongs(folder: Path, git: Path) -> bool:
    """Whether git's folder knows of this `.git`: anyone can write `gitdir: ~/secret` in a file.

    A worktree's folder names the worktree's `.git`, the common folder holds that folder, and a
    submodule's lies in the `.git` of the project around it.
    """
    if any(folder.is_relative_to(parent / ".git") for parent in git.parent.parents):
        return True
    own = [folder, *folder.glob("worktrees/*")]
    return any(_names(place / "gitdir", git) for place in own)


def _names(pointer: Path, git: Path) -> bool:
    try:
        return pointer.is_file() and Path(pointer.read_text("utf-8").strip()).resolve() == git
    except (OSError, ValueError):
        return False
