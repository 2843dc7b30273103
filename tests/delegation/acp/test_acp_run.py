"""ACP agents as engines: shown, asked, held to the project, stopped, and honest about the rest."""

from __future__ import annotations

import asyncio
import fcntl
import json
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.config import Config
from secretary_tui.delegation.carrier.run_control import RunControl
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.run_delegation import run_delegation
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.engines.acp.acp_engine import AcpEngine
from secretary_tui.engines.acp.acp_profiles import KNOWN_AGENTS, missing_program
from secretary_tui.engines.choose import choose_engine, engine_offers
from secretary_tui.events import (
    MessageAdded,
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    TodosChanged,
    ToolFinished,
    ToolStarted,
    UsageAdded,
    UserMessage,
)
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.waiting import until

ONCE, DENY = ToolDecision.ONCE, ToolDecision.DENY
acp_agent = pytest.importorskip(
    "tests.servers.acp_agent", reason="needs the extra acp", exc_type=ImportError
)
AGENT = Path(acp_agent.__file__)
walled = pytest.mark.skipif(
    sandbox_status()[0] != "bubblewrap", reason="bubblewrap confines nothing here"
)


def engine(*args: str, **fields: Any) -> AcpEngine:
    own = {"command": [sys.executable, str(AGENT), *args], "walls": False, **fields}
    found = choose_engine(Config(engine="robot", engines={"robot": own}), {}).engine
    assert isinstance(found, AcpEngine)
    return found


async def run(
    runner: Runner,
    task: str,
    person: ScriptedPerson | None = None,
    *,
    on: AcpEngine | None = None,
    control: RunControl | None = None,
    agent: dict[str, Any] | None = None,
    **fields: Any,
) -> list[RunEvent]:
    delegation = runner.delegation(agent, task=f"Obey.\ndo: {task}", **fields)
    stream = run_delegation(delegation, on or engine(), person or ScriptedPerson(), control=control)
    async with asyncio.timeout(90):
        return [event async for event in stream]


def answer_of(events: list[RunEvent]) -> str:
    return "".join(event.text for event in only(events, TextDelta))


def wait_for_its_end(lock: Path) -> None:
    """Wait until whoever was killed is gone, which takes the system a moment."""
    until(lambda: not is_held(lock))


def is_held(lock: Path) -> bool:
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


async def test_what_the_agent_says_thinks_and_plans_is_shown_and_logged(
    runner: Runner, tmp_path: Path
) -> None:
    lock = tmp_path / "lock"
    on = engine("--lock", str(lock))
    events = await run(runner, "think hm && plan && say Hello \x1b[2Jthere", on=on)
    started = events[0]
    assert isinstance(started, RunStarted)
    assert (started.engine, started.model) == ("robot", "its own model")
    assert only(events, ThinkingDelta)[0].text == "hm"
    (plan,) = only(events, TodosChanged)
    assert [(todo.content, todo.status) for todo in plan.todos] == [
        ("Look", "completed"),
        ("Mend", "pending"),
    ]
    assert answer_of(events) == "Hello there"
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.text, last.cost_usd) == (Outcome.DONE, "Hello there", None)
    assert only(events, UsageAdded)[0].usage.input_tokens == 10
    roles = [event.role for event in only(events, MessageAdded)]
    assert roles == ["user", "assistant"]
    said = next(notice.text for notice in only(events, Notice) if "tools of its own" in notice.text)
    assert "without walls" in said
    assert not is_held(lock)


@pytest.mark.parametrize(("decision", "ran"), [(ONCE, True), (DENY, False)])
async def test_what_it_asks_is_answered_by_the_person(
    decision: ToolDecision, ran: bool, runner: Runner, workspace: Path
) -> None:
    person = ScriptedPerson(decision)
    events = await run(runner, "run echo hi > made.txt && say end", person)
    (request,) = person.requests
    assert (request.tool, request.detail) == ("Bash", "echo hi > made.txt")
    assert (workspace / "made.txt").exists() is ran
    (started,) = only(events, ToolStarted)
    (finished,) = only(events, ToolFinished)
    assert started.name == "Bash"
    assert finished.is_error is not ran


async def test_a_tool_that_the_definition_lacks_is_refused_unasked(
    runner: Runner, workspace: Path
) -> None:
    person = ScriptedPerson()
    events = await run(runner, "run touch x && write z", person, agent={"tools": ("Edit",)})
    assert person.requests == []
    assert "not allowed" in answer_of(events)
    assert "may not write" in answer_of(events)
    assert not [name for name in ("x", "z") if (workspace / name).exists()]


async def test_edits_are_shown_as_a_diff_and_stay_in_the_project(
    runner: Runner, workspace: Path, tmp_path: Path
) -> None:
    (workspace / "a.txt").write_text("old\n")
    person = ScriptedPerson(ONCE)
    await run(runner, "edit a.txt && edit ../outside.txt", person)
    (request,) = person.requests
    assert request.tool == "Edit"
    assert "+edited" in request.detail
    assert (workspace / "a.txt").read_text() == "edited\n"
    assert not (tmp_path / "outside.txt").exists()


async def test_files_go_through_our_workspace(runner: Runner, workspace: Path, home: Path) -> None:
    (workspace / "in.txt").write_text("content")
    (home / "secret.txt").write_text("secret")
    (workspace / "link").symlink_to(home)
    person = ScriptedPerson(ONCE)
    events = await run(
        runner,
        "read in.txt && read ../home/secret.txt && read link/secret.txt && write new.txt",
        person,
    )
    said = answer_of(events)
    assert "read content" in said
    assert said.count("refused") == 2
    assert "secret\n" not in said.replace("secret.txt", "")
    assert person.requests[0].tool == "Write"
    assert (workspace / "new.txt").read_text() == "by the agent\n"


@pytest.mark.parametrize(("known", "said"), [(False, "refused"), (True, "read ")])
async def test_a_missing_file_is_an_error_but_for_agents_that_cannot_take_it(
    runner: Runner, known: bool, said: str
) -> None:
    on = AcpEngine(replace(engine().profile, missing_is_empty=known))
    assert answer_of(await run(runner, "read gone.txt", on=on)).startswith(said)


async def test_stopping_ends_the_agent(runner: Runner, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    control = RunControl()
    delegation = runner.delegation(task="Obey.\ndo: hang")
    stream = run_delegation(
        delegation, engine("--lock", str(lock)), ScriptedPerson(), control=control
    )
    events = []
    async with asyncio.timeout(30):
        async for event in stream:
            events.append(event)
            if isinstance(event, TextDelta):
                assert is_held(lock)
                control.interrupt()
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.text) == (Outcome.INTERRUPTED, "waiting")
    assert not is_held(lock)


async def test_leaving_in_a_hurry_leaves_no_agent_behind(runner: Runner, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    control = RunControl()
    delegation = runner.delegation(task="Obey.\ndo: hang")
    stream = run_delegation(
        delegation, engine("--deaf", "--lock", str(lock)), ScriptedPerson(), control=control
    )
    async with asyncio.timeout(30):
        async for event in stream:
            if isinstance(event, TextDelta):
                control.interrupt()
            if isinstance(event, RunFinished):  # The clean-up has only begun.
                break
        await stream.aclose()
        await asyncio.to_thread(wait_for_its_end, lock)


async def test_a_key_in_a_definition_is_masked_in_the_log(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "tulip-garden-7")
    events = await run(runner, "say hello", agent={"prompt": "Log in with tulip-garden-7."})
    (started,) = only(events, RunStarted)
    assert "Log in with" in started.system
    assert "tulip-garden-7" not in started.system


async def test_a_message_during_the_run_reaches_it_next(runner: Runner) -> None:
    control = RunControl()
    control.say("Obey again.\ndo: say second")
    events = await run(runner, "say first", control=control)
    assert answer_of(events) == "firstsecond"
    assert only(events, UserMessage)[0].text.startswith("Obey again.")


async def test_a_run_that_goes_on_tells_what_was_said_before(runner: Runner) -> None:
    before = (
        {"role": "user", "content": "Task: look"},
        {"role": "assistant", "content": [{"type": "text", "text": "I looked."}]},
    )
    events = await run(
        runner,
        "say no",
        messages=before,
        follow_up="Go on.\ndo: say yes",
        engine_before="anthropic",
    )
    assert answer_of(events) == "yes"
    assert any("began with the engine anthropic" in n.text for n in only(events, Notice))


async def test_a_crash_and_a_refusal_are_said_in_words(runner: Runner) -> None:
    crashed = (await run(runner, "crash"))[-1]
    assert isinstance(crashed, RunFailed)
    assert "the agent's own trouble" in crashed.suggestion
    assert "Traceback" not in crashed.error
    refused = await run(runner, "say I won't && refuse")
    assert only(refused, RunFinished)[0].outcome is Outcome.PARTIAL
    gone = (await run(runner, "say x", on=AcpEngine(engine("x").profile)))[-1]
    assert isinstance(gone, RunFailed)  # An argument that it doesn't know.


@walled
async def test_a_program_that_the_walls_hide_is_said(runner: Runner, home: Path) -> None:
    program = home / "bin" / "hidden"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    profile = replace(engine(walls=True).profile, command=(str(program),))
    failed = (await run(runner, "say x", on=AcpEngine(profile)))[-1]
    assert isinstance(failed, RunFailed)
    assert "the walls hide it" in failed.suggestion
    assert f"{{{profile.name}: {{walls: false}}}}" in failed.suggestion
    assert "log in" not in failed.suggestion


async def test_an_agent_that_wants_a_log_in_gets_the_key_or_a_sentence(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    on = engine("--login", environment=["ROBOT_KEY"], login="robot login", title="Robot")
    failed = (await run(runner, "say in", on=on))[-1]
    assert isinstance(failed, RunFailed)
    assert failed.error == "Robot is not logged in."
    assert failed.suggestion == "Log in with `robot login`, or set ROBOT_KEY."
    monkeypatch.setenv("ROBOT_KEY", "k")
    assert answer_of(await run(runner, "say in", on=on)) == "in"


@pytest.mark.parametrize(
    ("wanted", "chosen", "said"),
    [
        ("small", "vendor/small", "answers with Small."),
        ("LARGE", "vendor/large", "answers with Large (slow)."),
        ("huge", "vendor/large", "has no model 'huge' to choose; its model is Large (slow)."),
        ("inherit", "vendor/large", "answers with Large (slow)."),
        ("opus", "vendor/claude-opus-5-10", "answers with vendor/claude-opus-5-10."),
        ("haiku", "other/claude-haiku-4-5", "answers with Haiku."),
        ("gpt-7", "gpt-7", "answers with gpt-7."),
    ],
)
async def test_the_model_is_chosen_and_the_agent_put_into_the_mode_that_asks(
    runner: Runner, wanted: str, chosen: str, said: str
) -> None:
    events = await run(runner, "chosen", on=engine("--choices"), agent={"model": wanted})
    assert answer_of(events) == str({"mode": "default", "model": chosen})
    assert any(said in notice.text for notice in only(events, Notice))


async def test_a_model_of_the_settings_is_for_agents_that_name_none_it_has(runner: Runner) -> None:
    on = engine("--choices", model="vendor/small")
    events = await run(runner, "chosen", on=on, agent={"model": "sonnet"})
    assert "vendor/small" in answer_of(events)


async def test_what_an_agent_says_it_cost_is_counted_once(runner: Runner) -> None:
    control = RunControl()
    control.say("Again.\ndo: cost 0.5 && say second")
    events = await run(runner, "cost 0.2 && cost 0.3 && say first", control=control)
    paid = [event.cost_usd for event in only(events, UsageAdded)]
    assert paid == [pytest.approx(0.3), pytest.approx(0.2)]
    assert only(events, RunFinished)[0].cost_usd == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("way", "outcome", "said"),
    [([], Outcome.PARTIAL, "waiting"), (["g"], Outcome.DONE, "waitingon")],
)
async def test_a_cap_that_is_reached_within_an_answer_stops_it_and_asks(
    way: list[str], outcome: Outcome, said: str, runner: Runner
) -> None:
    person = ScriptedPerson()
    person.ways = way
    events = await run(runner, "cost 0.2 && cost 0.6 && hang", person, budget=Budget(0.5))
    ((title, _, _),) = person.choices
    assert title == "This run has cost $0.60; it may cost $0.50."
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, answer_of(events)) == (outcome, said)
    assert last.cost_usd == pytest.approx(0.6)
    assert any("a cost cap is checked only then" in notice.text for notice in only(events, Notice))


async def test_a_cap_is_looked_at_before_the_agent_is_told_more(runner: Runner) -> None:
    control = RunControl()
    control.say("Again.\ndo: say second")
    events = await run(runner, "cost 0.6 && say first", control=control, budget=Budget(0.5))
    assert answer_of(events) == "first"
    assert only(events, RunFinished)[0].stop_reason == "max_cost"


async def test_claude_code_gets_exactly_the_tools_and_what_may_be_spent(runner: Runner) -> None:
    on = AcpEngine(replace(engine().profile, claude_options=True))
    assert not any("beside the agent's list" in limit for limit in on.limits)
    agent = {"tools": ("Edit", "TodoWrite", "AskUserQuestion")}
    events = await run(runner, "options_told", on=on, agent=agent, budget=Budget(0.5))
    given = json.loads(answer_of(events))["claudeCode"]["options"]
    assert given["tools"] == [
        *("Edit", "NotebookEdit", "TodoWrite"),
        *("TaskCreate", "TaskGet", "TaskList", "TaskUpdate"),
    ]
    assert given["maxBudgetUsd"] == 0.5
    capped = await run(runner, "say some && over", on=on, budget=Budget(0.5))
    last = capped[-1]
    assert isinstance(last, RunFinished)
    assert (last.stop_reason, last.text) == ("max_cost", "some")


async def test_a_call_is_shown_and_asked_about_with_what_was_told_later(
    runner: Runner, workspace: Path
) -> None:
    person = ScriptedPerson(ONCE)
    events = await run(runner, "late a.txt", person)
    (started,) = only(events, ToolStarted)
    assert (started.name, started.input) == ("Edit", {"file_path": str(workspace / "a.txt")})
    assert started.summary == "a.txt"
    (request,) = person.requests
    assert request.tool == "Edit"
    assert "+edited" in request.detail
    assert only(events, ToolFinished)[0].output == "fine"


async def test_without_walls_a_run_that_only_reads_does_not_start(
    runner: Runner, tmp_path: Path
) -> None:
    lock = tmp_path / "lock"
    events = await run(
        runner,
        "sneak x",
        on=engine("--lock", str(lock)),
        permission_mode=PermissionMode.PLAN,
    )
    assert isinstance(events[-1], RunFailed)
    assert not lock.exists()


@walled
async def test_walls_hold_what_it_does_unasked(
    runner: Runner, workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_TOKEN", "t0ken")
    monkeypatch.setenv("ROBOT_KEY", "key")
    (home / ".robot").mkdir()
    (home / ".robot" / "login").write_text("logged-in")
    (home / "secret.txt").write_text("secret")
    on = engine(walls=True, home=[".robot"], environment=["ROBOT_KEY"])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        events = await run(
            runner,
            "sneak in.txt && sneak ../out.txt && look secret.txt && look .robot/login"
            f" && net {port}",
            on=on,
        )
    said = answer_of(events)
    assert (workspace / "in.txt").read_text() == "unasked\n"
    assert not (workspace.parent / "out.txt").exists()
    assert "secret " not in said
    assert "logged-in" in said
    assert "ROBOT_KEY" in said
    assert "OTHER_TOKEN" not in said
    assert said.endswith("network")
    assert "no network" not in said


KILLED = """
import asyncio, sys
from pathlib import Path
from secretary_tui.delegation.acp.acp_process import AcpProcess
from secretary_tui.engines.acp.acp_profiles import AcpProfile

async def main():
    profile = AcpProfile("robot", "Robot", tuple(sys.argv[2:]), walls=sys.argv[1] == "walls")
    process = AcpProcess(profile, Path.cwd(), writable=True)
    await process.start()
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@walled
@pytest.mark.parametrize("walls", ["walls", "open"])
def test_killing_the_program_leaves_no_agent_behind(walls: str, workspace: Path) -> None:
    lock = workspace / "lock"
    # Deaf to the end of its input, as a hung agent would be.
    stays = f"import fcntl, time; f = open({str(lock)!r}, 'w'); fcntl.flock(f, 2); time.sleep(600)"
    program = subprocess.Popen(
        [sys.executable, "-c", KILLED, walls, sys.executable, "-c", stays],
        cwd=workspace,
        stdout=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    until(lambda: lock.exists() and is_held(lock))
    program.kill()
    program.wait()
    program.stdout.close()
    until(lambda: not is_held(lock))


@walled
@pytest.mark.parametrize(
    "fields", [{"permission_mode": PermissionMode.PLAN}, {"agent": {"tools": ("Read",)}}]
)
async def test_behind_walls_a_reader_cannot_write(
    fields: dict[str, Any], runner: Runner, workspace: Path
) -> None:
    events = await run(runner, "sneak x", on=engine(walls=True), **fields)
    assert "held" in answer_of(events)
    assert not (workspace / "x").exists()


def test_an_agent_that_is_not_installed_is_offered_with_the_reason() -> None:
    config = Config(engines={"robot": {"command": "no-such-program --acp"}})
    offer = next(one for one in engine_offers(config, {}) if one.name == "robot")
    assert "no program 'no-such-program'" in offer.problem
    adapter = missing_program(replace(KNOWN_AGENTS["claude-code"], command=("no-such-program",)))
    assert "npm install -g @agentclientprotocol/claude-agent-acp" in adapter
    wrong = choose_engine(Config(engine="robot", engines={"robot": {"command": 3}}), {})
    assert wrong.engine is None
    assert "command must be a list" in wrong.why
    climbing = {"robot": {"command": "x", "home": ["../other"]}}
    assert "home" in choose_engine(Config(engine="robot", engines=climbing), {}).why
