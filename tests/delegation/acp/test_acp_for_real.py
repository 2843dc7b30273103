"""Real agents over ACP, on the scripted server: opt-in, they need 650 MB of programs.

npm install -g @agentclientprotocol/claude-agent-acp opencode-ai, then SECRETARY_TUI_TEST_ACP=1
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from secretary_tui.config import Config
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.run_delegation import run_delegation
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.engines.choose import choose_engine
from secretary_tui.events import Notice, Outcome, RunEvent, RunFailed, RunFinished, ToolFinished
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import ScriptedServer, Step, answer, text, tool_use

pytestmark = pytest.mark.skipif(
    not (os.environ.get("SECRETARY_TUI_TEST_ACP") and shutil.which("claude-agent-acp")),
    reason="SECRETARY_TUI_TEST_ACP is not set, or there is no claude-agent-acp",
)


class ClaudeServer(ScriptedServer):
    """Answers requests without tools, which ask for a title, beside the script."""

    def take(self, request: object) -> Step:
        body = getattr(request, "body", {})
        return super().take(request) if body.get("tools") else answer(text("A title"))  # type: ignore[arg-type]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ClaudeServer]]:
    """Start the service that Claude Code speaks with, which answers by a script."""
    with ExitStack() as servers:

        def start(*steps: Step) -> ClaudeServer:
            server = servers.enter_context(ClaudeServer(*steps))
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-key")
            return server

        yield start


async def run_on(
    name: str, delegation: Delegation, person: ScriptedPerson | None = None
) -> list[RunEvent]:
    engine = choose_engine(Config(engine=name), os.environ).engine
    assert engine is not None
    stream = run_delegation(delegation, engine, person or ScriptedPerson())
    async with asyncio.timeout(90):
        return [event async for event in stream]


async def test_it_asks_writes_and_answers(
    runner: Runner, workspace: Path, serve: Callable[..., ClaudeServer]
) -> None:
    made = {"file_path": str(workspace / "made.txt"), "content": "by Claude Code\n"}
    person = ScriptedPerson(ToolDecision.ONCE)
    serve(answer(tool_use("Write", made)), answer(text("Done.")))
    events = await run_on("claude-code", runner.delegation({"model": "haiku"}), person)
    (request,) = person.requests
    assert "+by Claude Code" in request.detail
    assert (workspace / "made.txt").read_text() == "by Claude Code\n"
    assert not only(events, ToolFinished)[0].is_error
    assert any("answers with Haiku" in notice.text for notice in only(events, Notice))
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.text) == (Outcome.DONE, "Done.")
    assert last.cost_usd


async def test_it_has_the_listed_tools_alone_and_reaches_the_servers_through_us(
    runner: Runner, workspace: Path, serve: Callable[..., ClaudeServer]
) -> None:
    mcp_server = pytest.importorskip("tests.servers.mcp_server", exc_type=ImportError)
    docs = {"command": sys.executable, "args": [mcp_server.__file__]}
    (workspace / ".mcp.json").write_text(json.dumps({"mcpServers": {"docs": docs}}))
    claude = serve(answer(tool_use("mcp__docs__search", {"query": "walls"})), answer(text("Done.")))
    agent = {"tools": ("Read", "Edit", "mcp__docs__search"), "metadata": {"mcpServers": ["docs"]}}
    # To start, the tools, and the call that Claude Code asks about itself.
    person = ScriptedPerson(*[ToolDecision.ONCE] * 3)
    events = await run_on("claude-code", runner.delegation(agent), person)
    assert [one.tool for one in person.requests] == ["MCP server", "MCP tools", "ACP"]
    (finished,) = only(events, ToolFinished)
    assert (finished.name, finished.output) == ("mcp__docs__search", "found: walls")
    offered = {tool["name"] for tool in claude.requests[-1].body["tools"]}
    assert offered == {"Read", "Edit", "NotebookEdit", "mcp__docs__search"}


async def test_it_stops_itself_at_the_cap(
    runner: Runner, workspace: Path, serve: Callable[..., ClaudeServer]
) -> None:
    (workspace / "in.txt").write_text("x\n")
    read = tool_use("Read", {"file_path": str(workspace / "in.txt")})
    claude = serve(*[answer(read)] * 5)
    events = await run_on("claude-code", runner.delegation(budget=Budget(0.000001)))
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.stop_reason == "max_cost"
    assert len(claude.requests) <= 2


@pytest.mark.skipif(shutil.which("opencode") is None, reason="there is no opencode")
@pytest.mark.parametrize(
    ("wanted", "called"),
    [("claude-haiku-4-5", "claude-haiku-4-5"), ("opus", "claude-opus-"), ("gpt", "claude-sonnet")],
)
async def test_opencode_takes_the_model_that_the_definition_names(
    runner: Runner, home: Path, wanted: str, called: str
) -> None:
    with ClaudeServer(answer(text("Done."))) as server:
        provider = {"options": {"baseURL": f"{server.url}/v1", "apiKey": "sk-ant-test-key"}}
        model = "anthropic/claude-sonnet-4-5"
        config = home / ".config" / "opencode" / "opencode.json"
        config.parent.mkdir(parents=True)
        config.write_text(
            json.dumps({"model": model, "small_model": model, "provider": {"anthropic": provider}})
        )
        events = await run_on("opencode", runner.delegation({"model": wanted}))
    assert isinstance(events[-1], RunFinished)
    assert str(server.requests[0].body["model"]).startswith(called)


async def test_without_a_key_it_says_what_to_do(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    events = await run_on("claude-code", runner.delegation())
    assert isinstance(events[-1], RunFailed)
    assert events[-1].error == "Claude Code is not logged in."
