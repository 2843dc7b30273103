"""GitCommit: what was shown is committed, nothing else, and the repository starts no program."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.events import RunStarted, ToolFinished
from secretary_tui.people import ToolAnswer, ToolDecision
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

AGENT = {"tools": ("Read", "Bash")}
Git = Callable[..., str]


@pytest.fixture
def git(workspace: Path) -> Git:
    """A repository with one commit."""

    def run(*arguments: str, at: Path = workspace) -> str:
        names = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
        done = subprocess.run(
            ["git", *names, *arguments], cwd=at, check=True, capture_output=True, text=True
        )
        return done.stdout

    run("init", "-q", "-b", "main")
    run("config", "user.name", "Somebody")
    run("config", "user.email", "somebody@example.org")
    (workspace / "a.txt").write_text("one\n")
    (workspace / "gone.txt").write_text("old\n")
    run("add", ".")
    run("commit", "-q", "-m", "First")
    return run


async def commit(
    runner: Runner,
    *paths: str,
    message: str = "Say two\n\nBecause.",
    person: ScriptedPerson | None = None,
    **fields: Any,
) -> ToolFinished:
    call = tool_use("GitCommit", {"message": message, "paths": list(paths)})
    with ScriptedServer(answer(call), answer(text("ok"))) as server:
        events = await runner.run(
            server,
            person or ScriptedPerson(ToolDecision.ONCE),
            **{"agent": AGENT, **fields},
        )
    return only(events, ToolFinished)[0]


async def test_the_named_files_are_committed_and_the_rest_stays(runner: Runner, git: Git) -> None:
    place = runner.workspace
    (place / "a.txt").write_text("one\ntwo\n")
    (place / "new").mkdir()
    (place / "new" / "ü b.txt").write_text("new\n")
    (place / "gone.txt").unlink()
    (place / "other.txt").write_text("not this\n")
    git("add", "other.txt")
    person = ScriptedPerson(ToolDecision.ONCE)
    end = await commit(runner, "a.txt", "new", "gone.txt", person=person)
    assert not end.is_error, end.output
    assert git("log", "-1", "--format=%B").strip() == "Say two\n\nBecause."
    files = git("-c", "core.quotePath=false", "show", "--format=", "--name-status", "HEAD")
    assert sorted(files.split("\n")[:-1]) == ["A\tnew/ü b.txt", "D\tgone.txt", "M\ta.txt"]
    assert git("status", "--porcelain") == "A  other.txt\n"
    (request,) = person.requests
    assert request.summary == "Say two"
    assert request.detail.startswith("Say two\n\nBecause.\n\n")
    for line in ("changed  a.txt", "deleted  gone.txt", "new      new/ü b.txt"):
        assert line in request.detail
    assert "2 files changed" in request.detail
    assert any("hooks don't run" in warning for warning in request.warnings)


async def test_the_first_commit_of_a_repository(runner: Runner, git: Git) -> None:
    empty = runner.workspace / "sub"
    empty.mkdir()
    git("init", "-q", at=empty)
    git("config", "user.name", "S", at=empty)
    git("config", "user.email", "s@example.org", at=empty)
    (empty / "x").write_text("x")
    end = await commit(runner, "x", workspace=empty)
    assert not end.is_error, end.output
    assert git("log", "--format=%s", at=empty) == "Say two\n"


async def test_from_a_folder_deep_in_the_repository_only_that_folder_is_committed(
    runner: Runner, git: Git
) -> None:
    deep = runner.workspace / "deep" / "er"
    deep.mkdir(parents=True)
    (deep / "x").write_text("x")
    (runner.workspace / "a.txt").write_text("changed")
    end = await commit(runner, ".", workspace=deep)
    assert not end.is_error, end.output
    assert git("show", "--format=", "--name-only", "HEAD") == "deep/er/x\n"
    refused = await commit(runner, "../../a.txt", workspace=deep)
    assert "outside the workspace" in refused.output


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "/etc/passwd",
        ".git/config",
        ".GIT",
        "link/x",
        ":(top)..",
        "a.txt\x00",
        "-a",
        "--all",
    ],
)
async def test_paths_outside_and_magic_are_refused(runner: Runner, git: Git, path: str) -> None:
    (runner.workspace / "a.txt").write_text("two")
    (runner.workspace / "link").symlink_to(runner.workspace.parent)
    person = ScriptedPerson()
    end = await commit(runner, path, person=person)
    assert end.is_error
    assert person.requests == []
    assert git("log", "--format=%s") == "First\n"


def trap(place: Path, name: str) -> tuple[Path, Path]:
    """A program that leaves a mark when it runs."""
    mark, program = place.parent / f"{name}-ran", place.parent / name
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    return program, mark


@pytest.mark.parametrize(
    "hook",
    ["pre-commit", "commit-msg", "post-commit", "prepare-commit-msg", "post-index-change",
     "reference-transaction"],
)  # fmt: skip
async def test_hooks_of_the_repository_do_not_run(runner: Runner, git: Git, hook: str) -> None:
    program, mark = trap(runner.workspace, "evil")
    program.replace(runner.workspace / ".git" / "hooks" / hook)
    (runner.workspace / "a.txt").write_text("two")
    assert not (await commit(runner, "a.txt")).is_error
    assert not mark.exists()
    assert git("log", "-1", "--format=%s") == "Say two\n"


@pytest.mark.parametrize(
    "key",
    [
        *("core.fsmonitor", "core.pager", "core.editor", "gpg.program", "core.sshCommand"),
        *("diff.external", "core.askPass", "sequence.editor", "pager.log", "pager.status"),
        *("alias.status", "alias.commit", "trailer.sign.command", "log.showSignature"),
    ],
)
async def test_programs_in_the_configuration_do_not_run(runner: Runner, git: Git, key: str) -> None:
    program, mark = trap(runner.workspace, "evil")
    git("config", key, f"!{program}" if key.startswith("alias") else str(program))
    if key in ("gpg.program", "log.showSignature"):
        git("config", "commit.gpgSign", "true")
        git("config", "log.showSignature", "true")
        git("config", "gpg.program", str(program))
    (runner.workspace / "a.txt").write_text("two")
    end = await commit(runner, "a.txt")
    assert not end.is_error, end.output
    assert not mark.exists()


@pytest.mark.parametrize("kind", ["clean", "process"])
async def test_a_file_with_a_filter_is_left_to_the_user(
    runner: Runner, git: Git, kind: str
) -> None:
    program, mark = trap(runner.workspace, "evil")
    (runner.workspace / ".gitattributes").write_text("*.txt filter=evil diff=evil\n")
    git("config", f"filter.evil.{kind}", str(program))
    git("config", f"filter.e=vil.x.{kind}", str(program))
    (runner.workspace / "a.txt").write_text("two")
    git("config", "diff.evil.textconv", str(program))
    (runner.workspace / "b.txt").write_text("two")
    person = ScriptedPerson()
    end = await commit(runner, "b.txt", person=person)
    assert "goes through the filter 'evil'" in end.output
    assert person.requests == []
    assert not mark.exists()


async def test_hooks_in_the_configuration_are_left_to_the_user(runner: Runner, git: Git) -> None:
    program, mark = trap(runner.workspace, "evil")
    git("config", "hook.evil.command", str(program))
    git("config", "hook.evil.event", "pre-commit")
    (runner.workspace / "a.txt").write_text("two")
    end = await commit(runner, "a.txt")
    assert "hooks that can't be switched off" in end.output
    assert not mark.exists()


async def test_another_work_tree_in_the_configuration_is_refused(runner: Runner, git: Git) -> None:
    elsewhere = runner.workspace.parent / "elsewhere"
    elsewhere.mkdir()
    git("config", "core.worktree", str(elsewhere))
    (runner.workspace / "a.txt").write_text("two")
    assert (await commit(runner, "a.txt")).is_error


async def test_variables_of_git_are_not_passed_on(
    runner: Runner, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, mark = trap(runner.workspace, "evil")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(program))
    (runner.workspace / "a.txt").write_text("two")
    end = await commit(runner, "a.txt")
    assert not end.is_error, end.output
    assert not mark.exists()


async def test_refused_by_the_user_nothing_changes(runner: Runner, git: Git) -> None:
    (runner.workspace / "new.txt").write_text("two")
    person = ScriptedPerson(ToolAnswer(ToolDecision.DENY, "not yet"))
    end = await commit(runner, "new.txt", person=person)
    assert "not yet" in end.output
    assert git("status", "--porcelain") == "?? new.txt\n"


async def test_what_changed_while_the_user_was_reading_is_not_committed(
    runner: Runner, git: Git
) -> None:
    (runner.workspace / "a.txt").write_text("two")
    person = ScriptedPerson(ToolDecision.ONCE)
    person.on_ask = lambda _: (runner.workspace / "a.txt").unlink()
    end = await commit(runner, "a.txt", person=person)
    assert "changed while the user was reading" in end.output
    assert git("log", "--format=%s") == "First\n"


@pytest.mark.parametrize("name", ["a.txt", "new.txt", "link"])
async def test_other_content_of_the_same_size_is_not_committed(
    runner: Runner, git: Git, name: str
) -> None:
    place = runner.workspace / name
    if name == "link":
        place.symlink_to("good")
    else:
        place.write_text("good\n")

    def swap(_: object) -> None:
        place.unlink()
        if name == "link":
            place.symlink_to("evil")
        else:
            place.write_text("evil\n")

    person = ScriptedPerson(ToolDecision.ONCE)
    person.on_ask = swap
    end = await commit(runner, name, person=person)
    assert "changed while the user was reading" in end.output
    assert git("log", "--format=%s") == "First\n"


@pytest.mark.parametrize("url", ["ext::{}", "{}"])
async def test_a_missing_object_is_not_fetched_by_a_program_of_the_repository(
    runner: Runner, git: Git, url: str
) -> None:
    program, mark = trap(runner.workspace, "evil")
    blob = git("rev-parse", "HEAD:a.txt").strip()
    (runner.workspace / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", url.format(program)),
        ("remote.origin.uploadpack", str(program)),
        ("protocol.ext.allow", "always"),
        ("protocol.file.allow", "always"),
    ):
        git("config", key, value)
    (runner.workspace / "a.txt").write_text("two")
    person = ScriptedPerson(ToolDecision.ONCE)
    asked: list[bool] = []
    person.on_ask = lambda _: asked.append(mark.exists())
    await commit(runner, "a.txt", person=person)
    assert True not in asked
    assert not mark.exists()


@pytest.mark.parametrize("rule", ["Bash(git commit:*)", "Bash(git:*)", "Bash", "GitCommit"])
async def test_a_rule_against_commits_by_bash_holds_here_too(
    runner: Runner, git: Git, home: Path, rule: str
) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(f'{{"permissions": {{"deny": ["{rule}"]}}}}')
    (runner.workspace / "a.txt").write_text("two")
    person = ScriptedPerson()
    assert (await commit(runner, "a.txt", person=person)).is_error
    assert person.requests == []


@pytest.mark.parametrize("mode", [PermissionMode.PLAN, PermissionMode.DENY])
async def test_reading_runs_commit_nothing(runner: Runner, git: Git, mode: PermissionMode) -> None:
    (runner.workspace / "a.txt").write_text("two")
    assert (await commit(runner, "a.txt", permission_mode=mode)).is_error


async def test_nothing_changed_and_no_message_are_sentences(runner: Runner, git: Git) -> None:
    assert "nothing to commit" in (await commit(runner, "a.txt")).output
    assert "message is empty" in (await commit(runner, "a.txt", message=" \x1b[2J ")).output


async def test_without_a_repository_the_tool_is_not_there(runner: Runner) -> None:
    with ScriptedServer(answer(text("ok"))) as server:
        events = await runner.run(server, agent=AGENT)
    assert only(events, RunStarted)[0].tools == ("Read", "Bash")


async def test_an_agent_without_bash_cannot_commit(runner: Runner, git: Git) -> None:
    (runner.workspace / "a.txt").write_text("two")
    end = await commit(runner, "a.txt", agent={"tools": ("Read", "Write", "Bash(git log:*)")})
    assert "no tool 'GitCommit'" in end.output
