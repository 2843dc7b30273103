"""Nothing is read or written outside the workspace, however the path is spelled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.events import ToolFinished
from secretary_tui.people import ToolDecision
from tests.delegation import pictures
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use


@pytest.fixture
def secret(tmp_path: Path, workspace: Path) -> Path:
    """A file outside, a link to its folder inside, and a neighbour with a similar name."""
    folder = tmp_path / "outside"
    folder.mkdir()
    file = folder / "id_rsa"
    file.write_text("PRIVATE KEY")
    (workspace / "link").symlink_to(folder)
    (workspace / "dangling").symlink_to(folder / "new")
    (tmp_path / "work-evil").mkdir()
    (tmp_path / "work-evil" / "x").write_text("PRIVATE KEY")
    return file


ESCAPES: list[tuple[str, dict[str, Any]]] = [
    ("Read", {"file_path": "link/id_rsa"}),
    ("Read", {"file_path": "../outside/id_rsa"}),
    ("Read", {"file_path": "link/../../outside/id_rsa"}),
    ("Read", {"file_path": "../work-evil/x"}),
    ("Read", {"file_path": "~/x"}),
    ("Read", {"file_path": "a\x00b"}),
    ("Read", {"file_path": "/proc/self/environ"}),
    ("Read", {"file_path": "/proc/self/root/etc/passwd"}),
    ("Read", {"file_path": "/etc/passwd"}),
    ("Grep", {"pattern": "KEY", "path": "link"}),
    ("Glob", {"pattern": "*", "path": "link"}),
    ("Glob", {"pattern": "../outside/*"}),
    ("Edit", {"file_path": "link/id_rsa", "old_string": "KEY", "new_string": "x"}),
    ("Write", {"file_path": "link/id_rsa", "content": "x"}),
    ("Write", {"file_path": "dangling", "content": "x"}),
    ("Write", {"file_path": "../new", "content": "x"}),
]


@pytest.mark.parametrize(("tool", "given"), ESCAPES, ids=str)
async def test_an_escape_is_refused_unasked(
    runner: Runner, secret: Path, tool: str, given: dict[str, Any]
) -> None:
    person = ScriptedPerson(ToolDecision.ONCE)
    with ScriptedServer(answer(tool_use(tool, given)), answer(text("end"))) as server:
        events = await runner.run(server, person)
    finished = only(events, ToolFinished)[0]
    assert finished.is_error
    assert "PRIVATE" not in finished.output
    assert "root:" not in finished.output
    assert person.requests == []
    untouched(secret)


def untouched(secret: Path) -> None:
    assert secret.read_text() == "PRIVATE KEY"
    assert [path.name for path in secret.parent.iterdir()] == [secret.name]


async def test_searches_do_not_walk_through_links(runner: Runner, secret: Path) -> None:
    (runner.workspace / "mine.txt").write_text("my KEY\n")
    (runner.workspace / "sub").mkdir()
    steps = [
        answer(tool_use("Grep", {"pattern": "KEY"})),
        answer(tool_use("Glob", {"pattern": "**/*"})),
        answer(tool_use("Glob", {"pattern": "link/*"})),
        answer(tool_use("Grep", {"pattern": "KEY", "path": "mine.txt"})),
        answer(text("end")),
    ]
    with ScriptedServer(*steps) as server:
        events = await runner.run(server)
    grep, everything, through, single = (e.output for e in only(events, ToolFinished))
    assert grep == "mine.txt:1:my KEY"
    assert set(everything.splitlines()) == {"mine.txt", "sub"}
    assert through == "no matches"
    assert single == "mine.txt:1:my KEY"


async def test_grep_without_ripgrep_gives_the_same_and_runs_outside_our_process(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    (runner.workspace / "a.txt").write_text("x\nmy KEY\n")
    steps = [
        answer(tool_use("Grep", {"pattern": "KEY"})),
        answer(text("end")),
    ]
    with ScriptedServer(*steps) as server:
        events = await runner.run(server)
    assert only(events, ToolFinished)[0].output == "a.txt:2:my KEY"


def test_a_folder_swapped_for_a_link_is_not_followed(workspace: Path, tmp_path: Path) -> None:
    place = Workspace.at(workspace)
    (workspace / "d").mkdir()
    path = place.resolve("d/file")
    outside = tmp_path / "outside"
    outside.mkdir()
    (workspace / "d").rmdir()
    (workspace / "d").symlink_to(outside)
    with pytest.raises(WorkspaceError):
        place.replace(path, None, "x")
    assert list(outside.iterdir()) == []


def test_a_file_swapped_for_a_link_is_not_followed(workspace: Path, tmp_path: Path) -> None:
    place = Workspace.at(workspace)
    path = place.resolve("file")
    victim = tmp_path / "victim"
    victim.write_text("")
    path.symlink_to(victim)
    with pytest.raises(WorkspaceError):
        place.replace(path, b"", "x")
    assert victim.read_text() == ""


def test_writing_keeps_the_mode_and_leaves_no_draft(workspace: Path) -> None:
    place = Workspace.at(workspace)
    file = workspace / "run.sh"
    file.write_text("old")
    file.chmod(0o750)
    place.replace(file, b"old", "new")
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o750
    assert [p.name for p in workspace.iterdir()] == ["run.sh"]


def test_a_pipe_is_refused_at_once(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    with pytest.raises(WorkspaceError, match="not a regular file"):
        Workspace.at(workspace).read_bytes(workspace / "pipe")


async def test_read_gives_lines_on_request_and_pictures_as_blocks(runner: Runner) -> None:
    (runner.workspace / "a").write_text("1\n2\n3\n4\n")
    (runner.workspace / "p.png").write_bytes(pictures.png())
    steps = [
        answer(tool_use("Read", {"file_path": "a", "offset": 2, "limit": 2})),
        answer(tool_use("Read", {"file_path": "p.png"})),
        answer(tool_use("Read", {"file_path": "nope"})),
        answer(text("end")),
    ]
    with ScriptedServer(*steps) as server:
        events = await runner.run(server)
        sent = server.requests[2].body["messages"][-1]["content"][0]["content"]
    lines, picture, missing = only(events, ToolFinished)
    assert lines.output == "2\n3"
    assert picture.output.startswith("[image/png, ")
    assert sent[0]["type"] == "image"
    assert missing.is_error
    assert "no such file" in missing.output


def test_a_neighbour_whose_name_begins_alike_is_outside(workspace: Path, secret: Path) -> None:
    place = Workspace.at(workspace)
    for path in ("../work-evil/x", str(workspace.parent / "work-evil" / "x"), "link/id_rsa"):
        with pytest.raises(WorkspaceError, match="outside the workspace"):
            place.resolve(path)
