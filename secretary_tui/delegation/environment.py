"""What a delegate is told about where it works: facts, and the project's own instructions."""

from __future__ import annotations

import asyncio
import datetime
import os
import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.git_command import GitError, git_call
from secretary_tui.delegation.sandbox import command_environment, confined, sandbox_status
from secretary_tui.delegation.small_files import UnusableFileError, read_small_text
from secretary_tui.sanitize import clean, clean_line

MAX_STATUS_LINES = 30
MAX_INSTRUCTIONS = 40_000
"""Characters of CLAUDE.md files that a run carries."""
MAX_INSTRUCTIONS_LOCAL = 4_000
"""The same for a local model, whose context is small and whose reading is slow."""
_GIT_TIMEOUT_S = 3.0


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


def project_instructions(workspace: Path, limit: int = MAX_INSTRUCTIONS) -> str:
    """Give the CLAUDE.md files that hold for a workspace, widest first, cut to `limit`."""
    parts: list[str] = []
    left = limit
    for path, within in _instruction_files(workspace):
        # A link could send any file of the user's to the model, and git's may hold a token.
        if ".git" in Path(os.path.realpath(path)).parts:
            continue
        try:
            text = clean(read_small_text(path, within=within)).strip()
        except (FileNotFoundError, UnusableFileError):
            continue
        if not text or left <= 0:
            continue
        shown = text if len(text) <= left else f"{text[:left]}\n[cut: the file is longer]"
        left -= len(text)
        parts.append(f"From {clean_line(str(path))}:\n{shown}")
    return "\n\n".join(parts)


def _instruction_files(workspace: Path) -> Iterator[tuple[Path, Path]]:
    """The files that may be there, widest first, and the folder each must really lie in."""
    yield Path.home() / ".claude" / "CLAUDE.md", Path.home()
    root = paths.repository_root(workspace).resolve()
    chain = [workspace, *workspace.parents]
    for folder in reversed(chain[: chain.index(root) + 1] if root in chain else [workspace]):
        for name in ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"):
            yield folder / name, root


def _git_lines(workspace: Path) -> list[str]:
    git = paths.repository_root(workspace) / ".git"
    if not git.exists():
        return ["Git: not a repository"]
    status = _git_status(workspace)
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


def _git_status(workspace: Path) -> str | None:
    """Ask git, confined: a repository's configuration can name programs that `status` starts.

    None where nothing confines it, or git can't say.
    """
    if sandbox_status()[0] == "none":
        return None
    try:
        call = git_call(workspace, "status", "-sb", "--ignore-submodules=all")
        with confined(list(call.argv), workspace, writable=False) as argv:
            result = subprocess.run(
                argv,
                env={**command_environment(), **call.environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_GIT_TIMEOUT_S,
                check=False,
            )
    except (GitError, OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.decode("utf-8", "replace") if result.returncode == 0 else None


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
