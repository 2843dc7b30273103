"""The one way git is run: it starts no program that a repository, or the user's own setting, names.

A repository's configuration can name filters, hooks, a pager, an editor, a signer, a file-system
monitor, and a remote that missing objects are fetched from. What has a switch is switched off, all
protocols are forbidden, and filters, which have names of their own, are looked up before each call
and emptied: a file stands as git stores it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.sanitize import clean_line

TIMEOUT_S = 120.0
_LISTING_S = 10.0
"""A configuration can include a pipe, which git would wait for."""
_OFF = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.editor=false"),
    *("-c", "core.pager=cat", "-c", "core.askPass=false", "-c", "commit.gpgSign=false"),
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.sshCommand=false"),
    *("-c", "protocol.allow=never", "-c", "submodule.recurse=false", "-c", "credential.helper="),
    *("-c", "diff.external=", "-c", "core.attributesFile=/dev/null", "-c", "core.quotePath=true"),
    *("-c", "log.showSignature=false", "-c", "core.alternateRefsCommand=false"),
)
_QUIET: Mapping[str, str] = {
    # A setting `protocol.ext.allow` goes before `protocol.allow`; nothing goes before this one.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "false",
}
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "XDG_CONFIG_HOME", "USER", "LOGNAME")
_HOOK = re.compile(r"hook\..*\.(?:command|event)", re.S | re.I)
_FILTER = re.compile(r"filter\..*\.(?:clean|smudge|process|required)", re.S | re.I)
_NO_FILTER = ("unspecified", "unset")


class GitError(Exception):
    """Git can't be run, or failed; the message says which."""


@dataclass(frozen=True, slots=True)
class GitCall:
    """A command line of git and all of its environment."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path


def git_call(folder: Path, *arguments: str, where: tuple[str, ...] = ()) -> GitCall:
    """Make a call that starts no other program; `where` are options before the subcommand.

    Asks git first which filters its configuration has, in the very place of the call: a part of it
    may hold only there. So make each call just before it is run.

    Raises:
        GitError: git isn't there, its configuration can't be read, or has hooks by name.
    """
    if shutil.which("git") is None:
        raise GitError("git is not installed.")
    before = ("git", "--no-pager", *_OFF, *where)
    listing = GitCall((*before, "config", "--list", "--name-only", "-z"), _environment(()), folder)
    keys = os.fsdecode(run(listing, timeout=_LISTING_S)).split("\0")
    if any(_HOOK.fullmatch(key) for key in keys):
        raise GitError(
            "git's configuration names hooks that can't be switched off here (hook.*), so this "
            "repository is left to the user's own git."
        )
    filters = dict.fromkeys(key for key in keys if _FILTER.fullmatch(key))
    return GitCall((*before, *arguments), _environment(filters), folder)


def run(call: GitCall, data: bytes = b"", *, timeout: float = TIMEOUT_S) -> bytes:
    """Run a call, with `data` as its input, and give its output.

    Raises:
        GitError: it failed or took too long; the message is git's.
    """
    try:
        done = subprocess.run(
            call.argv,
            cwd=call.folder,
            env=call.environment,
            input=data,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git can't be run: {error}") from None
    if done.returncode != 0:
        said = clean_line(done.stderr.decode("utf-8", "replace"))[:300]
        raise GitError(f"git says: {said}")
    return done.stdout


def filters_of(attributes: str) -> dict[str, str]:
    """Read what `check-attr -z filter` says: the files that go through a filter, and its name."""
    fields = attributes.split("\0")
    found = zip(fields[0::3], fields[2::3], strict=False)
    return {name: value for name, value in found if value not in _NO_FILTER}


def _environment(off: Iterable[str]) -> dict[str, str]:
    """Name what git needs: no `GIT_*` of ours, which could name programs or another repository.

    What is `off` goes in here, since a name may hold the sign that ends it after `-c`.
    """
    given = {name: os.environ[name] for name in _KEPT if name in os.environ}
    count = 0
    for count, key in enumerate(off, 1):
        given[f"GIT_CONFIG_KEY_{count - 1}"] = key
        given[f"GIT_CONFIG_VALUE_{count - 1}"] = "false" if key.endswith(".required") else ""
    return {"PATH": os.defpath, **given, **_QUIET, "GIT_CONFIG_COUNT": str(count)}
