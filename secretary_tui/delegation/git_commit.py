"""GitCommit: commit named files, since the sandbox keeps `.git` from every command.

Git runs outside of the sandbox here, so nothing in the repository may make it start a program:
hooks, editor, pager, signing and file-system monitor are switched off and its environment is a
short list. A file that goes through a filter, and a configuration with hooks of its own, are left
to the user.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anthropic.lib.tools import ToolError

from secretary_tui import paths
from secretary_tui.delegation.rules import Subject
from secretary_tui.delegation.run_parts import RunParts
from secretary_tui.delegation.tool_calls import ToolCall, permit
from secretary_tui.delegation.tool_inputs import GitCommitInput
from secretary_tui.delegation.tool_names import BASH, GIT_COMMIT
from secretary_tui.delegation.workspace import WorkspaceError
from secretary_tui.people import ToolRequest
from secretary_tui.sanitize import clean, clean_line, oddities, reveal

_TIMEOUT_S = 30.0
_MAX_SHOWN = 60
_OFF = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.editor=false"),
    *("-c", "core.pager=cat", "-c", "core.askPass=false", "-c", "commit.gpgSign=false"),
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.sshCommand=false"),
    *("-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "credential.helper="),
    *("-c", "diff.external=", "-c", "core.attributesFile=/dev/null", "-c", "core.quotePath=true"),
)
_HOOK = re.compile(r"hook\..+\.(?:command|event)", re.S | re.I)
_FILTER = re.compile(r"filter\..+\.(?:clean|smudge|process|required)", re.S)
_NO_FILTER = ("unspecified", "unset")
HOOKS = "hooks don't run, and the commit isn't signed"


@dataclass(frozen=True, slots=True)
class _Changed:
    """One file that differs from the last commit."""

    code: str
    """Git's two letters."""
    name: str
    """From the top of the repository."""


@dataclass(frozen=True, slots=True)
class _Repository:
    """A repository, and what is switched off of its own configuration."""

    top: Path
    off: tuple[str, ...] = ()
    """Settings that are emptied: the programs of its filters."""


class GitCommitTool:
    """Commits for one run."""

    about = ""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts

    async def run(self, call: ToolCall, asked: GitCommitInput) -> str:
        """Show what would be committed, ask, and commit.

        Raises:
            ToolError: it was refused or failed.
        """
        self._refuse_by_bash_rules(call)
        message = clean(asked.message).strip()
        if not message:
            raise ToolError("The commit message is empty.")
        repository = await _open(self._parts.workspace.root)
        names = [self._name(text, repository.top) for text in asked.paths]
        changed = await _changed(repository, names)
        if not changed:
            raise ToolError("Nothing changed in these files; there is nothing to commit.")
        await _refuse_filtered(repository, changed)
        sizes = await _sizes(repository, names)
        await self._permit(call, message, changed, sizes)
        if await _changed(repository, names) != changed or await _sizes(repository, names) != sizes:
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
        verdict = self._parts.permissions.without_asking(subject, protected=False)
        if verdict is not None and not verdict.allowed and verdict.by == "rule":
            self._parts.permissions.report(call.id, verdict)
            raise ToolError(verdict.reason)

    def _name(self, text: str, top: Path) -> str:
        """Give a path from the top of the repository; it must lie in the workspace.

        Raises:
            WorkspaceError: it lies elsewhere.
        """
        workspace = self._parts.workspace
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
        parts = self._parts
        request = ToolRequest(
            call.id,
            parts.agent,
            GIT_COMMIT,
            clean_line(message.partition("\n")[0])[:120],
            reveal(f"{message}\n\n{_listed(changed)}\n{sizes}".strip()),
            str(parts.workspace.root),
            warnings=(HOOKS, *oddities(message)),
            input=call.input,
        )
        await permit(parts, request, Subject(GIT_COMMIT))


def _listed(changed: Sequence[_Changed]) -> str:
    words = {"?": "new", "A": "new", "D": "deleted", "R": "renamed"}
    lines = [
        f"{words.get(one.code.strip()[:1], 'changed'):8} {clean_line(one.name)}" for one in changed
    ]
    more = f"\nand {len(lines) - _MAX_SHOWN} more" if len(lines) > _MAX_SHOWN else ""
    return "\n".join(lines[:_MAX_SHOWN]) + more


async def _open(workspace: Path) -> _Repository:
    """Find the repository and switch off its filters, which even a look at its state would run.

    Raises:
        ToolError: there is none that git and we agree about, or it has hooks in its configuration.
    """
    if shutil.which("git") is None:
        raise ToolError("git is not installed.")
    top = await asyncio.to_thread(_top, workspace)
    bare = _Repository(workspace)
    found = (await _git(bare, "rev-parse", "--show-toplevel")).rstrip("\n")
    if found != str(top):
        raise ToolError(f"git takes {clean_line(found)} for the top of this repository.")
    keys = (await _git(bare, "config", "--list", "--name-only", "-z")).split("\0")
    if any(_HOOK.fullmatch(key) for key in keys):
        raise ToolError(
            "git's configuration has hooks that can't be switched off here; tell the user what to "
            "commit."
        )
    filters = tuple(dict.fromkeys(key for key in keys if _FILTER.fullmatch(key)))
    return _Repository(top, filters)


def _top(workspace: Path) -> Path:
    top = paths.repository_root(workspace)
    if not (top / ".git").exists():
        raise ToolError("The working directory belongs to no git repository.")
    return top.resolve()


async def _changed(repository: _Repository, names: Sequence[str]) -> list[_Changed]:
    status = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    out = await _git(repository, *status, "--ignore-submodules=all", "--", *names)
    return [_Changed(line[:2], line[3:]) for line in out.split("\0") if line]


async def _sizes(repository: _Repository, names: Sequence[str]) -> str:
    """Say how many lines come and go in files that git knows; empty before the first commit."""
    diff = ("diff", "--shortstat", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    return (await _git(repository, *diff, "HEAD", "--", *names, may_fail=True)).strip()


async def _refuse_filtered(repository: _Repository, changed: Sequence[_Changed]) -> None:
    listing = "".join(f"{one.name}\0" for one in changed)
    out = await _git(repository, "check-attr", "--stdin", "-z", "filter", text=listing)
    fields = out.split("\0")
    for name, value in zip(fields[0::3], fields[2::3], strict=False):
        if value not in _NO_FILTER:
            raise ToolError(
                f"{clean_line(name)} goes through the filter {clean_line(value)[:40]!r}, a program "
                "that isn't run here; leave it to the user."
            )


async def _git(
    repository: _Repository, *arguments: str, text: str = "", may_fail: bool = False
) -> str:
    """Run git, which starts nothing else, and give its output.

    Raises:
        ToolError: it failed or took too long.
    """
    process = await asyncio.create_subprocess_exec(
        *("git", "--no-pager", "--literal-pathspecs", *_OFF, *arguments),
        cwd=repository.top,
        env=_environment(repository.off),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            out, err = await process.communicate(os.fsencode(text))
    except TimeoutError:
        raise ToolError(f"git took longer than {_TIMEOUT_S:g} s.") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode and not may_fail:
        reason = clean(err.decode("utf-8", "replace")).strip()[:2_000]
        raise ToolError(f"git {arguments[0]} failed: {reason}")
    return os.fsdecode(out)


def _environment(off: Sequence[str]) -> dict[str, str]:
    """Name what git needs: no `GIT_*` of ours, which could name programs or another repository.

    What is `off` goes in here, since a name may hold the sign that ends it after `-c`.
    """
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "XDG_CONFIG_HOME", "USER", "LOGNAME")
    given = {name: os.environ[name] for name in kept if name in os.environ}
    for number, key in enumerate(off):
        given[f"GIT_CONFIG_KEY_{number}"] = key
        given[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    return {
        **given,
        "GIT_CONFIG_COUNT": str(len(off)),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "false",
    }
