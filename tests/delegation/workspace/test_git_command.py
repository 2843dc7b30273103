"""git is run in one way only, and that way starts nothing that a configuration names."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import secretary_tui
from secretary_tui.delegation.brief.environment import environment_facts
from secretary_tui.delegation.workspace.git_command import GitError, git_call, run
from secretary_tui.delegation.worktree.worktree import OwnTree, WorktreeError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    done = subprocess.run(
        ["git", *named, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repository(workspace: Path) -> Path:
    git(workspace, "init", "-q")
    (workspace / "a.txt").write_text("one\n")
    (workspace / ".gitattributes").write_text("*.txt filter=evil\n")
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "first")
    return workspace


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """Stands there when a program was started."""
    return tmp_path / "sprung"


@pytest.fixture
def program(tmp_path: Path, mark: Path) -> Path:
    path = tmp_path / "evil.sh"
    path.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("part", ["clean", "smudge", "process"])
def test_no_filter_runs_wherever_it_is_named(
    repository: Path, program: Path, mark: Path, part: str
) -> None:
    plain = repository.parent / "inc"
    plain.write_text(f'[filter "evil"]\n\t{part} = {program}\n\trequired = true\n')
    for condition in ("gitdir:**/worktrees/**", "onbranch:secretary/**", "gitdir:**"):
        git(repository, "config", f"includeIf.{condition}.path", str(plain))
    git(repository, "config", f"filter.other.{part}", str(program))
    run(git_call(repository, "status", "--porcelain"))
    (repository / "a.txt").write_text("two\n")
    asyncio.run(environment_facts(repository))
    assert not mark.exists()
    (repository / "a.txt").write_text("one\n")
    settings = repository / ".git" / "config"
    before = settings.read_text()
    tree = OwnTree(repository, "critic", "run-1")
    assert (tree.workspace / "a.txt").read_text() == "one\n"
    (tree.workspace / "a.txt").write_text("two\n")
    tree.uncommitted()
    assert "+two" in tree.diff()
    assert tree.filtered() == ("a.txt",)
    tree.apply()
    assert (repository / "a.txt").read_text() == "two\n"
    tree = OwnTree(repository, "critic", "run-2")
    (tree.workspace / "new.txt").write_text("new\n")
    branch = tree.keep()
    assert settings.read_text() == before
    assert not mark.exists()
    assert git(repository, "show", f"{branch}:new.txt") == "new\n"


@pytest.mark.parametrize("way", ["ext", "file", "vcs"])
@pytest.mark.parametrize("lazily", [True, False])
def test_a_missing_object_is_fetched_from_nowhere(
    repository: Path,
    program: Path,
    mark: Path,
    way: str,
    lazily: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if lazily:
        # Before git 2.44 (2.39.4) it doesn't know the variable: the protocols hold alone.
        monkeypatch.setattr(
            "secretary_tui.delegation.workspace.git_command._QUIET", {"GIT_ALLOW_PROTOCOL": "none"}
        )
    blob = git(repository, "rev-parse", "HEAD:a.txt").strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    url = f"ext::{program}" if way == "ext" else str(repository)
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", url),
        ("remote.origin.uploadpack", str(program)),
        ("protocol.ext.allow", "always"),
        ("protocol.file.allow", "always"),
    ):
        git(repository, "config", key, value)
    if way == "vcs":
        git(repository, "config", "remote.origin.vcs", "ext")
        git(repository, "config", "remote.origin.url", str(program))
    with pytest.raises(WorktreeError):
        OwnTree(repository, "critic", "run-1")
    with pytest.raises(GitError):
        run(git_call(repository, "show", "HEAD:a.txt"))
    assert not mark.exists()


def test_a_repository_in_the_repository_starts_nothing_either(
    repository: Path, program: Path, mark: Path
) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "x").write_text("x")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "inner")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "with a module")
    git(inner, "commit", "-q", "--allow-empty", "-m", "more")
    git(inner, "config", "core.fsmonitor", str(program))
    (inner / "x").write_text("y")
    tree = OwnTree(repository, "critic", "run-1")
    tree.uncommitted()
    asyncio.run(environment_facts(repository))
    # What an agent could lay down where the module belongs.
    shutil.copytree(inner, tree.tree.path / "inner", dirs_exist_ok=True)
    (tree.workspace / "a.txt").write_text("two\n")
    assert "inner" not in tree.diff()
    tree.keep()
    assert not mark.exists()


def test_hooks_by_name_are_refused(repository: Path, program: Path) -> None:
    git(repository, "config", "hook.evil.command", str(program))
    with pytest.raises(WorktreeError, match="hooks that can't be switched off"):
        OwnTree(repository, "critic", "run-1")


def test_nothing_else_in_the_program_makes_a_command_line_of_git() -> None:
    root = Path(secretary_tui.__file__).parent
    makers = {
        path.name
        for path in root.rglob("*.py")
        if re.search(r'"git",\s*(?:\*_[A-Z]|"-)', path.read_text("utf-8"))
    }
    assert makers == {"git_command.py"}
