"""What limits a call before it does anything: patterns, denied files, size, the shape of input."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.workspace import diffs
from secretary_tui.events import Notice, PermissionAsked, RunStarted, ToolFinished, ToolStarted
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.delegation.permissions.test_permissions import bash, calls, outputs, settings, write
from tests.servers.anthropic_server import tool_use

ONCE, RUN, ALWAYS, DENY = ToolDecision


@pytest.fixture
def files(workspace: Path) -> Path:
    for name in ("docs/a.md", "private/key", "private/a:1", "private/a", "n.env", "x:2:y.env"):
        path = workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"first\nWORD in {name}\n")
    (workspace / "n\nl.env").write_text("WORD\n")
    return workspace


async def seen(runner: Runner, *blocks: object, **kwargs: object) -> list[str]:
    events = await calls(runner, ScriptedPerson(), *blocks, **kwargs)  # type: ignore[arg-type]
    return [output for output, _ in outputs(events)]


@pytest.mark.parametrize("tools", [("Grep(docs/**)", "Glob(docs/**)"), ("Read(docs/**)", "Search")])
async def test_patterns_of_an_agent_hold_where_no_path_is_given(
    runner: Runner, files: Path, tools: tuple[str, ...]
) -> None:
    found = await seen(
        runner,
        tool_use("Grep", {"pattern": "WORD"}),
        tool_use("Grep", {"pattern": "WORD", "path": "docs"}),
        tool_use("Grep", {"pattern": "WORD", "path": ""}),
        tool_use("Grep", {"pattern": "WORD", "path": "private"}),
        tool_use("Glob", {"pattern": "**/*"}),
        agent={"tools": tools},
    )
    line = "docs/a.md:2:WORD in docs/a.md"
    assert found == [line, line, line, "no matches", "docs/a.md"]


async def test_a_file_is_refused_by_pattern_outright(runner: Runner, files: Path) -> None:
    ask = tool_use("Grep", {"pattern": "WORD", "path": "private/key"})
    (found,) = await seen(runner, ask, agent={"tools": ("Grep(docs/**)",)})
    assert "may only use Grep" in found


async def test_what_may_not_be_read_is_not_found_by_searching_whatever_its_name(
    runner: Runner, home: Path, files: Path
) -> None:
    settings(home, "settings.json", deny=["Read(*.env)", "Read(./private/a:1)"])
    found = await seen(
        runner,
        tool_use("Grep", {"pattern": "WORD"}),
        tool_use("Glob", {"pattern": "**/*"}),
        tool_use("Grep", {"pattern": "WORD", "path": "private/a:1"}),
    )
    assert sorted(found[0].splitlines()) == [
        "docs/a.md:2:WORD in docs/a.md",
        "private/a:2:WORD in private/a",
        "private/key:2:WORD in private/key",
    ]
    assert sorted(found[1].splitlines()) == [
        *("docs", "docs/a.md", "private", "private/a", "private/key")
    ]
    assert "forbids this" in found[2]


async def test_the_text_of_a_line_may_look_like_a_place(runner: Runner, files: Path) -> None:
    (files / "docs" / "a.md").write_text("WORD:3:x\fWORD\n")
    found = await seen(runner, tool_use("Grep", {"pattern": "WORD", "path": "docs"}))
    assert found[0].startswith("docs/a.md:1:WORD:3:x")


async def test_an_edit_that_would_make_a_huge_file_is_refused(runner: Runner) -> None:
    (runner.workspace / "a.txt").write_text("a" * 900_000)
    edit = {"file_path": "a.txt", "old_string": "a", "new_string": "b" * 20_000}
    person = ScriptedPerson()
    events = await calls(runner, person, tool_use("Edit", {**edit, "replace_all": True}))
    assert "would have 18000000000 characters" in outputs(events)[0][0]
    assert person.requests == []


async def test_what_is_refused_anyway_is_not_worked_out(
    runner: Runner, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(home, "settings.json", deny=["Edit(./a.txt)"])
    (runner.workspace / "a.txt").write_text("one\n")
    (runner.workspace / "b.txt").write_text("one\n")
    # Working it out would say that the text isn't there.
    edits = [
        tool_use("Edit", {"file_path": name, "old_string": "zzz", "new_string": "y"})
        for name in ("a.txt", "b.txt")
    ]
    found = await seen(runner, *edits, permission_mode=PermissionMode.PLAN)
    assert "forbids this" in found[0]
    assert "read-only" in found[1]


async def test_a_change_too_large_to_be_shown_warns(runner: Runner) -> None:
    (runner.workspace / "a.txt").write_text("a\n" * 400_000)
    person = ScriptedPerson(DENY)
    edit = {"file_path": "a.txt", "old_string": "a", "new_string": "b", "replace_all": True}
    await calls(runner, person, tool_use("Edit", edit))
    assert "too large to be shown whole" in person.requests[0].warnings[0]
    assert len(person.requests[0].detail) < diffs.MAX_SHOWN


async def test_the_working_directory_is_no_file(runner: Runner) -> None:
    mode = PermissionMode.ACCEPT_EDITS
    events = await calls(runner, ScriptedPerson(), write("."), write("x/.."), permission_mode=mode)
    assert [error for _, error in outputs(events)] == [True, True]
    assert list(runner.workspace.iterdir()) == []


async def test_a_key_that_the_tool_does_not_know_is_not_what_the_user_reads(
    runner: Runner,
) -> None:
    call = tool_use("Write", {"file_path": "evil", "content": "x", "command": "harmless"})
    events = await calls(runner, ScriptedPerson(DENY), call)
    assert only(events, ToolStarted)[0].summary == "evil"
    assert only(events, PermissionAsked)[0].summary == "evil"


async def test_our_own_records_are_protected_where_they_lie_in_the_project(
    runner: Runner, home: Path
) -> None:
    place = (paths.state_dir() / "projects" / "x" / "allowed.json").relative_to(home)
    person = ScriptedPerson(DENY)
    mode = PermissionMode.ACCEPT_EDITS
    await calls(runner, person, write(str(place)), workspace=home, permission_mode=mode)
    assert "protected path" in person.requests[0].warnings[0]


async def test_a_stored_command_that_could_hide_a_denied_one_asks_again(
    runner: Runner, home: Path
) -> None:
    command = "$(echo curl) x"
    await calls(runner, ScriptedPerson(ALWAYS), bash(command))
    person = ScriptedPerson(DENY)
    await calls(runner, person, bash("echo nothing denied"))
    settings(home, "settings.json", deny=["Bash(curl:*)"])
    person = ScriptedPerson(DENY)
    events = await calls(runner, person, bash(command))
    assert [r.detail for r in person.requests] == [command]
    assert only(events, ToolFinished)[0].is_error


@pytest.mark.parametrize("denial", ["Bash(rm", "Bash rm", "Bash:rm", "B\u0430sh", "-Bash"])
async def test_a_denial_of_the_agent_that_cannot_be_read_takes_the_tool_away(
    runner: Runner, denial: str
) -> None:
    agent = {"tools": ("Read", "Bash"), "disallowed_tools": (denial,)}
    events = await calls(runner, ScriptedPerson(), agent=agent)
    assert only(events, RunStarted)[0].tools == ("Read",)
    assert "Bash is refused" in only(events, Notice)[0].text
