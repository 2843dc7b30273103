"""Both carriers keep one promise: how a run opens, hears its user, ends and is put away."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from secretary_tui.config import Config
from secretary_tui.delegation.acp.acp_carrier import AcpCarrier
from secretary_tui.delegation.carrier.carrier import Carrier, RunContext
from secretary_tui.delegation.loop.agent_loop import AgentLoop
from secretary_tui.delegation.loop.retry_policy import RetryPolicy
from secretary_tui.delegation.run_delegation import carrier_of
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.engines.base import Engine
from secretary_tui.engines.choose import choose_engine
from secretary_tui.events import (
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    TurnStarted,
    UserMessage,
)
from tests.delegation.conftest import Runner, ScriptedPerson, ServerEngine, only
from tests.servers.anthropic_server import ScriptedServer, answer, text

acp_agent = pytest.importorskip(
    "tests.servers.acp_agent", reason="needs the extra acp", exc_type=ImportError
)
TASK = "Obey.\ndo: say First."
"""The ACP agent does what stands there, the server answers from its script."""
MORE = "Obey again.\ndo: say Second."


@pytest.fixture(params=["messages", "acp"])
async def engine(request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    if request.param == "acp":
        command = [sys.executable, acp_agent.__file__]
        own = {"robot": {"command": command, "walls": False}}
        found = choose_engine(Config(engine="robot", engines=own), {}).engine
        assert found is not None
        yield found
        return
    with ScriptedServer(answer(text("First.")), answer(text("Second."))) as server:
        served = ServerEngine(server.url)
        yield served
        await served.aclose()


class Told(list[RunEvent]):
    """What a carrier tells, and the carrier."""

    def __init__(self, runner: Runner, engine: Engine, **fields: object) -> None:
        super().__init__()
        delegation = runner.delegation(task=TASK, **fields)
        run = RunContext(delegation, engine, ScriptedPerson(), self.append, _at_once)
        self.carrier: Carrier = carrier_of(run, RetryPolicy())

    async def to_the_end(self) -> RunEvent:
        """Run and close it; gives the last event."""
        async with asyncio.timeout(60):
            await self.carrier.run()
            await self.carrier.close()
        assert isinstance(self[0], RunStarted)
        return self[-1]


async def _at_once() -> None:
    """Nobody is waited for."""


async def test_the_engine_says_who_carries_its_runs_out(runner: Runner, engine: Engine) -> None:
    kinds = {"messages": AgentLoop, "acp": AcpCarrier}
    assert type(Told(runner, engine).carrier) is kinds[engine.wire_protocol]


async def test_what_the_user_says_is_told_at_the_next_turn(runner: Runner, engine: Engine) -> None:
    told = Told(runner, engine)
    told.carrier.say("  ")
    told.carrier.say(MORE)
    last = await told.to_the_end()
    assert isinstance(last, RunFinished)
    assert [message.text for message in only(told, UserMessage)] == [MORE]
    turns = [event.turn for event in only(told, TurnStarted)]
    assert last.turns == len(turns) == turns[-1]


async def test_a_run_that_is_cancelled_before_it_began_has_two_events(
    runner: Runner, engine: Engine
) -> None:
    told = Told(runner, engine)
    task = asyncio.create_task(told.carrier.run())
    await asyncio.sleep(0)  # Its first step only.
    task.cancel()
    await asyncio.wait([task])
    told.carrier.interrupt()
    await told.carrier.close()
    started, last = told
    assert isinstance(started, RunStarted)
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.stop_reason, last.turns) == (Outcome.INTERRUPTED, "interrupted", 0)
    assert last.cost_usd == 0.0


async def test_without_its_folder_a_run_begins_and_fails(
    runner: Runner, engine: Engine, tmp_path: Path
) -> None:
    told = Told(runner, engine, workspace=tmp_path / "gone")
    last = await told.to_the_end()
    assert len(told) == 2
    assert isinstance(last, RunFailed)
    assert last.suggestion == "Choose a folder that exists."


async def test_a_run_whose_money_is_used_up_begins_and_stops(
    runner: Runner, engine: Engine
) -> None:
    budget = Budget(0.5)
    budget.pay(0.6)
    told = Told(runner, engine, budget=budget)
    last = await told.to_the_end()
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.stop_reason) == (Outcome.PARTIAL, "max_cost")
    assert only(told, TurnStarted) == []
    assert any("stopped at its cost cap" in notice.text for notice in only(told, Notice))


async def test_a_run_that_goes_on_says_what_changed_since(runner: Runner, engine: Engine) -> None:
    told = Told(runner, engine, agent_hash_before="older", engine_before="another")
    await told.to_the_end()
    said = [notice.text for notice in only(told, Notice)]
    assert any("changed since this run began" in one for one in said)
    assert any("began with the engine another" in one for one in said)
