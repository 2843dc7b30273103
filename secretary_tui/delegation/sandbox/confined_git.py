"""Ask git about a repository, behind the walls: its configuration can name programs."""

from __future__ import annotations

import subprocess
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.sandbox.sandbox import command_environment, confined, sandbox_status
from secretary_tui.delegation.workspace.git_command import GitError, git_call

_TIMEOUT_S = 3.0
_MAX_BYTES = 4_000_000


def confined_git(workspace: Path, *arguments: str) -> str | None:
    """Run git in a folder, which it can only read, and give its output.

    None where nothing confines it, it failed or took longer than three seconds.
    """
    if sandbox_status()[0] == "none":
        return None
    try:
        # A repository's configuration can name any folder as its working tree.
        tree = str(paths.repository_root(workspace))
        call = git_call(workspace, *arguments, where=("--work-tree", tree))
        with confined(list(call.argv), workspace, writable=False) as argv:
            result = subprocess.run(
                argv,
                env={**command_environment(), **call.environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
    except (GitError, OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout[:_MAX_BYTES].decode("utf-8", "replace") if result.returncode == 0 else None
