"""Bash runs one command, confined where possible, and leaves nothing running."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from secretary_tui.delegation.sandbox.landlock import MIN_ABI, landlock_abi
from secretary_tui.delegation.sandbox.sandbox import command_environment, sandbox_status
from secretary_tui.delegation.tools import bash as bash_module
from secretary_tui.delegation.tools.bash import MAX_OUTPUT_BYTES, run_bash
from secretary_tui.events import ToolFinished
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.waiting import until_it_holds

KIND, SENTENCE = sandbox_status()
confined_only = pytest.mark.skipif(KIND != "bubblewrap", reason=f"no sandbox here: {SENTENCE}")


@pytest.fixture(params=["as found", "landlock", "unconfined"])
def walls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run with the sandbox there is, with the kernel's own, and without one."""
    if request.param == "landlock":
        if landlock_abi() < MIN_ABI:
            pytest.skip("the kernel offers no Landlock")
        monkeypatch.setattr(bash_module, "sandbox_status", lambda: ("landlock", ""))
    if request.param == "unconfined":
        monkeypatch.setattr(bash_module, "sandbox_status", lambda: ("none", ""))
    return str(request.param)


def running(marker: str) -> list[str]:
    """The processes whose command line holds `marker`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().decode(errors="replace")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if marker in line and state != "Z" and int(entry.name) != os.getpid():
            found.append(line)
    return found


async def until_none_runs(marker: str) -> None:
    await until_it_holds(lambda: not running(marker))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_output_error_output_and_exit_code_are_shown(workspace: Path, walls: str) -> None:
    good = await run_bash("echo out; echo err >&2; pwd", workspace)
    assert good.text == f"out\nerr\n{workspace}"
    bad = await run_bash("echo why; exit 3", workspace)
    assert bad.is_error
    assert bad.text == "why\n[exit code 3]"
    assert (await run_bash("true", workspace)).text == "[no output, exit code 0]"
    assert good.sandboxed is (walls == "landlock" or (walls == "as found" and KIND != "none"))


async def test_no_state_and_no_input(workspace: Path, walls: str) -> None:
    await run_bash("cd /; export X=1", workspace)
    result = await run_bash('pwd; echo "[$X]"; cat', workspace)
    assert result.text == f"{workspace}\n[]"


async def test_a_command_out_of_time_is_killed_with_its_children(
    workspace: Path, walls: str
) -> None:
    marker = f"31{os.getpid()}.5"
    result = await run_bash(
        f"echo begun; sleep {marker} & sleep {marker}", workspace, timeout_s=0.5
    )
    assert result.exit_code is None
    assert result.text == "begun\n[stopped after 0.5 s: the time limit]"
    await until_none_runs(marker)


async def test_a_background_process_ends_with_the_call(workspace: Path, walls: str) -> None:
    marker = f"32{os.getpid()}.5"
    result = await run_bash(f"sleep {marker} & echo started", workspace)
    assert result.text == "started"
    await until_none_runs(marker)


async def test_cancelling_kills_it(workspace: Path, walls: str) -> None:
    marker = f"33{os.getpid()}.5"
    task = asyncio.create_task(run_bash(f"touch begun; sleep {marker}", workspace))
    await until_it_holds((workspace / "begun").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_none_runs(marker)


async def test_of_long_output_the_end_is_kept(workspace: Path) -> None:
    result = await run_bash("head -c 300000 /dev/zero | tr '\\0' x; echo END", workspace)
    assert result.output.startswith("[200004 bytes before this were cut]\n")
    assert result.output.endswith("xEND\n")
    assert len(result.output) < MAX_OUTPUT_BYTES + 100


async def test_escape_sequences_are_cleaned(workspace: Path) -> None:
    assert (await run_bash("printf 'a\\033]52;c;aGk=\\007\\033[2Jb'", workspace)).text == "ab"


async def test_no_key_of_the_user_is_visible(
    workspace: Path, walls: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "aws-secret")
    monkeypatch.setenv("BASH_ENV", "/nonexistent/evil")
    result = await run_bash(
        "env; cat /proc/self/environ /proc/1/environ | tr '\\0' '\\n'; "
        "echo key=[$ANTHROPIC_API_KEY]",
        workspace,
    )
    assert "key=[]" in result.output
    assert "-secret" not in result.output
    assert "evil" not in result.output
    assert not any(name.startswith("ANTHROPIC") for name in command_environment())


@confined_only
async def test_only_the_workspace_can_be_written(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    result = await run_bash(
        f"echo x > inside; echo x > {outside}/x; echo x > /etc/x-{os.getpid()}; "
        "mount -o remount,rw /; touch /usr/x",
        workspace,
    )
    assert (workspace / "inside").read_text() == "x\n"
    assert list(outside.iterdir()) == []
    assert f"x-{os.getpid()}" not in names(Path("/etc"))
    assert result.is_error


@confined_only
async def test_what_is_protected_is_read_only_present_or_not(workspace: Path) -> None:
    hooks = workspace / ".git" / "hooks"
    hooks.mkdir(parents=True)
    (workspace / ".git" / "config").write_text("[core]\n")
    (workspace / ".envrc").write_text("old")
    command = (
        "echo x > .git/hooks/pre-commit; echo x >> .git/config; echo x > .envrc; "
        "mkdir -p .claude/agents; echo x > .claude/settings.json; echo x > .mcp.json; "
        "mv .envrc y; rm -rf .git/hooks; echo fine > .git/HEAD; echo fine > ok"
    )
    await run_bash(command, workspace)
    assert list(hooks.iterdir()) == []
    assert (workspace / ".git" / "config").read_text() == "[core]\n"
    assert (workspace / ".envrc").read_text() == "old"
    assert names(workspace / ".git") == ["config", "hooks"]
    assert names(workspace) == [".envrc", ".git", "ok"]


@confined_only
async def test_there_is_no_network_and_no_other_process(workspace: Path) -> None:
    result = await run_bash(
        "(exec 3<>/dev/tcp/127.0.0.1/22) 2>&1; cat /proc/net/dev | grep -c :; ls /proc | "
        "grep -c '^[0-9]'",
        workspace,
    )
    assert "Connection refused" in result.output or "unreachable" in result.output
    links, processes = result.output.split()[-2:]
    assert links == "1"
    assert int(processes) < 10


@confined_only
async def test_credentials_in_the_home_folder_are_out_of_sight(workspace: Path, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_rsa").write_text("PRIVATE KEY")
    (home / ".netrc").write_text("PRIVATE KEY")
    for place in (workspace, home):
        result = await run_bash("cat ~/.ssh/id_rsa ~/.netrc; grep -r PRIVATE ~", place)
        assert "PRIVATE KEY" not in result.output


async def test_a_restricted_agent_runs_only_what_its_pattern_names(runner: Runner) -> None:
    person = ScriptedPerson(ToolDecision.ONCE)
    blocks = [
        tool_use("Bash", {"command": "echo hi; touch x"}),
        tool_use("Bash", {"command": "touch x"}),
        tool_use("Bash", {"command": "echo hi"}),
    ]
    with ScriptedServer(*map(answer, blocks), answer(text("end"))) as server:
        events = await runner.run(server, person, agent={"tools": ("Bash(echo:*)",)})
        assert "Only for: `echo:*`." in server.requests[0].body["tools"][0]["description"]
    assert [e.is_error for e in only(events, ToolFinished)] == [True, True, False]
    assert [r.detail for r in person.requests] == ["echo hi"]
    assert not (runner.workspace / "x").exists()


async def test_a_time_limit_of_the_model_is_in_milliseconds(runner: Runner) -> None:
    block = tool_use("Bash", {"command": "sleep 30", "timeout": 300})
    with ScriptedServer(answer(block), answer(text("end"))) as server:
        events = await runner.run(server, ScriptedPerson(ToolDecision.ONCE))
    assert "[stopped after 0.3 s" in only(events, ToolFinished)[0].output
