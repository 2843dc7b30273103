"""`run --worktree`: the project stays as it is until somebody says otherwise."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.verbs.command_line import CLEAR_REQUEST, Finished, cli

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
WRITE = tool_use("Write", {"file_path": "guide.md", "content": "Read me.\n"})


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    done = subprocess.run(
        ["git", *named, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    return project


def run(folder: Path, *steps: object) -> Finished:
    with ScriptedServer(*steps) as server:  # type: ignore[arg-type]
        return cli(
            *("run", CLEAR_REQUEST, "--agent", "docs-writer", "--worktree", "--trust"),
            *("--permission-mode", "accept-edits"),
            cwd=folder,
            env={"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": server.url},
        )


def test_with_nobody_to_ask_the_changes_are_kept_as_a_branch(repository: Path) -> None:
    done = run(repository, answer(WRITE), answer(text("Written.")))
    assert done.status == 0, done.err
    assert done.out == "Written.\n"
    assert "+Read me." in done.err
    assert not (repository / "guide.md").exists()
    branch = done.err.rpartition("git merge ")[2].strip()
    assert branch.startswith("secretary/docs-writer-")
    assert git(repository, "show", f"{branch}:guide.md") == "Read me.\n"
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_a_run_that_changed_nothing_leaves_nothing(repository: Path) -> None:
    done = run(repository, answer(text("Nothing to do.")))
    assert done.status == 0, done.err
    assert "changed no files" in done.err
    assert "secretary/" not in git(repository, "branch")


def test_outside_of_a_repository_it_says_so_and_runs_nothing(project: Path) -> None:
    done = run(project)
    assert done.status == 1
    assert "not in a git repository" in done.err
