"""Every Write, Edit and Bash asks, and an answer reaches exactly as far as it says."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import effective_mode
from secretary_tui.delegation.permissions.settings_rules import (
    RuleStoreError,
    grants_file,
    load_rules,
    store_allow,
)
from secretary_tui.events import (
    Notice,
    PermissionAnswered,
    PermissionAsked,
    RunEvent,
    RunStarted,
    ToolFinished,
)
from secretary_tui.people import ToolAnswer, ToolDecision, ToolRequest
from secretary_tui.registry.definition.spec import Source, SourceKind
from tests.delegation.conftest import Runner, ScriptedPerson, make_agent, only
from tests.servers.anthropic_server import Block, ScriptedServer, answer, text, tool_use

ONCE, RUN, ALWAYS, DENY = ToolDecision


def write(path: str, content: str = "new\n") -> Block:
    return tool_use("Write", {"file_path": path, "content": content})


def bash(command: str) -> Block:
    return tool_use("Bash", {"command": command})


async def calls(
    runner: Runner, person: ScriptedPerson, *blocks: Block, **kwargs: Any
) -> list[RunEvent]:
    """One turn a call, then the end."""
    with ScriptedServer(*[answer(block) for block in blocks], answer(text("end"))) as server:
        return await runner.run(server, person, **kwargs)


def outputs(events: list[RunEvent]) -> list[tuple[str, bool]]:
    return [(e.output, e.is_error) for e in only(events, ToolFinished)]


def settings(folder: Path, name: str = "settings.local.json", **permissions: list[str]) -> Path:
    path = folder / ".claude" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permissions": permissions}))
    return path


def granted(folder: Path, *rules: str) -> Path:
    """Rules as an *always* answer leaves them."""
    for rule in rules:
        store_allow(folder, rule)
    return folder / ".claude" / "settings.local.json"


def change(file: Path) -> None:
    file.write_text("changed by someone\n")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


async def test_an_edit_is_shown_as_a_diff_and_done_when_allowed(runner: Runner) -> None:
    file = runner.workspace / "a.py"
    file.write_text("one\ntwo\nthree\n")
    person = ScriptedPerson(ONCE)
    edit = tool_use("Edit", {"file_path": "a.py", "old_string": "two", "new_string": "2"})
    events = await calls(runner, person, edit)
    request = person.requests[0]
    assert (request.tool, request.summary, request.agent) == ("Edit", "a.py", "tester")
    assert request.detail == "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    assert file.read_text() == "one\n2\nthree\n"
    assert only(events, PermissionAsked)[0].detail == request.detail
    answered = only(events, PermissionAnswered)[0]
    assert (answered.decision, answered.by) == ("once", "user")


async def test_a_refusal_and_its_reason_reach_the_model(runner: Runner) -> None:
    person = ScriptedPerson(ToolAnswer(DENY, "use the other file"))
    events = await calls(runner, person, write("a.txt"))
    assert outputs(events) == [("The user refused this: use the other file", True)]
    assert not (runner.workspace / "a.txt").exists()


async def test_where_nobody_could_be_asked_nobody_is_said_to_have_refused(runner: Runner) -> None:
    why = "Nobody can be asked here. Go on without it."
    person = ScriptedPerson(ToolAnswer(DENY, why, from_user=False))
    events = await calls(runner, person, write("a.txt"))
    assert outputs(events) == [(why, True)]
    answered = only(events, PermissionAnswered)[0]
    assert (answered.decision, answered.by, answered.reason) == ("deny", "nobody", why)


async def test_the_time_of_a_call_is_without_the_wait_for_the_user(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=0.0)
    ours = SimpleNamespace(monotonic=lambda: clock.now)
    monkeypatch.setattr("secretary_tui.delegation.permissions.permissions.time", ours)
    monkeypatch.setattr("secretary_tui.delegation.tools.toolbox.time", ours)
    person = ScriptedPerson(ONCE)

    def thinks_it_over(request: ToolRequest) -> None:
        clock.now += 100.0

    person.on_ask = thinks_it_over
    events = await calls(runner, person, write("a.txt"))
    assert [event.elapsed_s for event in only(events, ToolFinished)] == [0.0]


async def test_once_asks_again_and_run_does_not(runner: Runner) -> None:
    person = ScriptedPerson(ONCE, RUN)
    await calls(runner, person, write("a"), write("b"), write("c"), write("d/e"))
    assert [r.summary for r in person.requests] == ["a", "b"]
    assert (runner.workspace / "d" / "e").read_text() == "new\n"


async def test_run_for_bash_means_exactly_that_command(runner: Runner) -> None:
    person = ScriptedPerson(RUN, DENY)
    await calls(runner, person, bash("echo hi"), bash("echo hi"), bash("echo hi; echo ho"))
    assert [r.detail for r in person.requests] == ["echo hi", "echo hi; echo ho"]


async def test_always_is_stored_exactly_and_other_keys_stay(runner: Runner) -> None:
    path = settings(runner.workspace, allow=["WebFetch"])
    path.write_text(json.dumps({"model": "x", **json.loads(path.read_text())}))
    (runner.workspace / "src").mkdir()
    await calls(
        runner,
        ScriptedPerson(ALWAYS, ALWAYS, ALWAYS),
        *(bash("echo -n q"), write("src/x.py"), write("top.py")),
    )
    stored = json.loads(path.read_text())
    assert list(stored) == ["model", "permissions"]
    assert stored["permissions"]["allow"] == [
        *("WebFetch", "Bash(echo -n q)", "Write(src/x.py)", "Write(./top.py)")
    ]
    person = ScriptedPerson(DENY, DENY, DENY)
    blocks = bash("echo -n q"), write("src/x.py", "v2"), write("top.py", "v2")
    events = await calls(runner, person, *blocks)
    assert person.requests == []
    assert {a.by for a in only(events, PermissionAnswered)} == {"rule"}
    strange = bash("echo -n q; id"), write("sub/top.py"), write("src/x.py.bak")
    await calls(runner, person, *strange)
    assert len(person.requests) == 3


async def test_an_answer_about_a_file_covers_nothing_below_it_once_it_is_a_folder(
    runner: Runner, workspace: Path
) -> None:
    person = ScriptedPerson(ALWAYS, DENY)
    await calls(runner, person, write("sub/a", "x"))
    (workspace / "sub" / "a").unlink()
    await calls(runner, person, write("sub/a/b", "x"))
    assert len(person.requests) == 2


async def test_a_command_with_a_wildcard_cannot_be_stored(runner: Runner) -> None:
    person = ScriptedPerson(ALWAYS)
    events = await calls(runner, person, bash("ls *"), bash("ls *"))
    assert len(person.requests) == 1
    assert not (runner.workspace / ".claude" / "settings.local.json").exists()
    assert any("for this run only" in notice.text for notice in only(events, Notice))


async def test_a_broken_settings_file_is_left_alone(runner: Runner) -> None:
    path = settings(runner.workspace)
    path.write_text("{ nope")
    events = await calls(runner, ScriptedPerson(ALWAYS), bash("echo hi"))
    assert path.read_text() == "{ nope"
    assert any("not a valid settings file" in notice.text for notice in only(events, Notice))


async def test_the_file_must_still_be_what_the_diff_showed(runner: Runner) -> None:
    file = runner.workspace / "a.txt"
    file.write_text("old\n")
    person = ScriptedPerson(ONCE)
    person.on_ask = lambda _: change(file)
    events = await calls(runner, person, write("a.txt"))
    assert file.read_text() == "changed by someone\n"
    assert "Read it again" in outputs(events)[0][0]


async def test_a_file_that_becomes_a_link_while_asking_is_not_followed(
    runner: Runner, tmp_path: Path
) -> None:
    outside = tmp_path / "victim"
    outside.write_text("safe")
    person = ScriptedPerson(ONCE)
    person.on_ask = lambda _: (runner.workspace / "a").symlink_to(outside)
    events = await calls(runner, person, write("a"))
    assert outside.read_text() == "safe"
    assert outputs(events)[0][1]


async def test_accept_edits_passes_edits_and_asks_for_bash(runner: Runner) -> None:
    person = ScriptedPerson(DENY)
    events = await calls(
        runner,
        person,
        *(write("a"), bash("echo hi")),
        permission_mode=PermissionMode.ACCEPT_EDITS,
    )
    assert (runner.workspace / "a").exists()
    assert [r.tool for r in person.requests] == ["Bash"]
    assert [(a.decision, a.by) for a in only(events, PermissionAnswered)] == [
        *(("once", "mode"), ("deny", "user"))
    ]


@pytest.mark.parametrize("mode", [PermissionMode.PLAN, PermissionMode.DENY])
async def test_plan_and_deny_ask_nobody_and_do_nothing(
    runner: Runner, mode: PermissionMode
) -> None:
    person = ScriptedPerson()
    blocks = write("a"), bash("touch b"), tool_use("Glob", {"pattern": "*"})
    events = await calls(runner, person, *blocks, permission_mode=mode)
    assert person.requests == []
    assert [error for _, error in outputs(events)] == [True, True, False]
    assert list(runner.workspace.iterdir()) == []


async def test_deny_mode_still_honours_an_allow_rule_and_plan_does_not(runner: Runner) -> None:
    granted(runner.workspace, "Bash(echo hi)")
    person = ScriptedPerson()
    events = await calls(runner, person, bash("echo hi"), permission_mode=PermissionMode.DENY)
    assert outputs(events) == [("hi", False)]
    events = await calls(runner, person, bash("echo hi"), permission_mode=PermissionMode.PLAN)
    assert outputs(events)[0][1]


@pytest.mark.parametrize(
    "path",
    [
        *(".git/hooks/pre-commit", ".git/config", ".claude/agents/x.md", ".mcp.json", ".envrc"),
        *(".CLAUDE/Settings.json", "sub/.Git/Hooks/x"),
    ],
)
async def test_protected_paths_always_ask(runner: Runner, path: str) -> None:
    settings(runner.workspace, allow=["Write", "Edit"])
    person = ScriptedPerson(RUN, ALWAYS, DENY)
    blocks = write(path, "1"), write(path, "2"), write(path, "3")
    mode = PermissionMode.ACCEPT_EDITS
    events = await calls(runner, person, *blocks, permission_mode=mode)
    assert len(person.requests) == 3
    assert "protected path" in person.requests[0].warnings[0]
    assert {a.decision for a in only(events, PermissionAnswered)} == {"once", "deny"}


async def test_deny_rules_outweigh_everything(runner: Runner, home: Path) -> None:
    settings(home, "settings.json", deny=["Bash(curl:*)", "Read(./.env)", "Edit(secret/**)"])
    settings(runner.workspace, allow=["Bash", "Edit"])
    (runner.workspace / ".env").write_text("KEY=1")
    person = ScriptedPerson()
    events = await calls(
        runner,
        person,
        bash("true && curl x.invalid"),
        tool_use("Read", {"file_path": ".env"}),
        tool_use("Grep", {"pattern": "KEY", "path": ".env"}),
        write("secret/x"),
        tool_use("Grep", {"pattern": "KEY"}),
        tool_use("Glob", {"pattern": ".e*"}),
    )
    assert person.requests == []
    assert [error for _, error in outputs(events)[:4]] == [True] * 4
    assert [output for output, _ in outputs(events)[4:]] == ["no matches"] * 2


async def test_a_bare_deny_takes_the_tool_away(runner: Runner, home: Path) -> None:
    settings(home, "settings.json", deny=["Bash", "Edit"])
    events = await calls(runner, ScriptedPerson())
    tools = only(events, RunStarted)[0].tools
    assert tools[:3] == ("Read", "Glob", "Grep")
    assert not {"Write", "Edit", "Bash", "GitCommit"} & set(tools)


async def test_an_ask_rule_asks_in_accept_edits_too(runner: Runner) -> None:
    settings(runner.workspace, "settings.json", ask=["Edit(src/**)"])
    person = ScriptedPerson(ONCE)
    mode = PermissionMode.ACCEPT_EDITS
    await calls(runner, person, write("src/a"), write("b"), permission_mode=mode)
    assert [r.summary for r in person.requests] == ["src/a"]


async def test_no_file_of_a_project_grants_anything(runner: Runner) -> None:
    """Neither the shared nor the local one, whether git knows them or not."""
    settings(runner.workspace, "settings.json", allow=["Bash(echo a)"])
    settings(runner.workspace, allow=["Bash(echo b)", "Write(./x)", "Bash", "Edit"])
    person = ScriptedPerson(DENY, DENY, DENY)
    events = await calls(runner, person, bash("echo a"), bash("echo b"), write("x"))
    assert [r.summary for r in person.requests] == ["echo a", "echo b", "x"]
    assert sum("don't count" in notice.text for notice in only(events, Notice)) == 2


async def test_a_linked_settings_folder_grants_nothing_and_is_not_written_to(
    runner: Runner,
) -> None:
    local = settings(runner.workspace, allow=["Bash(echo b)"])
    (runner.workspace / ".claude").rename(runner.workspace / "cfg")
    (runner.workspace / ".claude").symlink_to("cfg")
    before = local.read_text()
    person = ScriptedPerson(ALWAYS, DENY)
    events = await calls(runner, person, bash("echo b"), bash("echo c"))
    assert [r.detail for r in person.requests] == ["echo b", "echo c"]
    assert local.read_text() == before
    assert any("for this run only" in notice.text for notice in only(events, Notice))


async def test_an_always_answer_holds_for_its_project_and_while_it_stands_there(
    runner: Runner, tmp_path: Path
) -> None:
    path = granted(runner.workspace, "Bash(echo b)")
    record = grants_file(runner.workspace)
    assert record.stat().st_mode & 0o777 == 0o600
    twin = tmp_path / "other"
    twin.mkdir()
    (twin / ".claude").mkdir()
    (twin / ".claude" / "settings.local.json").write_text(path.read_text())
    grants_file(twin).parent.mkdir(parents=True)
    grants_file(twin).write_text(record.read_text())
    assert load_rules(twin).allow == ()
    assert [rule.text for rule in load_rules(runner.workspace).allow] == ["Bash(echo b)"]
    path.write_text("{}")
    assert load_rules(runner.workspace).allow == ()


async def test_reading_the_rules_starts_no_program(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    git(runner.workspace, "init", "-q")
    settings(runner.workspace, allow=["Bash(echo b)"])
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "git").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    load_rules(runner.workspace)
    assert not (tmp_path / "ran").exists()


async def test_where_nothing_confines_bash_only_an_answer_of_this_run_counts(
    runner: Runner, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(home, "settings.json", allow=["Bash(echo a)", "Bash(echo:*)"])
    granted(runner.workspace, "Bash(echo b)")
    monkeypatch.setattr("secretary_tui.delegation.tools.bash.sandbox_status", lambda: ("none", ""))
    person = ScriptedPerson(ALWAYS, DENY)
    await calls(runner, person, bash("echo a"), bash("echo a"), bash("echo b"))
    assert [r.detail for r in person.requests] == ["echo a", "echo b"]


async def test_all_edits_of_a_run_still_ask_where_a_rule_says_ask(runner: Runner) -> None:
    settings(runner.workspace, "settings.json", ask=["Edit(secret/**)"])
    person = ScriptedPerson(RUN, DENY)
    await calls(runner, person, write("a"), write("b"), write("secret/x"))
    assert [r.summary for r in person.requests] == ["a", "secret/x"]


@pytest.mark.parametrize(
    "permissions",
    [
        *({"deny": 5}, {"deny": [7]}, {"ask": {"a": 1}}, 5, ["x"], {"deny": ["Bash(rm"]}),
        *({"deny": ["("]}, {"deny": ["*"]}, {"deny": "Bash)x("}),
    ],
)
async def test_a_rule_that_cannot_be_understood_asks(
    runner: Runner, home: Path, permissions: object
) -> None:
    settings(home, "settings.json").write_text(json.dumps({"permissions": permissions}))
    granted(runner.workspace, "Bash(echo hi)")
    person = ScriptedPerson(DENY)
    events = await calls(runner, person, bash("echo hi"))
    assert [r.detail for r in person.requests] == ["echo hi"]
    assert any("can't be understood" in notice.text for notice in only(events, Notice))


def test_a_single_rule_counts_as_a_list_and_rules_for_other_tools_are_no_fault(
    home: Path, workspace: Path
) -> None:
    file = settings(home, "settings.json")
    deny = ["LSP(x)", "mcp__a__*", "Bash(ls:*)"]
    file.write_text(json.dumps({"permissions": {"ask": "Bash(rm:*)", "deny": deny}}))
    book = load_rules(workspace)
    assert [rule.text for rule in book.ask] == ["Bash(rm:*)"]
    assert [rule.text for rule in book.deny] == ["mcp__a__*", "Bash(ls:*)"]
    assert book.problems == ()


def test_an_unclosed_rule_about_reading_forbids_it(home: Path, workspace: Path) -> None:
    settings(home, "settings.json", deny=["Read(./.env"])
    book = load_rules(workspace)
    assert [(rule.tool, rule.pattern) for rule in book.deny] == [("Read", None)]
    assert "is refused" in book.problems[0]


@pytest.mark.parametrize("content", ["{ nope", "[1]", " " * 300_000, "[" * 100_000])
def test_settings_that_cannot_be_read_make_everything_risky_ask(
    home: Path, workspace: Path, content: str
) -> None:
    settings(home, "settings.json").write_text(content)
    book = load_rules(workspace)
    assert {rule.tool for rule in book.ask} == {
        "Write",
        "Edit",
        "Bash",
        "GitCommit",
        "WebFetch",
        "WebSearch",
        "Memory",
    }
    assert "was not read" in book.problems[0]


def test_a_pipe_or_a_device_in_place_of_settings_is_not_waited_for(
    home: Path, workspace: Path
) -> None:
    (workspace / ".claude").mkdir()
    os.mkfifo(workspace / ".claude" / "settings.local.json")
    (workspace / ".claude" / "settings.json").symlink_to("/dev/zero")
    assert len(load_rules(workspace).problems) == 2
    with pytest.raises(RuleStoreError, match="regular"):
        store_allow(workspace, "Bash(echo a)")


async def test_hidden_characters_and_blanks_are_pointed_out_and_shown(runner: Runner) -> None:
    command = "echo ok" + " " * 5000 + "; env\u200b"
    person = ScriptedPerson(DENY)
    await calls(runner, person, bash(command))
    request = person.requests[0]
    assert request.detail.endswith("; env\\u200b")
    assert len(request.detail) > 5000
    assert len(request.warnings) == 2


def test_an_agent_may_tighten_the_mode_and_never_loosen_it(tmp_path: Path) -> None:
    def mode(session: PermissionMode, own: str, **fields: Any) -> PermissionMode:
        return effective_mode(session, make_agent(tmp_path, permission_mode=own, **fields))

    assert mode(PermissionMode.ASK, "bypassPermissions") is PermissionMode.ASK
    assert mode(PermissionMode.ASK, "acceptEdits") is PermissionMode.ASK
    assert mode(PermissionMode.ASK, "plan") is PermissionMode.PLAN
    assert mode(PermissionMode.ACCEPT_EDITS, "default") is PermissionMode.ASK
    assert mode(PermissionMode.PLAN, "dontAsk") is PermissionMode.PLAN
    plugin = Source(SourceKind.PLUGIN, tmp_path, "p")
    assert mode(PermissionMode.ASK, "plan", source=plugin) is PermissionMode.ASK
