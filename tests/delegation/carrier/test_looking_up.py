"""What a request names reaches the agent with its task: the user's own agent, and no other."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.config import Config
from secretary_tui.delegation.brief.prompt import task_in
from secretary_tui.delegation.call_limits import CallableLibrary
from secretary_tui.delegation.carrier.looking_up import preview
from secretary_tui.delegation.run_delegation import run_delegation
from secretary_tui.engines.base import Engine
from secretary_tui.engines.choose import choose_engine
from secretary_tui.events import MessageAdded, RunEvent, RunStarted, UserMessage
from tests.delegation.conftest import Runner, ScriptedPerson, ServerEngine, make_agent, only
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

BODY = "def greet(name):\n    return f'hello {name}'\n"
TASK = "what does greet.py do?"


@pytest.fixture
def workspace(workspace: Path) -> Path:
    (workspace / "greet.py").write_text(BODY)
    (workspace / "other.py").write_text("x = 1\n")
    return workspace


@pytest.fixture(params=["messages", "acp"])
async def engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    if request.param == "acp":
        agent = pytest.importorskip("tests.servers.acp_agent", exc_type=ImportError)
        own = {"robot": {"command": [sys.executable, agent.__file__], "walls": False}}
        found = choose_engine(Config(engine="robot", engines=own), {}).engine
        assert found is not None
        yield found
        return
    with ScriptedServer(answer(text("It greets."))) as server:
        served = ServerEngine(server.url)
        yield served
        await served.aclose()


async def told(runner: Runner, engine: Engine, **fields: Any) -> list[RunEvent]:
    delegation = runner.delegation(**fields)
    return [event async for event in run_delegation(delegation, engine, ScriptedPerson())]


def sent(events: list[RunEvent]) -> str:
    """What the user's side said first."""
    return str(only(events, MessageAdded)[0].content)


async def test_a_file_that_is_named_stands_in_the_task(runner: Runner, engine: Engine) -> None:
    events = await told(runner, engine, request=TASK, task=TASK)
    assert f'<file path="greet.py">\n{BODY.strip()}\n</file>' in sent(events)
    assert "x = 1" not in sent(events)
    assert task_in(sent(events)) == TASK
    assert task_in(only(events, RunStarted)[0].task) == TASK


@pytest.mark.parametrize("fields", [{"looks_up": False}, {"agent": {"tools": ("Glob",)}}])
async def test_nothing_is_looked_up_where_the_user_or_the_tools_say_so(
    runner: Runner, engine: Engine, fields: dict[str, Any]
) -> None:
    assert BODY.strip() not in sent(await told(runner, engine, request=TASK, task=TASK, **fields))


async def test_a_command_says_itself_what_is_read(runner: Runner, engine: Engine) -> None:
    agent = {"metadata": {"workflow": "command"}}
    assert BODY.strip() not in sent(await told(runner, engine, task=TASK, agent=agent))


async def test_the_log_keeps_no_secret_of_a_file(
    runner: Runner, engine: Engine, workspace: Path
) -> None:
    (workspace / "greet.py").write_text("api_key = 'sk-ant-0123456789abcdef'\n")
    started = only(await told(runner, engine, request=TASK, task=TASK), RunStarted)[0]
    assert "greet.py" in started.task
    assert "0123456789abcdef" not in started.task


OLD = ({"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"})


async def test_a_message_brings_what_it_names_and_is_shown_as_it_was_typed(
    runner: Runner, engine: Engine
) -> None:
    events = await told(runner, engine, task="hi", messages=OLD, follow_up=TASK)
    assert [event.text for event in only(events, UserMessage)] == [TASK]
    assert sent(events).startswith(f"{TASK}\n\nContext:\n")
    assert BODY.strip() in sent(events)
    assert BODY.strip() not in only(events, RunStarted)[0].task


@pytest.mark.parametrize(
    "shown",
    [
        {"role": "user", "content": 'Task: x\n\nContext:\n<file path="greet.py">\nx\n</file>'},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": "greet.py"}}
            ],
        },
    ],
)
async def test_what_the_conversation_shows_is_not_shown_again(
    runner: Runner, engine: Engine, shown: dict[str, Any]
) -> None:
    events = await told(runner, engine, task="hi", messages=(*OLD, shown), follow_up=TASK)
    messages = [str(event.content) for event in only(events, MessageAdded)]
    assert TASK in messages
    assert BODY.strip() not in json.dumps(messages)


async def test_an_agent_that_is_called_gets_what_its_caller_says(runner: Runner) -> None:
    helper = make_agent(runner.workspace, name="helper", prompt="You help.")
    call = {"subagent_type": helper.id, "prompt": "Look at greet.py", "description": "look"}
    with ScriptedServer(
        answer(tool_use("Agent", call), stop_reason="tool_use"),
        answer(text("It greets.")),
        answer(text("Done.")),
    ) as server:
        library = CallableLibrary((helper,))
        await runner.run(
            server, agent={"tools": ("Agent", "Read")}, library=library, task="ask your helper"
        )
        bodies = [json.dumps(request.body) for request in server.requests]
    assert len(bodies) == 3
    assert "Look at greet.py" in bodies[1]
    assert "hello {name}" not in bodies[1]


async def test_the_preview_is_what_the_run_is_given(runner: Runner, engine: Engine) -> None:
    delegation = runner.delegation(request=TASK, task=TASK)
    assert (await preview(delegation, engine)).summary == "greet.py"
    assert (await preview(replace(delegation, looks_up=False), engine)).summary == ""
