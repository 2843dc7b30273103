"""A cap on the cost pauses the run with a choice; without an answer it stops, and can go on."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui import paths
from secretary_tui.config import Config
from secretary_tui.delegation.brief.estimate import Estimate, estimate_start
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.engines.local.local_engine import LocalEngine
from secretary_tui.events import Notice, Outcome, RunFinished
from secretary_tui.people import SAFE
from secretary_tui.sessions.statistics.spend_file import MAX_BYTES, note_spent, spent_today
from tests.delegation.conftest import Runner, ScriptedPerson, ServerEngine, make_agent, only
from tests.servers.anthropic_server import USAGE, ScriptedServer, Step, answer, text, tool_use

TURN = 19 / 1e6
"""What one answer of the scripted server costs: 12 tokens in, 7 out."""


def looks(count: int) -> list[Step]:
    return [answer(tool_use("Glob", {"pattern": "*"})) for _ in range(count)]


async def test_above_the_cap_the_run_asks_and_goes_on_with_the_same_amount(runner: Runner) -> None:
    person = ScriptedPerson()
    person.ways = ["g", "g"]
    with ScriptedServer(*looks(5), answer(text("Done"))) as server:
        events = await runner.run(server, person, budget=Budget(2 * TURN))
    assert len(person.choices) == 2
    title, _, ways = person.choices[0]
    assert "This run has cost" in title
    assert [way.key for way in ways] == ["g", SAFE]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome is Outcome.DONE


@pytest.mark.parametrize("count", [-5_000_000, 10**400, 1e400, 0.5, "many", [1]])
async def test_row_36_no_count_of_a_server_takes_money_back_or_ends_the_run(
    count: Any, runner: Runner
) -> None:
    budget = Budget(2 * TURN)
    odd = answer(tool_use("Glob", {"pattern": "*"}), usage={"output_tokens": count})
    with ScriptedServer(*looks(1), odd, *looks(5)) as server:
        events = await runner.run(server, budget=budget)
        assert len(server.requests) == 3
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.stop_reason == "max_cost"
    assert budget.spent.usd == pytest.approx(2 * TURN)
    assert not budget.spent.is_exact
    assert last.cost_usd is None
    assert last.usage.total == 38


async def test_an_answer_that_a_server_does_not_count_costs_nobody_knows_what(
    runner: Runner,
) -> None:
    budget = Budget(1.0)
    uncounted = answer(text("Done"), usage=dict.fromkeys(USAGE, 0))
    with ScriptedServer(*looks(1), uncounted) as server:
        events = await runner.run(server, budget=budget)
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.cost_usd is None
    assert not budget.spent.is_exact
    assert budget.spent.usd == pytest.approx(TURN)


async def test_without_an_answer_it_stops_and_can_be_continued(runner: Runner) -> None:
    with ScriptedServer(*looks(5)) as server:
        events = await runner.run(server, budget=Budget(2 * TURN))
        assert len(server.requests) == 2
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.stop_reason) == (Outcome.PARTIAL, "max_cost")
    assert last.cost_usd == pytest.approx(2 * TURN)


async def test_the_session_has_a_cap_of_its_own(runner: Runner) -> None:
    session = Budget(3 * TURN, name="This session")
    for _ in range(2):
        with ScriptedServer(answer(text("Done"))) as server:
            await runner.run(server, budget=Budget(whole=session))
    person = ScriptedPerson()
    with ScriptedServer(*looks(3)) as server:
        await runner.run(server, person, budget=Budget(whole=session))
        assert len(server.requests) == 1
    assert "This session has cost" in person.choices[0][0]


async def test_the_warning_comes_once(runner: Runner) -> None:
    with ScriptedServer(*looks(3), answer(text("Done"))) as server:
        events = await runner.run(server, budget=Budget(warn_usd=2 * TURN))
    warnings = [n for n in only(events, Notice) if "warn_cost_usd" in n.text]
    assert len(warnings) == 1


async def test_a_cap_that_can_not_hold_is_said(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServerEngine, "price", lambda self, model, usage: None)
    with ScriptedServer(answer(text("Done"))) as server:
        events = await runner.run(server, budget=Budget(1.0))
    assert any("a cost cap can't hold" in notice.text for notice in only(events, Notice))


@given(st.lists(st.floats(0, 10), max_size=20), st.floats(0.01, 20), st.floats(0, 1))
def test_what_a_part_spends_the_whole_has_spent(
    costs: list[float], cap: float, part: float
) -> None:
    whole = Budget(cap)
    share = whole.share(part, "The agent")
    spent = 0.0  # Not by `sum`, which rounds otherwise from Python 3.12 on.
    for cost in costs:
        share.pay(cost)
        spent += cost
    assert share.spent.usd == whole.spent.usd == spent
    assert share.max_usd is not None
    assert share.max_usd <= cap
    assert (share.used_up() is None) == (spent < share.max_usd)


def test_the_days_total_counts_runs_and_routing_since_midnight(home: Path) -> None:
    note_spent("run", home, 100, 0.5, run_id="r1")
    note_spent("routing", home, 20, 0.01)
    now = datetime.now().astimezone()
    total = spent_today(now)
    assert (total.tokens, total.usd, total.is_exact) == (120, pytest.approx(0.51), True)
    assert spent_today(now + timedelta(days=1)).tokens == 0
    note_spent("run", home, 1, None)
    assert not spent_today(now).is_exact


def test_a_damaged_ledger_costs_its_damaged_lines_alone(home: Path) -> None:
    note_spent("run", home, 7, 0.25)
    path = paths.state_dir() / "spent.jsonl"
    at = datetime.now().astimezone().isoformat()
    odd = [b"\xff\x00", b"[]", b'{"at": 5}', json.dumps({"at": at, "tokens": "x"}).encode()]
    path.write_bytes(b"\n".join(odd) + b"\n" + path.read_bytes() + b'{"at": "20')
    assert spent_today().tokens == 7


def test_a_long_ledger_is_put_aside(home: Path) -> None:
    path = paths.state_dir() / "spent.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * (MAX_BYTES + 1))
    note_spent("run", home, 7, 0.25)
    assert path.stat().st_size < 1_000
    assert path.with_name("spent.1.jsonl").stat().st_size > MAX_BYTES


def test_the_estimate_grows_with_prompt_tools_and_instructions(runner: Runner) -> None:
    engine = ServerEngine("http://127.0.0.1:9")

    def tokens(context: tuple[str, ...] = (), **fields: object) -> int:
        agent = make_agent(runner.workspace, **fields)
        return estimate_start(agent, "do it", runner.workspace, engine, context=context).tokens

    small = tokens(tools=("Read",), prompt="You are.")
    assert tokens(tools=("Read", "Write", "Bash"), prompt="You are.") > small
    assert tokens(tools=("Read",), prompt="You are. " * 500) == pytest.approx(small + 1285, abs=9)
    looked_up = tokens(("x" * 3_500,), tools=("Read",), prompt="You are.")
    assert looked_up == pytest.approx(small + 1000, abs=9)
    (runner.workspace / "CLAUDE.md").write_text("x" * 3_500)
    assert tokens(tools=("Read",), prompt="You are.") == pytest.approx(small + 1000, abs=60)


def test_the_embedded_model_gets_the_definition_cut(runner: Runner, tmp_path: Path) -> None:
    engine = LocalEngine(Config(local_model=str(tmp_path / "tiny.gguf")))
    agent = make_agent(runner.workspace, prompt="You test. " * 3_000)
    brief = estimate_start(agent, "do it", runner.workspace, engine)
    assert brief.tokens < 400
    assert (
        estimate_start(agent, "do it " * 100, runner.workspace, engine).tokens > brief.tokens + 99
    )


async def test_the_estimate_is_near_what_is_really_sent(runner: Runner) -> None:
    """By characters: the same rule on the real request gives nearly the same number."""
    with ScriptedServer(answer(text("ok"))) as server:
        await runner.run(server, agent={"prompt": "You test. " * 300, "tools": ("Read", "Write")})
        body = server.requests[0].body
    schemas = sum(len(json.dumps(tool["input_schema"])) for tool in body["tools"])
    prose = len(str(body["system"])) + len(str(body["messages"]))
    prose += sum(len(tool["description"]) for tool in body["tools"])
    sent = 350 + prose / 3.5 + schemas / 3
    agent = make_agent(runner.workspace, prompt="You test. " * 300, tools=("Read", "Write"))
    guess = estimate_start(agent, "check the code", runner.workspace, ServerEngine(server.url))
    assert guess.tokens == pytest.approx(sent, rel=0.1)


def test_an_estimate_reads_as_a_guess() -> None:
    assert Estimate(2_140, 0.0061).sentence == "~2.1k tokens, $0.006 to begin"
    assert Estimate(900, None).sentence == "~900 tokens, price unknown"
    assert Estimate(900, 0.0).sentence == "~900 tokens, free"
