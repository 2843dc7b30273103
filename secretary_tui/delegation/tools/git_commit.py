"""GitCommit: commit named files, since the sandbox keeps `.git` from every command.

Git runs outside of the sandbox here, so nothing in the repository may make it start a program
(`git_command`). A file that goes through a filter, and a configuration with hooks of its own, are
left to the user.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.permissions.rules import Subject
from secretary_tui.delegation.tools.sdk import ToolError
from secretary_tui.delegation.tools.tool_calls import ToolCall, permit
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import GitCommitInput
from secretary_tui.delegation.workspace.git_command import GitError, filters_of, git_call
from secretary_tui.delegation.workspace.process_group import answer_of
from secretary_tui.delegation.workspace.workspace import WorkspaceError
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean, clean_line, oddities, reveal
from secretary_tui.tool_table import BASH, GIT_COMMIT

_TIMEOUT_S = 30.0
_MAX_SHOWN = 60
HOOKS = "hooks don't run, and the commit isn't signed"


@dataclass(frozen=True, slots=True)
class _Changed:
    """One file that differs from the last commit."""

    code: str
    """Git's two letters."""
    name: str
    """From the top of the repository."""


class GitCommitTool:
    """Commits for one run."""

    about = ""

    def __init__(self, context: ToolContext) -> None:
        self._context = context

    async def run(self, call: ToolCall, asked: GitCommitInput) -> str:
        """Show what would be committed, ask, and commit.

        Raises:
            ToolError: it was refused or failed.
        """
        self._refuse_by_bash_rules(call)
        message = clean(asked.message).strip()
        if not message:
            raise ToolError("The commit message is empty.")
        repository = await _open(self._context.workspace.root)
        names = [self._name(text, repository) for text in asked.paths]
        changed = await _changed(repository, names)
        if not changed:
            raise ToolError("Nothing changed in these files; there is nothing to commit.")
        await _refuse_filtered(repository, changed)
        sizes = await _sizes(repository, names)
        shown = await _contents(repository, changed)
        await self._permit(call, message, changed, sizes)
        now = await _changed(repository, names)
        if now != changed or await _contents(repository, now) != shown:
            raise ToolError("The files changed while the user was reading, so nothing was done.")
        new = [one.name for one in changed if one.code == "??"]
        if new:
            await _git(repository, "add", "--intent-to-add", "--", *new)
        commit = ("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--only", "--file=-", "--")
        await _git(repository, *commit, *(one.name for one in changed), text=f"{message}\n")
        head = await _git(repository, "log", "-1", "--format=%h %s", "--no-show-signature")
        return clean(f"Committed {head.strip()}\n{_listed(changed)}")

    def _refuse_by_bash_rules(self, call: ToolCall) -> None:
        """Whoever forbids `git commit` for Bash doesn't want it here either."""
        subject = Subject(BASH, command="git commit")
        verdict = self._context.permissions.without_asking(subject, protected=False)
        if verdict is not None and not verdict.allowed and verdict.by == "rule":
            self._context.permissions.report(call.id, verdict)
            raise ToolError(verdict.reason)

    def _name(self, text: str, top: Path) -> str:
        """Give a path from the top of the repository; it must lie in the workspace.

        Raises:
            WorkspaceError: it lies elsewhere.
        """
        workspace = self._context.workspace
        # Its last part isn't resolved: a symlink is committed as itself.
        path = Path(os.path.normpath(workspace.root / text))
        if path != workspace.root:
            path = workspace.resolve(str(path.parent)) / path.name
        if not path.is_relative_to(workspace.root) or "\x00" in text:
            raise WorkspaceError(f"{text!r} is outside the workspace.")
        if any(part.casefold() == ".git" for part in path.parts):
            raise WorkspaceError(f"{text!r} belongs to git itself.")
        return path.relative_to(top).as_posix()

    async def _permit(
        self, call: ToolCall, message: str, changed: Sequence[_Changed], sizes: str
    ) -> None:
        context = self._context
        request = ToolRequest(
            call.id,
            context.agent,
            GIT_COMMIT,
            clean_line(message.partition("\n")[0])[:120],
            reveal(f"{message}\n\n{_listed(changed)}\n{sizes}".strip()),
            str(context.workspace.root),
            warnings=(HOOKS, *oddities(message)),
            input=call.input,
        )
        await permit(context, request, Subject(GIT_COMMIT))


def _listed(changed: Sequence[_Changed]) -> str:
    words = {"?": "new", "A": "new", "D": "deleted", "R": "renamed"}
    lines = [
        f"{words.get(one.code.strip()[:1], 'changed'):8} {clean_line(one.name)}" for one in changed
    ]
    more = f"\nand {len(lines) - _MAX_SHOWN} more" if len(lines) > _MAX_SHOWN else ""
    return "\n".join(lines[:_MAX_SHOWN]) + more


async def _open(workspace: Path) -> Path:
    """Find the top of the repository.

    Raises:
        ToolError: there is none that git and we agree about.
    """
    top = await asyncio.to_thread(_top, workspace)
    found = (await _git(workspace, "rev-parse", "--show-toplevel")).rstrip("\n")
    if found != str(top):
        raise ToolError(f"git takes {clean_line(found)} for the top of this repository.")
    return top


def _top(workspace: Path) -> Path:
    top = paths.repository_root(workspace)
    if not (top / ".git").exists():
        raise ToolError("The working directory belongs to no git repository.")
    return top.resolve()


async def _changed(repository: Path, names: Sequence[str]) -> list[_Changed]:
    status = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    out = await _git(repository, *status, "--ignore-submodules=all", "--", *names)
    return [_Changed(line[:2], line[3:]) for line in out.split("\0") if line]


async def _sizes(repository: Path, names: Sequence[str]) -> str:
    """Say how many lines come and go in files that git knows; empty before the first commit."""
    diff = ("diff", "--shortstat", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    return (await _git(repository, *diff, "HEAD", "--", *names, may_fail=True)).strip()


async def _refuse_filtered(repository: Path, changed: Sequence[_Changed]) -> None:
    listing = "".join(f"{one.name}\0" for one in changed)
    out = await _git(repository, "check-attr", "--stdin", "-z", "filter", text=listing)
    for name, value in filters_of(out).items():
        raise ToolError(
            f"{clean_line(name)} goes through the filter {clean_line(value)[:40]!r}, a program "
            "that isn't run here; leave it to the user."
        )


async def _contents(repository: Path, changed: Sequence[_Changed]) -> dict[str, str]:
    """Give what the files hold now, by their hashes: what is committed must be what was shown."""
    return {one.name: await asyncio.to_thread(_hash, repository / one.name) for one in changed}


def _hash(path: Path) -> str:
    """Hash a file's content and mode, or where a link leads.

    Raises:
        ToolError: it can't be read.
    """
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return f"link {path.readlink()}"
        if not stat.S_ISREG(mode):
            return "folder"
        with path.open("rb") as file:
            return f"{mode:o} {hashlib.file_digest(file, 'sha256').hexdigest()}"
    except FileNotFoundError:
        return "gone"
    except OSError as error:
        raise ToolError(f"{clean_line(path.name)} can't be read: {error.strerror}.") from None


async def _git(repository: Path, *arguments: str, text: str = "", may_fail: bool = False) -> str:
    """Run git, which starts nothing else, and give its output.

    Raises:
        ToolError: it failed or took too long.
    """
    try:
        call = await asyncio.to_thread(
            git_call, repository, *arguments, where=("--literal-pathspecs",)
        )
    except GitError as error:
        raise ToolError(str(error)) from None
    process = await asyncio.create_subprocess_exec(
        *call.argv,
        cwd=repository,
        env=call.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await answer_of(process, os.fsencode(text), _TIMEOUT_S)
    except TimeoutError:
        raise ToolError(f"git took longer than {_TIMEOUT_S:g} s.") from None
    if process.returncode and not may_fail:
        reason = clean(err.decode("utf-8", "replace")).strip()[:2_000]
        raise ToolError(f"git {arguments[0]} failed: {reason}")
    return os.fsdecode(out)
