"""TodoWrite: the agent's list of steps becomes an event that everybody shows."""

from __future__ import annotations

import json

from secretary_tui.events import Todo, TodosChanged, ToolFinished, from_json, to_json
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

STEPS = [
    {"content": "Read the code", "status": "completed", "activeForm": "Reading the code"},
    {"content": "Fix\x1b[2J it\nnow", "status": "in_progress", "activeForm": "Fixing it"},
    {"content": "Test it", "status": "pending", "activeForm": "Testing it"},
]


async def test_each_call_brings_the_whole_list_and_asks_nobody(runner: Runner) -> None:
    calls = tool_use("TodoWrite", {"todos": STEPS}), tool_use("TodoWrite", {"todos": []})
    person = ScriptedPerson()
    with ScriptedServer(answer(*calls), answer(text("done"))) as server:
        events = await runner.run(server, person, agent={"tools": ("TodoWrite",)})
        result = server.requests[1].body["messages"][-1]["content"][0]
    first, second = only(events, TodosChanged)
    assert first.todos == (
        Todo("Read the code", "completed", "Reading the code"),
        Todo("Fix it now", "in_progress", "Fixing it"),
        Todo("Test it", "pending", "Testing it"),
    )
    assert second.todos == ()
    assert result["content"] == "The user sees the list: 1 of 3 done."
    assert person.requests == []


def test_a_list_comes_back_from_its_line_in_a_log() -> None:
    event = TodosChanged((Todo("a", "completed"), Todo("b")))
    assert from_json(json.loads(json.dumps(to_json(event)))) == event


async def test_a_list_that_does_not_fit_is_refused_in_words(runner: Runner) -> None:
    bad = (
        {"todos": [{"content": "x", "status": "someday"}]},
        {"todos": [{"content": "x"}] * 51},
        {"todos": "x"},
    )
    calls = [tool_use("TodoWrite", given) for given in bad]
    with ScriptedServer(answer(*calls), answer(text("ok"))) as server:
        events = await runner.run(server, agent={"tools": ("todo_write",)})
    assert [end.is_error for end in only(events, ToolFinished)] == [True] * 3
    assert only(events, TodosChanged) == []
