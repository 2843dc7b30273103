"""MCP servers of a definition that an ACP agent runs: the agent reaches them, through us alone."""

from __future__ import annotations

import asyncio
import fcntl
import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.delegation.carrier.run_control import RunControl
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from secretary_tui.events import Notice, Outcome, RunFinished, ToolStarted
from secretary_tui.people import ToolDecision, ToolRequest
from secretary_tui.tool_table import MCP_SERVER, MCP_TOOLS
from tests.delegation.conftest import Runner, ScriptedPerson, only

pytest.importorskip("tests.servers.mcp_server", reason="needs the extra mcp", exc_type=ImportError)
pytest.importorskip("tests.servers.acp_agent", reason="needs the extra acp", exc_type=ImportError)

from tests.delegation.acp.test_acp_run import answer_of, engine, run
from tests.servers import mcp_server

ONCE, ALWAYS, DENY = ToolDecision.ONCE, ToolDecision.ALWAYS, ToolDecision.DENY
NAMED: dict[str, Any] = {"metadata": {"mcpServers": ["docs"]}}
OPEN = {"docs": {"walls": False}}
CALL = 'call search {"query": "walls"}'
walled = pytest.mark.skipif(
    sandbox_status()[0] != "bubblewrap", reason="bubblewrap confines nothing here"
)


def describe(workspace: Path, *args: str, **env: str) -> None:
    docs = {"command": sys.executable, "args": [mcp_server.__file__, *args], "env": env}
    (workspace / ".mcp.json").write_text(json.dumps({"mcpServers": {"docs": docs}}))


async def test_the_agent_calls_a_tool_after_the_same_questions_as_ours(
    runner: Runner, workspace: Path, tmp_path: Path
) -> None:
    lock = tmp_path / "lock"
    describe(workspace, "--lock", str(lock))
    person = ScriptedPerson(ONCE, ONCE, ONCE)
    events = await run(runner, f"tools && {CALL}", person, agent=NAMED, mcp_servers=OPEN)
    assert answer_of(events).split() == (
        ["docs:", "['search',", "'look',", "'fail']", "got:", "found:", "walls"]
    )
    start, tools, call = person.requests
    assert (start.tool, tools.tool, call.tool) == (MCP_SERVER, MCP_TOOLS, "mcp__docs__search")
    assert call.input == {"query": "walls"}
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.outcome is Outcome.DONE
    with lock.open() as file:  # The server ended with the run.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


async def test_only_listed_tools_are_reached_and_a_refusal_is_told(
    runner: Runner, workspace: Path
) -> None:
    describe(workspace)
    agent = {**NAMED, "tools": ("Edit", "mcp__docs__search")}
    person = ScriptedPerson(ONCE, ONCE, DENY)
    events = await run(
        runner, f"tools && call fail {{}} && {CALL}", person, agent=agent, mcp_servers=OPEN
    )
    said = answer_of(events)
    assert "docs: ['search']" in said
    assert "failed: There is no tool 'fail'." in said
    assert "failed: The user refused this." in said
    assert len(person.requests) == 3


async def test_what_the_agent_asked_about_itself_is_asked_once(
    runner: Runner, workspace: Path
) -> None:
    describe(workspace)
    person = ScriptedPerson(ONCE, ONCE, ONCE, ONCE, ONCE)
    other = 'call search {"query": "moats"}'
    wanted = CALL.replace("call", "want")
    events = await run(
        runner, f"{wanted} && {other} && {CALL} && {CALL}", person, agent=NAMED, mcp_servers=OPEN
    )
    # Itself, another one, and the same a second time; what was allowed is made once.
    assert [one.tool for one in person.requests[2:]] == ["ACP", *["mcp__docs__search"] * 2]
    assert [one.input["query"] for one in person.requests[2:]] == ["walls", "moats", "walls"]
    assert answer_of(events).count("got: found") == 3
    assert only(events, ToolStarted)[0].name == "mcp__docs__search"


async def test_a_run_that_is_stopped_at_a_question_ends_with_all_it_started(
    runner: Runner, workspace: Path, tmp_path: Path
) -> None:
    lock = tmp_path / "lock"
    describe(workspace, "--lock", str(lock))
    control = RunControl()
    person = ScriptedPerson(ONCE, ONCE)

    def stop_at_the_call(request: ToolRequest) -> None:
        if request.tool == "mcp__docs__search":
            control.interrupt()

    person.on_ask = stop_at_the_call
    events = await run(runner, CALL, person, agent=NAMED, mcp_servers=OPEN, control=control)
    assert only(events, RunFinished)[0].outcome is Outcome.INTERRUPTED
    assert person.withdrawn
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


async def test_tools_that_changed_are_asked_about_before_the_agent_gets_them(
    runner: Runner, workspace: Path
) -> None:
    describe(workspace)
    await run(runner, "tools", ScriptedPerson(ALWAYS, ALWAYS), agent=NAMED, mcp_servers=OPEN)
    describe(workspace, "--changed")
    person = ScriptedPerson(ONCE, DENY)
    events = await run(runner, "tools && say end", person, agent=NAMED, mcp_servers=OPEN)
    assert "not the tools that you allowed" in person.requests[1].warnings[0]
    assert answer_of(events) == "end"


@walled
async def test_a_run_that_only_reads_starts_none(runner: Runner, workspace: Path) -> None:
    describe(workspace)
    events = await run(
        runner,
        "tools && say end",
        on=engine(walls=True),
        agent=NAMED,
        mcp_servers=OPEN,
        permission_mode=PermissionMode.PLAN,
    )
    assert any("Plan mode only reads" in notice.text for notice in only(events, Notice))
    assert "docs" not in answer_of(events)


@walled
async def test_each_stands_behind_its_own_walls(
    runner: Runner, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = 'call look {"what": "network"} && call look {"what": "write"}'
    on = engine(walls=True)
    person = ScriptedPerson(*[ONCE] * 4)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # The agent has the network and may write here; the server has and may neither.
        port = listening.getsockname()[1]
        docs = {
            "command": sys.executable,
            "args": [mcp_server.__file__],
            "env": {"PORT": str(port)},
        }
        (workspace / ".mcp.json").write_text(json.dumps({"mcpServers": {"docs": docs}}))
        events = await run(runner, f"{look} && net {port}", person, on=on, agent=NAMED)
    said = answer_of(events)
    assert "got: no network" in said
    assert "got: read-only" in said
    assert said.endswith("network")
    assert not said.endswith("no network")
    assert not (workspace / "written-by-server.txt").exists()


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the ports are found by /proc")
async def test_nobody_without_the_word_reaches_the_tools(runner: Runner, workspace: Path) -> None:
    describe(workspace)
    heard: list[bytes] = []

    class Curious(ScriptedPerson):
        """Tries to speak to the tools by itself while a call waits for its answer."""

        async def allow_tool(self, request: Any) -> Any:
            if request.tool == "mcp__docs__search":
                for port in listening_ports():
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.write(b"guess\n" + LIST)
                    heard.append(await reader.read())
                    writer.close()
            return await super().allow_tool(request)

    events = await run(runner, CALL, Curious(ONCE, ONCE, ONCE), agent=NAMED, mcp_servers=OPEN)
    assert "got: found: walls" in answer_of(events)
    assert heard
    assert set(heard) == {b""}


LIST = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'


def listening_ports() -> list[int]:
    """The loopback ports that this process listens on."""
    mine = set()
    for handle in Path("/proc/self/fd").iterdir():
        try:
            mine.add(handle.readlink().name)
        except OSError:
            continue
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [
        int(line[1].partition(":")[2], 16)
        for line in lines
        if line[3] == "0A" and f"socket:[{line[9]}]" in mine
    ]
