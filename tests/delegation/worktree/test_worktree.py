"""A run in a working tree of its own touches the project only when that was wanted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.delegation.undo.change_journal import JournalStep
from secretary_tui.delegation.undo.file_states import ABSENT, FileState, PlaceKind
from secretary_tui.delegation.undo.restoring import Undo
from secretary_tui.delegation.undo.undo_store import UndoStore
from secretary_tui.delegation.worktree.worktree import OwnTree, WorktreeError, recover_worktrees

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *named, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repository(workspace: Path) -> Path:
    git(workspace, "init", "-q")
    (workspace / "a.txt").write_text("one\ntwo\n")
    (workspace / "sub").mkdir()
    (workspace / "sub" / "b.txt").write_text("b\n")
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "first")
    return workspace


def changed(tree: OwnTree) -> None:
    (tree.tree.path / "a.txt").write_text("one\nthree\n")
    (tree.tree.path / "ü.txt").write_text("ü\n")
    (tree.tree.path / "new.bin").write_bytes(bytes(range(256)))
    (tree.tree.path / "sub" / "b.txt").unlink()


def nothing_left(repository: Path) -> bool:
    trees = git(repository, "worktree", "list").splitlines()
    records = list((paths.state_dir() / "worktrees").glob("*"))
    return len(trees) == 1 and not records and not list((paths.cache_dir() / "worktrees").iterdir())


def test_changes_are_shown_and_applied_all_at_once(repository: Path) -> None:
    tree = OwnTree(repository, "code: critic", "20260101-000000-abcdef12")
    assert not tree.tree.path.is_relative_to(repository)
    assert tree.diff() == ""
    changed(tree)
    assert (repository / "a.txt").read_text() == "one\ntwo\n"
    assert "+three" in tree.diff()
    assert "new.bin" in tree.diff()
    assert "b/ü.txt" in tree.diff()
    (repository / "c.txt").write_text("mine, uncommitted")
    assert tree.uncommitted() == 1
    tree.apply()
    assert (repository / "a.txt").read_text() == "one\nthree\n"
    assert (repository / "new.bin").read_bytes() == bytes(range(256))
    assert not (repository / "sub" / "b.txt").exists()
    assert (repository / "c.txt").read_text() == "mine, uncommitted"
    assert nothing_left(repository)
    assert "secretary/" not in git(repository, "branch")


def test_what_does_not_fit_any_more_is_not_applied_and_not_lost(repository: Path) -> None:
    tree = OwnTree(repository, "critic", "run-1")
    changed(tree)
    tree.diff()
    (repository / "a.txt").write_text("mine\n")
    with pytest.raises(WorktreeError, match="git says"):
        tree.apply()
    assert (repository / "a.txt").read_text() == "mine\n"
    assert not (repository / "new.bin").exists()
    branch = tree.keep()
    assert git(repository, "show", f"{branch}:a.txt") == "one\nthree\n"
    assert nothing_left(repository)


def test_what_was_written_after_the_diff_was_shown_is_not_applied(repository: Path) -> None:
    tree = OwnTree(repository, "coder", "20260101-000000-abcdef12")
    changed(tree)
    tree.diff()
    (tree.tree.path / ".envrc").write_text("evil\n")
    with pytest.raises(WorktreeError, match="after the diff was shown"):
        tree.apply()
    assert (repository / "a.txt").read_text() == "one\ntwo\n"
    assert not (repository / ".envrc").exists()
    assert ".envrc" in git(repository, "show", "--stat", tree.keep())


def test_undoing_after_applying_touches_what_was_applied_alone(repository: Path) -> None:
    """What git ignores did not come with the changes: the project's own file of that name stays."""
    (repository / ".gitignore").write_text("dist/\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "ignore")
    (repository / "dist").mkdir()
    (repository / "dist" / "app.js").write_text("built\n")
    tree = OwnTree(repository, "coder", "20260101-000000-abcdef12")
    journal = UndoStore("r1")
    journal.append({"root": str(tree.workspace)})
    for name, after in (("dist/app.js", b"built\n"), ("made/b.txt", b"b\n")):
        (tree.workspace / name).parent.mkdir()
        (tree.workspace / name).write_bytes(after)
        left = FileState(PlaceKind.FILE, 0o644, journal.keep(after), len(after))
        folder = FileState(PlaceKind.FOLDER, 0o755)
        journal.append(JournalStep(str(Path(name).parent), ABSENT, folder, "Bash", "c").to_json())
        journal.append(JournalStep(name, ABSENT, left, "Bash", "c").to_json())
    tree.diff()
    applied = tree.apply()
    assert applied == ("made/b.txt",)
    journal.append({"root": str(repository), "only": applied})
    Undo.of("r1").restore_all()
    assert not (repository / "made").exists()
    assert (repository / "dist" / "app.js").read_text() == "built\n"


def test_dropping_leaves_nothing(repository: Path) -> None:
    tree = OwnTree(repository / "sub", "critic", "run-1")
    assert tree.workspace == tree.tree.path / "sub"
    changed(tree)
    tree.drop()
    assert nothing_left(repository)
    assert "secretary/" not in git(repository, "branch")


def test_protected_files_among_the_changes_are_named(repository: Path) -> None:
    tree = OwnTree(repository, "critic", "run-1")
    told = {".envrc", "sub/.MCP.json", "sub/claude.md", "CLAUDE.local.md", "rules.md", "sub/HEAD"}
    for name in (*told, "fine.txt"):
        (tree.tree.path / name).write_text("x")
    (tree.tree.path / "CLAUDE.local.md").write_text("Read @rules.md first.\n")
    tree.diff()
    assert set(tree.protected()) == told
    tree.drop()


def test_git_s_and_claude_s_own_files_are_named_first(repository: Path) -> None:
    tree = OwnTree(repository, "critic", "run-1")
    for name in ("a/.envrc", "z/.claude/settings.json"):
        (tree.tree.path / name).parent.mkdir(parents=True)
        (tree.tree.path / name).write_text("x")
    tree.diff()
    assert tree.protected() == ("z/.claude/settings.json", "a/.envrc")
    tree.drop()


def test_what_a_killed_run_changed_is_kept_as_a_branch(repository: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from secretary_tui.delegation.worktree.worktree import OwnTree\n"
        "for name in ('changed-1', 'same-2'):\n"
        "    tree = OwnTree(Path(sys.argv[1]), 'critic', name)\n"
        "    if name == 'changed-1': (tree.tree.path / 'a.txt').write_text('late')\n"
        "    globals()[name] = tree\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, repository], check=False)
    living = OwnTree(repository, "critic", "living-3")
    (sentence,) = recover_worktrees()
    branch = sentence.removesuffix(".").rpartition(" ")[2]
    assert git(repository, "show", f"{branch}:a.txt") == "late"
    assert living.tree.path.is_dir()
    living.drop()
    assert nothing_left(repository)
    assert recover_worktrees() == ()
    assert git(repository, "branch", "--list", "secretary/*").split() == [branch]


def test_a_record_that_names_the_folder_above_removes_nothing(repository: Path) -> None:
    kept = paths.worktrees_dir().parent / "kept"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("kept")
    record = paths.state_dir() / "worktrees" / "x.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    folders = {"repository": str(repository), "git_dir": str(repository / ".git")}
    above = {"path": f"{paths.worktrees_dir()}/..", "branch": "b", "base": "HEAD", **folders}
    record.write_text(json.dumps(above))
    assert "none of ours" in recover_worktrees()[0]
    assert kept.read_text() == "kept"


def test_neither_hooks_nor_a_changed_pointer_are_obeyed(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    for name in ("post-checkout", "pre-commit", "post-commit", "commit-msg"):
        hook = repository / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {trap}\n")
        hook.chmod(0o755)
    tree = OwnTree(repository, "critic", "run-1")
    evil = tree.tree.path / "evil.git"
    git(tree.tree.path, "init", "-q", "--bare", str(evil))
    with (evil / "config").open("a") as file:
        file.write(f"[core]\n\tfsmonitor = touch {trap}\n\tbare = false\n")
    (tree.tree.path / ".git").write_text(f"gitdir: {evil}\n")
    tree.diff()
    tree.keep()
    assert not trap.exists()


def test_without_a_repository_or_a_commit_it_says_so(workspace: Path) -> None:
    with pytest.raises(WorktreeError, match="not in a git repository"):
        OwnTree(workspace, "critic", "run-1")
    git(workspace, "init", "-q")
    with pytest.raises(WorktreeError, match="git says"):
        OwnTree(workspace, "critic", "run-1")
    assert "secretary" not in git(workspace, "branch", "--list")
