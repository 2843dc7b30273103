"""The environment part of an agent's prompt: folder, state of git, date and platform."""

from __future__ import annotations

import asyncio
import datetime
import platform
import re
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.sandbox.confined_git import confined_git
from secretary_tui.delegation.workspace.small_files import UnusableFileError, read_small_text
from secretary_tui.sanitize import clean, clean_line

MAX_STATUS_LINES = 30


async def environment_facts(workspace: Path, *, brief: bool = False) -> str:
    """Describe the working directory, the state of git, the date and the platform.

    `brief` leaves out what changes from run to run: a local model reads its prompt slowly, and only
    the part behind the first difference is read again.
    """
    lines = [
        f"Working directory: {clean_line(str(workspace))}",
        *(() if brief else await asyncio.to_thread(_git_lines, workspace)),
        f"Date: {datetime.datetime.now().astimezone():%Y-%m-%d}",
        f"Platform: {platform.system()} {platform.machine()}",
    ]
    return "\n".join(lines)


def _git_lines(workspace: Path) -> list[str]:
    git = paths.repository_root(workspace) / ".git"
    if not git.exists():
        return ["Git: not a repository"]
    # A repository's configuration can name programs that `status` starts.
    status = confined_git(workspace, "status", "-sb", "--ignore-submodules=all")
    if status is None:
        return [f"Git branch: {_head(git)}"]
    head, *changes = status.splitlines() or [""]
    branch = clean_line(head.removeprefix("## "))
    if not changes:
        return [f"Git branch: {branch}", "Git status: clean"]
    more = len(changes) - MAX_STATUS_LINES
    shown = [clean(line) for line in changes[:MAX_STATUS_LINES]]
    return [
        f"Git branch: {branch}",
        "Git status:",
        *(f"  {line}" for line in shown),
        *([f"  and {more} more"] if more > 0 else []),
    ]


def _head(git: Path) -> str:
    """Read the branch from the repository's files, which starts no program."""
    try:
        if git.is_file():
            pointer = read_small_text(git).removeprefix("gitdir:").strip()
            git = (git.parent / pointer).resolve()
        head = read_small_text(git / "HEAD").strip()
    except (FileNotFoundError, UnusableFileError, OSError, ValueError):
        return "unknown"
    match = re.fullmatch(r"ref: refs/heads/(.+)", head)
    return clean_line(match[1] if match else f"detached at {head[:12]}")
