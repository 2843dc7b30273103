"""Claude Code itself over ACP, on the scripted server: opt-in, it needs 290 MB of programs.

npm install -g @agentclientprotocol/claude-agent-acp, then SECRETARY_TUI_TEST_ACP=1
"""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from secretary_tui.config import Config
from secretary_tui.delegation.run import run_delegation
from secretary_tui.engines.choose import choose_engine
from secretary_tui.events import Notice, Outcome, RunFailed, RunFinished, ToolFinished
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


async def test_it_asks_writes_and_answers(
    runner: Runner, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {"file_path": str(workspace / "made.txt"), "content": "by Claude Code\n"}
    person = ScriptedPerson(ToolDecision.ONCE)
    with ClaudeServer(answer(tool_use("Write", made)), answer(text("Done."))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-key")
        engine = choose_engine(Config(engine="claude-code"), os.environ).engine
        assert engine is not None
        stream = run_delegation(runner.delegation({"model": "haiku"}), engine, person)
        async with asyncio.timeout(60):
            events = [event async for event in stream]
    (request,) = person.requests
    assert "+by Claude Code" in request.detail
    assert (workspace / "made.txt").read_text() == "by Claude Code\n"
    assert not only(events, ToolFinished)[0].is_error
    assert any("answers with Haiku" in notice.text for notice in only(events, Notice))
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.text) == (Outcome.DONE, "Done.")
    assert last.cost_usd


async def test_without_a_key_it_says_what_to_do(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    engine = choose_engine(Config(engine="claude-code"), os.environ).engine
    assert engine is not None
    stream = run_delegation(runner.delegation(), engine, ScriptedPerson())
    async with asyncio.timeout(60):
        events = [event async for event in stream]
    assert isinstance(events[-1], RunFailed)
    assert events[-1].error == "Claude Code is not logged in."
