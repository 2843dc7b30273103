"""WebSearch: the API's own search, offered only there, asked about once a run, counted."""

from __future__ import annotations

import pytest

from secretary_tui.events import (
    Notice,
    RunFinished,
    RunStarted,
    ToolFinished,
    ToolStarted,
    UsageAdded,
)
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import Runner, ScriptedPerson, ServerEngine, only
from tests.servers.anthropic_server import ScriptedServer, answer, raw_block, text, tool_use

AGENT = {"tools": ("Read", "WebSearch")}
QUERY = raw_block(
    {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "tides"}}
)
FOUND = raw_block(
    {
        "type": "web_search_tool_result",
        "tool_use_id": "srv1",
        "content": [
            {
                "type": "web_search_result",
                "title": "Tides\x1b[2J today",
                "url": "https://sea.example/",
                "encrypted_content": "abc",
            }
        ],
    }
)


@pytest.fixture
def official(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's server searches as the API does."""
    start = ServerEngine.__init__

    def searching(self: ServerEngine, url: str) -> None:
        start(self, url)
        self.server_tools = True

    monkeypatch.setattr(ServerEngine, "__init__", searching)


async def test_elsewhere_it_is_not_available_and_said_so(runner: Runner) -> None:
    with ScriptedServer(answer(text("ok"))) as server:
        events = await runner.run(server, agent=AGENT)
        assert [tool["name"] for tool in server.requests[0].body["tools"]] == ["Read"]
    assert only(events, RunStarted)[0].tools == ("Read",)
    assert any("WebSearch is not available" in notice.text for notice in only(events, Notice))


@pytest.mark.usefixtures("official")
async def test_a_search_is_shown_counted_and_sent_back(runner: Runner) -> None:
    person = ScriptedPerson(ToolDecision.ONCE)
    usage = {"server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0}}
    searching = answer(QUERY, FOUND, text("High at noon."), usage=usage)  # type: ignore[arg-type]
    with ScriptedServer(searching) as server:
        events = await runner.run(server, person, agent=AGENT)
        tools = server.requests[0].body["tools"]
    assert tools[1] == {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
    assert [request.tool for request in person.requests] == ["WebSearch"]
    assert [started.summary for started in only(events, ToolStarted)] == ["tides"]
    assert only(events, ToolFinished)[-1].output == "Tides today - https://sea.example/"
    assert only(events, UsageAdded)[0].usage.web_searches == 2
    assert only(events, RunFinished)[0].cost_usd == pytest.approx(19e-6 + 0.02)


@pytest.mark.usefixtures("official")
async def test_refused_it_is_not_offered(runner: Runner) -> None:
    person = ScriptedPerson(ToolDecision.DENY)
    with ScriptedServer(answer(text("ok"))) as server:
        events = await runner.run(server, person, agent=AGENT)
        assert [tool["name"] for tool in server.requests[0].body["tools"]] == ["Read"]
    assert any("without WebSearch" in notice.text for notice in only(events, Notice))


@pytest.mark.usefixtures("official")
async def test_an_agent_that_lists_no_search_gets_none(runner: Runner) -> None:
    person = ScriptedPerson()
    with ScriptedServer(answer(text("ok"))) as server:
        await runner.run(server, person, agent={"tools": None})
        types = [tool.get("type") for tool in server.requests[0].body["tools"]]
    assert "web_search_20250305" not in types
    assert person.requests == []


@pytest.mark.usefixtures("official")
async def test_the_model_cannot_call_it_as_a_tool_of_ours(runner: Runner) -> None:
    call = tool_use("WebSearch", {"query": "x"})
    with ScriptedServer(answer(call), answer(text("ok"))) as server:
        events = await runner.run(server, ScriptedPerson(ToolDecision.ONCE), agent=AGENT)
    assert only(events, ToolFinished)[-1].is_error
