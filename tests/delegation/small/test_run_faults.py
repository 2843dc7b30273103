"""What goes wrong on the way of a run on the embedded model, and how the run copes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.engines.local import local_engine
from secretary_tui.engines.local.local_process import LocalAddress, LocalProcess
from secretary_tui.events import (
    MessageAdded,
    Notice,
    Outcome,
    Retrying,
    RunEvent,
    RunFailed,
    TextDelta,
    TurnDiscarded,
)
from secretary_tui.people import ToolDecision
from secretary_tui.sessions.stored_messages import repair
from tests.delegation.conftest import ScriptedPerson, only
from tests.delegation.lookup.conftest import write
from tests.delegation.small.conftest import ServedProcess, Small, finished
from tests.delegation.small.test_changes import CART, FIX, TASK
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.servers.llama_server import Said
from tests.waiting import until_it_holds

ASK = "what does cart.py do?"


@pytest.fixture
def workspace(workspace: Path) -> Path:
    write(workspace, "cart.py", CART)
    return workspace


async def run_and_interrupt(small: Small, task: str, when: type[RunEvent]) -> list[RunEvent]:
    """Run, and press the brake once such an event has come."""
    events = []
    async with asyncio.timeout(60):
        async for event in small.stream(task):
            events.append(event)
            if isinstance(event, when):
                small.control.interrupt()
    return events


async def test_an_interrupted_answer_is_kept_and_the_model_stopped(small: Small) -> None:
    small.server.add(Said("It adds", "held", chunk=20))
    events = await run_and_interrupt(small, ASK, TextDelta)
    assert finished(events).outcome is Outcome.INTERRUPTED
    assert finished(events).text == "It adds"
    assert only(events, MessageAdded)[-1].role == "assistant"
    await until_it_holds(lambda: small.server.dropped)


async def test_who_is_interrupted_while_the_user_is_asked_changes_nothing(small: Small) -> None:
    small.server.add(Said(FIX), Said("Then it stays."))
    small.person = ScriptedPerson()
    small.person.on_ask = lambda _: small.control.interrupt()
    events = await small.run(TASK)
    assert finished(events).outcome is Outcome.INTERRUPTED
    assert small.text("cart.py") == CART
    assert small.person.withdrawn
    stored = repair([{"role": m.role, "content": m.content} for m in only(events, MessageAdded)])
    assert "tool_use" not in str(stored)
    small.control = type(small.control)()
    events = await small.run(TASK, messages=stored, follow_up="What would you have done?")
    assert finished(events).text == "Then it stays."


async def test_a_run_that_ends_before_it_began_is_interrupted_properly(small: Small) -> None:
    small.control.interrupt()
    events = await small.run(ASK)
    assert finished(events).outcome is Outcome.INTERRUPTED
    assert small.server.asked == []


async def test_a_model_that_dies_is_started_and_asked_again(small: Small) -> None:
    small.server.add(Said("cart.py ad", "reset"), Said("cart.py adds up."))
    pieces = 0
    events = []
    async for event in small.stream(ASK):
        events.append(event)
        pieces += isinstance(event, TextDelta)
        if pieces == 1:
            small.started[-1].is_running = False
            pieces += 1
    assert len(small.started) == 2
    assert len(only(events, TurnDiscarded)) == len(only(events, Retrying)) == 1
    assert finished(events).text == "cart.py adds up."
    assert len(small.runner.slept) == 1


async def test_one_that_goes_on_dying_is_said_so(small: Small) -> None:
    small.server.add(*[Said("", "reset")] * 5)
    events = await small.run(ASK)
    assert isinstance(events[-1], RunFailed)
    assert len(only(events, Retrying)) == 4


async def test_a_stream_that_says_not_how_it_ended_is_no_answer(small: Small) -> None:
    small.server.add(Said("cart.py ad", "unfinished"))
    assert isinstance((await small.run(ASK))[-1], RunFailed)


async def test_what_the_model_refuses_is_not_asked_again(small: Small) -> None:
    small.server.add(Said("the request exceeds the available context size", "refused"))
    events = await small.run(ASK)
    assert isinstance(events[-1], RunFailed)
    assert "context size" in events[-1].error
    assert only(events, Retrying) == []


async def test_a_model_that_is_missing_is_said_with_what_helps(small: Small) -> None:
    small.engine._model = None
    events = await small.run(ASK)
    assert isinstance(events[-1], RunFailed)
    assert "secretary-tui model get" in events[-1].suggestion


async def test_an_answer_of_nothing_is_said_so(small: Small) -> None:
    small.server.add(Said(""))
    events = await small.run(ASK)
    assert finished(events).text == ""
    assert [notice.text for notice in only(events, Notice)] == [
        "The agent ended without an answer."
    ]


async def test_a_run_whose_money_is_used_up_asks_nothing(small: Small) -> None:
    budget = Budget(0.5)
    budget.pay(0.6)
    events = await small.run(ASK, budget=budget)
    assert finished(events).stop_reason == "max_cost"
    assert small.server.asked == []


async def test_what_runs_a_command_takes_turns_of_tool_calls(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = tool_use("Bash", {"command": "printf ran > done.txt"})
    small.person = ScriptedPerson(ToolDecision.ONCE)
    with ScriptedServer(answer(call), answer(text("It ran."))) as server:

        async def start(*_: object, **__: object) -> ServedProcess:
            return ServedProcess(LocalAddress(server.url, "key"), 2)

        monkeypatch.setattr(LocalProcess, "start", start)
        events = await small.run("run the check", agent={"tools": ("Bash", "Read", "Edit")})
    assert finished(events).text == "It ran."
    assert small.text("done.txt") == "ran"
    assert small.server.asked == []
    offered = {tool["name"]: tool for tool in server.requests[0].body["tools"]}
    assert sorted(offered) == ["Bash", "Edit", "Read"]
    assert all(len(tool["description"]) < 200 for tool in offered.values())
    assert "description" not in offered["Bash"]["input_schema"]["properties"]["command"]


async def test_the_number_of_threads_changes_between_two_questions_only(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.server.add(Said("cart.py adds."), Said("cart.py adds up."))
    await small.run(ASK)
    monkeypatch.setattr(local_engine, "writing_threads", lambda now=0: 1)
    await small.run(ASK)
    assert [process.threads for process in small.started] == [2, 1]
    assert [process.is_running for process in small.started] == [False, True]
    # A prompt that was read stands in a file: the new process takes it up.
    assert [action for action, _ in small.server.slots] == ["save", "restore"]
    assert len(small.server.read) == 1


async def test_a_start_that_fails_once_is_tried_again_next_time(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = LocalProcess.start

    async def fail(*_: object, **__: object) -> LocalProcess:
        raise local_engine.EngineError("The local model was not ready after 180 s.")

    monkeypatch.setattr(LocalProcess, "start", fail)
    assert isinstance((await small.run(ASK))[-1], RunFailed)
    monkeypatch.setattr(LocalProcess, "start", start)
    small.server.add(Said("cart.py adds."))
    assert finished(await small.run(ASK)).text == "cart.py adds."
