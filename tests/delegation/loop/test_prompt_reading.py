"""What a local model is at before its first word, as events of the run: shown, never logged."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from anthropic import AsyncAnthropic

from secretary_tui.delegation.carrier.run_control import RunControl
from secretary_tui.delegation.run_delegation import run_delegation
from secretary_tui.engines.prompt_reading import ReadingProgress
from secretary_tui.events import ModelStarting, Outcome, PromptRead, RunFinished, TextDelta
from tests.delegation.conftest import Runner, ScriptedPerson, ServerEngine, only
from tests.servers.anthropic_server import ScriptedServer, answer, hang, tool_use, wait_for
from tests.servers.anthropic_server import text as says


class ReadingEngine(ServerEngine):
    """Tells of one look at each prompt; `until` is set when it was told, `left` when it ended."""

    def __init__(self, url: str, until: threading.Event) -> None:
        super().__init__(url)
        self._until = until
        self.bodies: list[Mapping[str, Any]] = []
        self.left = asyncio.Event()

    async def follow_reading(
        self, request: Mapping[str, Any], tell: Callable[[ReadingProgress], None]
    ) -> None:
        self.bodies.append(request)
        tell(ReadingProgress(3, 7, 1.5, 2.0))
        self._until.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.left.set()


async def test_the_reading_is_told_until_the_answer_begins(runner: Runner) -> None:
    told = threading.Event()
    steps = (answer(tool_use("Glob", {"pattern": "*"})), wait_for(told, answer(says("Done"))))
    with ScriptedServer(*steps) as server:
        engine = ReadingEngine(server.url, told)
        runner.engines.append(engine)
        stream = run_delegation(runner.delegation(), engine, ScriptedPerson())
        async with asyncio.timeout(20):
            events = [event async for event in stream]
            await engine.left.wait()
        sent = server.requests[1].body
    first = only(events, PromptRead)[0]
    assert (first.percent, first.left_s) == (42, 2.0)
    shown = [event.type for event in events if isinstance(event, PromptRead | TextDelta)]
    assert shown[0] == "prompt_read"
    assert shown[-1] == "text_delta"
    # What is counted is what is sent.
    assert engine.bodies[1]["tools"] == sent["tools"]
    assert engine.bodies[1]["messages"] == sent["messages"]


class StartingEngine(ServerEngine):
    """Has a model that must be brought into memory first."""

    is_up = False

    async def warm_up(self, system: str, message: str = "") -> None:
        raise AssertionError("a run does not warm up")

    async def client(self) -> AsyncAnthropic:
        self.is_up = True
        return await super().client()


async def test_that_the_model_is_loaded_is_told_before_it_is_and_only_once(runner: Runner) -> None:
    with ScriptedServer(answer(says("Done")), answer(says("Again"))) as server:
        engine = StartingEngine(server.url)
        runner.engines.append(engine)
        told = []
        async for event in run_delegation(runner.delegation(), engine, ScriptedPerson()):
            if isinstance(event, ModelStarting):
                told.append(engine.is_up)
        stream = run_delegation(runner.delegation(), engine, ScriptedPerson())
        again = [event async for event in stream]
    assert told == [False]
    assert not [event for event in again if isinstance(event, ModelStarting)]


async def test_esc_while_the_prompt_is_read_ends_the_run(runner: Runner) -> None:
    control = RunControl()
    with ScriptedServer(hang()) as server:
        engine = ReadingEngine(server.url, threading.Event())
        runner.engines.append(engine)
        events = []
        stream = run_delegation(runner.delegation(), engine, ScriptedPerson(), control=control)
        async with asyncio.timeout(20):
            async for event in stream:
                events.append(event)
                if isinstance(event, PromptRead):
                    control.interrupt()
            await engine.left.wait()
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome is Outcome.INTERRUPTED


async def test_a_local_models_prompt_is_the_same_from_run_to_run(workspace: Path) -> None:
    from secretary_tui.delegation.brief.environment import environment_facts

    before = await environment_facts(workspace, brief=True)
    (workspace / "new.txt").write_text("x")
    assert await environment_facts(workspace, brief=True) == before
    assert str(workspace) in before
