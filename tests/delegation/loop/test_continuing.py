"""A continued run is no looser than before, and says when its agent's file is another one."""

from __future__ import annotations

import pytest

from secretary_tui.config import Config
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import tighter_mode
from secretary_tui.events import Notice, RunEvent, RunStarted
from secretary_tui.secretary import Secretary
from secretary_tui.sessions.run_log import RunLog
from tests.delegation.conftest import Runner, only
from tests.servers.anthropic_server import ScriptedServer, answer, text

RUN_ID = "20260101-101010-abcd"


@pytest.mark.parametrize(
    ("logged", "configured", "mode"),
    [
        ("plan", "accept-edits", PermissionMode.PLAN),
        ("deny", "ask", PermissionMode.DENY),
        ("accept-edits", "ask", PermissionMode.ASK),
        ("ask", "plan", PermissionMode.PLAN),
        ("bypass", "ask", PermissionMode.PLAN),
        ("", "ask", PermissionMode.ASK),
    ],
)
def test_the_tighter_mode_holds(logged: str, configured: str, mode: PermissionMode) -> None:
    assert tighter_mode(logged, configured) is mode


def test_a_resumed_run_keeps_its_mode_and_knows_which_file_it_began_with(runner: Runner) -> None:
    folder = runner.workspace / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "tester.md").write_text("---\nname: tester\ndescription: Tests.\n---\nYou test.\n")
    with RunLog.create(runner.workspace, RUN_ID) as log:
        log.append(
            RunStarted(
                RUN_ID,
                agent="tester",
                agent_path="x",
                agent_hash="before",
                request="check",
                task="Task: check",
                system="",
                engine="anthropic",
                model="m",
                tools=(),
                permission_mode="plan",
                project=str(runner.workspace),
                started_at="2026-01-01T10:10:10.000+00:00",
            )
        )
    secretary = Secretary(runner.workspace, Config(permission_mode="accept-edits"))
    secretary.load()
    going_on = secretary.resume(RUN_ID, "go on")
    assert going_on.permission_mode is PermissionMode.PLAN
    assert going_on.agent_hash_before == "before"
    asked = secretary.resume(RUN_ID, "go on", permission_mode=PermissionMode.ASK)
    assert asked.permission_mode is PermissionMode.ASK


async def notices(runner: Runner, before: str) -> list[str]:
    with ScriptedServer(answer(text("Done."))) as server:
        events: list[RunEvent] = await runner.run(
            server,
            follow_up="go on",
            messages=({"role": "user", "content": "x"},),
            agent_hash_before=before,
        )
    return [notice.text for notice in only(events, Notice)]


async def test_a_changed_agent_is_said(runner: Runner) -> None:
    assert await notices(runner, "abc") == []
    assert "tester changed since this run began" in (await notices(runner, "old"))[0]


async def test_no_key_in_a_system_prompt_reaches_the_log(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_TOKEN", "correct horse battery")
    prompt = "Use sk-ant-0123456789abcdef and correct horse battery."
    with ScriptedServer(answer(text("Done."))) as server:
        events = await runner.run(server, agent={"prompt": prompt})
        sent = str(server.requests[0].body["system"])
    assert "correct horse battery" in sent
    logged = only(events, RunStarted)[0].system
    assert logged.startswith("Use [redacted] and [redacted].")
