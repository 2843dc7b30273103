"""A run in a working tree of its own: a fresh checkout of the last commit, outside of the project.

What the run changed is a diff at its end, to apply, to keep as a branch, or to drop. Every tree has
a record in the state folder and a lock that its process holds, so what a kill left behind is found
by the next run of this kind: changes are kept as a branch, the rest is removed.

git runs with the record's own folders and starts no program (`git_command`): nothing that the agent
wrote says where git looks, and no filter runs, which may be a script that the agent changed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.workspace.git_command import GitError, filters_of, git_call
from secretary_tui.delegation.workspace.git_command import run as run_git
from secretary_tui.delegation.workspace.instructions import instruction_files
from secretary_tui.delegation.workspace.protected import (
    GIT_HEAD,
    INSTRUCTION_NAMES,
    has_protected_name,
)
from secretary_tui.sanitize import clean, clean_line

_OBEYED = (*INSTRUCTION_NAMES, GIT_HEAD.casefold())
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color")


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
        return _git(arguments, self.path, data, where)


class OwnTree:
    """The working tree of a run under way: made at once, released by one of its endings."""

    def __init__(self, project: Path, agent: str, run_id: str) -> None:
        """Make the tree.

        Raises:
            WorktreeError: the project is no repository with a commit, or git fails.
        """
        root = Path(os.path.realpath(paths.repository_root(project)))
        if not can_have_own_tree(project):
            raise WorktreeError(f"{paths.shown(project)} is not in a git repository")
        base = _git(("rev-parse", "--verify", "HEAD^{commit}"), root).decode().strip()
        common = _git(("rev-parse", "--path-format=absolute", "--git-common-dir"), root)
        agent = re.sub(r"[^A-Za-z0-9]+", "-", agent).strip("-")[:40] or "agent"
        name = f"{agent}-{run_id[-11:]}"
        folder = paths.worktrees_dir()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.tree = Worktree(
            folder / name,
            f"secretary/{name}",
            base,
            root,
            Path(os.fsdecode(common).strip()) / "worktrees" / name,
        )
        self._shown = ""
        """git's name of all that the last diff showed."""
        self._record = _records() / f"{name}.json"
        self._lock = _take(self._record)
        os.write(self._lock, json.dumps(asdict(self.tree), default=str).encode())
        inside = Path(os.path.realpath(project)).relative_to(root)
        self.workspace = self.tree.path / inside
        try:
            # Files come in a second step, so that filters are looked up where the files will lie.
            add = ("worktree", "add", "-q", "--no-checkout", "-b", self.tree.branch)
            _git((*add, str(self.tree.path), base), root)
            if not self.tree.git_dir.is_dir():
                raise WorktreeError("git put the working tree elsewhere")
            self.tree.git("read-tree", "--reset", "-u", base)
            self.workspace.mkdir(parents=True, exist_ok=True)
        except (WorktreeError, OSError):
            self.drop()
            raise

    def uncommitted(self) -> int:
        """How many changes in the project are in no commit, and so not in this tree."""
        status = _git(("status", "--porcelain", "--ignore-submodules=all"), self.tree.repository)
        return len(status.splitlines())

    def diff(self) -> str:
        """All that the run changed, new files too, as a text to show; empty for nothing."""
        self._shown = _stage(self.tree)
        said = self.tree.git("diff", *_PLAIN, self.tree.base, self._shown)
        return clean(said.decode("utf-8", "replace"))

    def protected(self) -> tuple[str, ...]:
        """The changed files that other programs or later runs obey; git's and Claude's first."""
        obeyed = {os.path.realpath(found.path) for found in instruction_files(self.workspace)}
        found = [
            name
            for name in self._changed()
            if any(has_protected_name(part) for part in Path(name).parts)
            or Path(name).name.casefold() in _OBEYED
            or os.path.realpath(self.tree.path / name) in obeyed
        ]
        return tuple(clean_line(name) for name in sorted(found, key=_harmless_last))

    def filtered(self) -> tuple[str, ...]:
        """The changed files that a filter would change, as they are here without it."""
        names = "".join(f"{name}\0" for name in self._changed())
        said = self.tree.git("check-attr", "--stdin", "-z", "filter", data=os.fsencode(names))
        return tuple(clean_line(name) for name in filters_of(os.fsdecode(said)))

    def apply(self) -> tuple[str, ...]:
        """Make the changes that `diff` showed in the project, all or none, and remove the tree.

        Gives the changed files below the project, as it names them.

        Raises:
            WorktreeError: the project changed meanwhile so that they don't fit, or the tree did,
                by a program that outlived the run; the tree stays.
        """
        if _stage(self.tree) != self._shown:
            raise WorktreeError("its files changed after the diff was shown")
        whole = (*_PLAIN, "--binary", "--full-index")
        if patch := self.tree.git("diff", *whole, self.tree.base, self._shown):
            try:
                _git(("apply", "--whitespace=nowarn", "-"), self.tree.repository, patch)
            except WorktreeError as error:
                raise WorktreeError(f"it doesn't fit the project any more: {error}") from None
        inside = self.workspace.relative_to(self.tree.path)
        changed = [Path(name) for name in self._changed()]
        self.drop()
        return tuple(
            str(path.relative_to(inside)) for path in changed if path.is_relative_to(inside)
        )

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

    def _changed(self) -> list[str]:
        names = self.tree.git(
            *("diff", "--cached", "--name-only", "--no-renames", "-z", self.tree.base)
        )
        return [name for name in os.fsdecode(names).split("\0") if name]

    def _release(self) -> None:
        if self._lock != -1:
            self._record.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1


def can_have_own_tree(project: Path) -> bool:
    """Whether the project is in a git repository, and git is there to make a tree of it."""
    return shutil.which("git") is not None and (paths.repository_root(project) / ".git").exists()


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


def _stage(tree: Worktree) -> str:
    """Take up all changes but those of submodules: git would start another git in each of them.

    Gives git's name of all that is there then.
    """
    listed = os.fsdecode(tree.git("ls-files", "--stage", "-z")).split("\0")
    modules = [line.partition("\t")[2] for line in listed if line.startswith("160000 ")]
    tree.git("add", "-A", "--", ":/", *(f":(exclude,top,literal){name}" for name in modules))
    return tree.git("write-tree").decode().strip()


def _harmless_last(name: str) -> bool:
    return {".git", ".claude"}.isdisjoint(part.casefold() for part in Path(name).parts)


def _commit(tree: Worktree) -> bool:
    """Commit all changes; False when there were none."""
    _stage(tree)
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
    if folders["path"].parent != paths.worktrees_dir() or folders["path"].name == "..":
        raise WorktreeError("its record names a folder that is none of ours")
    return Worktree(branch=str(data["branch"]), base=str(data["base"]), **folders)


def _git(
    arguments: tuple[str, ...],
    folder: Path,
    data: bytes | None = None,
    where: tuple[str, ...] = (),
) -> bytes:
    try:
        readable = ("-c", "core.quotePath=false", *where)
        return run_git(git_call(folder, *arguments, where=readable), data or b"")
    except GitError as error:
        raise WorktreeError(str(error)) from None
