"""A run in a working tree of its own: a fresh checkout of the last commit, outside of the project.

What the run changed is a diff at its end, to apply, to keep as a branch, or to drop. Every tree has
a record in the state folder and a lock that its process holds, so what a kill left behind is found
by the next run of this kind: changes are kept as a branch, the rest is removed.

git runs with the record's own folders, without hooks: nothing that the agent wrote says where git
looks.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.protected import has_protected_name
from secretary_tui.delegation.sandbox import command_environment
from secretary_tui.sanitize import clean, clean_line

_SAFE = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgsign=false"),
    *("-c", "submodule.recurse=false", "-c", "core.quotePath=false"),
)
_TIMEOUT_S = 120


class WorktreeError(Exception):
    """A working tree can't be made, read or applied; the message says why and what is left."""


@dataclass(frozen=True, slots=True)
class Worktree:
    """A working tree of a repository, made for one run."""

    path: Path
    """Where it lies; the run's workspace is the same folder in it as the project in its own."""
    branch: str
    base: str
    """The commit it began with."""
    repository: Path
    git_dir: Path
    """git's folder for this tree, inside the repository's."""

    def git(self, *arguments: str, data: bytes | None = None) -> bytes:
        """Run git on this tree.

        Raises:
            WorktreeError: it failed; the message is git's.
        """
        where = (f"--git-dir={self.git_dir}", f"--work-tree={self.path}")
        return _git((*where, *arguments), self.path, data)


class OwnTree:
    """The working tree of a run under way: made at once, released by one of its endings."""

    def __init__(self, project: Path, agent: str, run_id: str) -> None:
        """Make the tree.

        Raises:
            WorktreeError: the project is no repository with a commit, or git fails.
        """
        root = Path(os.path.realpath(paths.repository_root(project)))
        if shutil.which("git") is None or not (root / ".git").exists():
            raise WorktreeError(f"{paths.shown(project)} is not in a git repository")
        base = _git(("rev-parse", "--verify", "HEAD^{commit}"), root).decode().strip()
        common = _git(("rev-parse", "--path-format=absolute", "--git-common-dir"), root)
        agent = re.sub(r"[^A-Za-z0-9]+", "-", agent).strip("-")[:40] or "agent"
        name = f"{agent}-{run_id[-8:]}"
        folder = paths.cache_dir() / "worktrees"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.tree = Worktree(
            folder / name,
            f"secretary/{name}",
            base,
            root,
            Path(os.fsdecode(common).strip()) / "worktrees" / name,
        )
        self._record = _records() / f"{name}.json"
        self._lock = _take(self._record)
        os.write(self._lock, json.dumps(asdict(self.tree), default=str).encode())
        inside = Path(os.path.realpath(project)).relative_to(root)
        self.workspace = self.tree.path / inside
        try:
            _git(("worktree", "add", "-q", "-b", self.tree.branch, str(self.tree.path), base), root)
            self.workspace.mkdir(parents=True, exist_ok=True)
            if not self.tree.git_dir.is_dir():
                raise WorktreeError("git put the working tree elsewhere")
        except (WorktreeError, OSError):
            self.drop()
            raise

    def uncommitted(self) -> int:
        """How many changes in the project are in no commit, and so not in this tree."""
        status = _git(("status", "--porcelain"), self.tree.repository)
        return len(status.splitlines())

    def diff(self) -> str:
        """All that the run changed, new files too, as a text to show; empty for nothing."""
        return clean(self._patch().decode("utf-8", "replace"))

    def protected(self) -> tuple[str, ...]:
        """The changed files that other programs run or obey."""
        names = self.tree.git("diff", "--cached", "--name-only", "-z", self.tree.base)
        return tuple(
            clean_line(name)
            for name in os.fsdecode(names).split("\0")
            if any(has_protected_name(part) for part in Path(name).parts)
        )

    def apply(self) -> None:
        """Make the same changes in the project, all or none, and remove the tree.

        Raises:
            WorktreeError: the project changed meanwhile so that they don't fit; the tree stays.
        """
        patch = self._patch()
        if patch:
            _git(("apply", "--whitespace=nowarn", "-"), self.tree.repository, patch)
        self.drop()

    def keep(self) -> str:
        """Commit the changes to the branch, remove the tree, and give the branch's name.

        Raises:
            WorktreeError: git fails; the tree stays.
        """
        _commit(self.tree)
        _remove(self.tree)
        self._release()
        return self.tree.branch

    def drop(self) -> None:
        """Remove the tree and its branch."""
        _remove(self.tree)
        with contextlib.suppress(WorktreeError):
            _git(("branch", "-q", "-D", self.tree.branch), self.tree.repository)
        self._release()

    def _patch(self) -> bytes:
        self.tree.git("add", "-A")
        plain = ("--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index")
        return self.tree.git("diff", "--cached", *plain, self.tree.base)

    def _release(self) -> None:
        if self._lock != -1:
            self._record.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1


def recover_worktrees() -> tuple[str, ...]:
    """Clear up what killed runs left: changes become branches, the rest goes."""
    said = []
    for record in sorted(_records().glob("*.json")):
        with contextlib.suppress(BlockingIOError, FileNotFoundError):
            lock = _take(record)
            try:
                if sentence := _recover(record):
                    said.append(sentence)
            finally:
                os.close(lock)
    return tuple(said)


def _recover(record: Path) -> str:
    try:
        tree = _read(record)
        kept = _commit(tree) if tree.path.is_dir() else False
        _remove(tree)
        if not kept:
            with contextlib.suppress(WorktreeError):
                _git(("branch", "-q", "-D", tree.branch), tree.repository)
    except (WorktreeError, ValueError, KeyError, TypeError) as error:
        return f"A working tree could not be cleared up ({clean_line(str(error))}): {record}."
    record.unlink(missing_ok=True)
    return f"What an interrupted run changed is kept as branch {tree.branch}." if kept else ""


def _commit(tree: Worktree) -> bool:
    """Commit what changed; whether there was anything."""
    tree.git("add", "-A")
    if not tree.git("diff", "--cached", "--name-only", tree.base):
        return False
    who = ("-c", "user.useConfigOnly=true")
    with contextlib.suppress(WorktreeError):
        tree.git(*who, "commit", "-q", "--no-verify", "-m", f"Changes of {tree.branch}")
        return True
    own = ("-c", "user.name=secretary-tui", "-c", "user.email=secretary-tui@localhost")
    tree.git(*own, "commit", "-q", "--no-verify", "-m", f"Changes of {tree.branch}")
    return True


def _remove(tree: Worktree) -> None:
    with contextlib.suppress(WorktreeError):
        _git(("worktree", "remove", "--force", "--force", str(tree.path)), tree.repository)
    shutil.rmtree(tree.path, ignore_errors=True)
    with contextlib.suppress(WorktreeError):
        _git(("worktree", "prune"), tree.repository)


def _records() -> Path:
    folder = paths.state_dir() / "worktrees"
    paths.make_private_folder(folder)
    return folder


def _take(record: Path) -> int:
    """Open a record and hold it.

    Raises:
        BlockingIOError: another process does.
    """
    handle = os.open(record, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    return handle


def _read(record: Path) -> Worktree:
    data = json.loads(record.read_text("utf-8"))
    folders = {name: Path(data[name]) for name in ("path", "repository", "git_dir")}
    if folders["path"].parent != paths.cache_dir() / "worktrees":
        raise WorktreeError("its record names a folder that is none of ours")
    return Worktree(branch=str(data["branch"]), base=str(data["base"]), **folders)


def _git(arguments: tuple[str, ...], folder: Path, data: bytes | None = None) -> bytes:
    environment = {**command_environment(), "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", *_SAFE, *arguments],
            cwd=folder,
            env=environment,
            input=data if data is not None else b"",
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorktreeError(f"git can't be run: {error}") from None
    if done.returncode != 0:
        said = clean_line(done.stderr.decode("utf-8", "replace"))[:300]
        raise WorktreeError(f"git says: {said}")
    return done.stdout
