"""`run --worktree`: the project stays as it is until somebody says otherwise."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pexpect
import pytest

from secretary_tui.delegation.permissions.folder_trust import forget, is_trusted
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.verbs.command_line import CLEAR_REQUEST, Finished, cli, environment

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


def test_an_agent_whose_file_asks_for_a_tree_gets_one_unless_told_otherwise(
    repository: Path,
) -> None:
    own = "---\nname: isolated\ndescription: Writes guides.\nisolation: worktree\n---\nWrite.\n"
    (repository / ".claude/agents").mkdir(parents=True, exist_ok=True)
    (repository / ".claude/agents/isolated.md").write_text(own)
    for options, is_written in (((), False), (("--no-worktree",), True)):
        with ScriptedServer(answer(WRITE), answer(text("Written."))) as server:
            done = cli(
                *("run", "write a guide", "--agent", "isolated", "--trust", *options),
                *("--permission-mode", "accept-edits"),
                cwd=repository,
                env={"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": server.url},
            )
        assert done.status == 0, done.err
        assert (repository / "guide.md").exists() == is_written
        assert ("Kept as branch" in done.err) != is_written


def spawn(folder: Path, server: ScriptedServer, *options: str) -> pexpect.spawn[str]:
    env: Mapping[str, str] = environment(
        {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": server.url}
    )
    return pexpect.spawn(
        sys.executable,
        ["-m", "secretary_tui", "run", "go", "--agent", "docs-writer", "--worktree", *options],
        cwd=str(folder),
        env=env,  # type: ignore[arg-type]
        dimensions=(30, 400),
        encoding="utf-8",
        timeout=60,
    )


def with_filter(repository: Path, program: str) -> None:
    """Let git send each page through a program."""
    (repository / ".gitattributes").write_text("*.md filter=format\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "format")
    for part in ("clean", "smudge"):
        git(repository, "config", f"filter.format.{part}", program)


@pytest.mark.e2e
@pytest.mark.parametrize(("key", "status"), [("r", 5), ("q", 5), ("t", 0)])
def test_row_27_a_working_tree_starts_nothing_of_a_clone_and_needs_trust(
    repository: Path, tmp_path: Path, key: str, status: int
) -> None:
    forget(repository)
    trap = tmp_path / "sprung"
    with_filter(repository, f"sh -c 'touch {trap}; cat'")
    with ScriptedServer(answer(text("done")), repeat_last=True) as server:
        child = spawn(repository, server)
        child.expect("Do you trust")
        child.expect("q run nothing")
        child.sendline(key)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == status, child.before
        assert bool(server.requests) == (key == "t")
    assert is_trusted(repository) == (key == "t")
    assert not trap.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_row_27_a_filter_that_the_agent_rewrote_is_not_run(
    repository: Path, tmp_path: Path
) -> None:
    trap = tmp_path / "sprung"
    script = repository / "format.sh"
    script.write_text("#!/bin/sh\ncat\n")
    script.chmod(0o755)
    with_filter(repository, "./format.sh")
    evil = f"#!/bin/sh\ntouch {trap}\ncat\n"
    calls = (WRITE, tool_use("Write", {"file_path": "format.sh", "content": evil}))
    done = run(repository, answer(*calls), answer(text("done")))
    assert done.status == 0, done.err
    branch = done.err.rpartition("git merge ")[2].strip()
    assert git(repository, "show", f"{branch}:format.sh") == evil
    assert not trap.exists()


@pytest.mark.e2e
def test_row_28_a_ninth_protected_file_is_not_hidden(repository: Path) -> None:
    names = [f"a{number}/.envrc" for number in range(9)] + ["z/.claude/settings.json"]
    calls = [tool_use("Write", {"file_path": name, "content": "x"}) for name in names]
    with ScriptedServer(answer(*calls), answer(text("done"))) as server:
        child = spawn(repository, server, "--trust")
        for _ in names:
            child.expect("deny: ")
            child.sendline("y")
        child.expect("Other programs or later runs obey what stands in ")
        child.expect(r"z/\.claude/settings\.json, a0/\.envrc.* and 2 more\.")
        child.sendline("d")
        child.expect(pexpect.EOF)
        child.close()
