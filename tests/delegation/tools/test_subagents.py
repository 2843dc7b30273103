"""Agent (once Task): a called agent has at most its caller's powers, and everything is told."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.delegation.call_limits import MAX_CALLS, MAX_DEPTH, CallableLibrary, Lineage
from secretary_tui.delegation.permissions.offered_tools import OfferedTools, offered_tools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.run_delegation import RunControl
from secretary_tui.events import (
    Outcome,
    RunEvent,
    RunFinished,
    RunStarted,
    SubagentEvent,
    ToolFinished,
    UsageAdded,
    from_json,
)
from secretary_tui.people import ToolDecision
from tests.delegation.conftest import Runner, ScriptedPerson, make_agent, only
from tests.servers.anthropic_server import Block, ScriptedServer, answer, hang, text, tool_use

CALLER = {"name": "boss", "tools": ("Read", "Bash", "Agent")}


def agents(folder: Path, **tools: Any) -> CallableLibrary:
    """A library of agents by name: their tools, or all of their fields."""
    return CallableLibrary(
        tuple(
            make_agent(
                folder,
                name=name,
                description=f"The {name}. More about it.",
                **(given if isinstance(given, dict) else {"tools": given}),
            )
            for name, given in tools.items()
        )
    )


def call(agent: str, prompt: str = "Look.", name: str = "Agent") -> Block:
    return tool_use(name, {"description": "a look", "prompt": prompt, "subagent_type": agent})


def inner(events: Iterable[RunEvent]) -> list[RunEvent]:
    """The events of called agents, unwrapped once."""
    found = (from_json(event.event) for event in only(events, SubagentEvent))
    return [event for event in found if event is not None]


async def test_the_tool_lists_the_other_agents(runner: Runner) -> None:
    library = agents(runner.workspace, helper=("Read",), boss=("Read",))
    with ScriptedServer(answer(text("ok"))) as server:
        await runner.run(server, agent=CALLER, library=library)
        tools = {tool["name"]: tool for tool in server.requests[0].body["tools"]}
    listing = tools["Agent"]["description"]
    assert "- helper: The helper." in listing
    assert "boss" not in listing


async def test_a_huge_library_is_listed_in_bounds(runner: Runner) -> None:
    library = agents(runner.workspace, **{f"agent-{n}": ("Read",) for n in range(500)})
    with ScriptedServer(answer(text("ok"))) as server:
        await runner.run(server, agent=CALLER, library=library)
        tools = {tool["name"]: tool for tool in server.requests[0].body["tools"]}
    listing = tools["Agent"]["description"]
    assert len(listing) < 13_000
    assert "agent-250" in listing.splitlines()[-1], "beyond the descriptions, names are told"
    assert "agent-499" in listing


async def test_a_library_without_bounds_is_listed_in_bounds(runner: Runner) -> None:
    library = agents(runner.workspace, **{f"agent-{n}": ("Read",) for n in range(2_000)})
    with ScriptedServer(answer(text("ok"))) as server:
        await runner.run(server, agent=CALLER, library=library)
        tools = {tool["name"]: tool for tool in server.requests[0].body["tools"]}
    listing = tools["Agent"]["description"]
    assert len(listing) < 13_000
    assert re.search(r"and \d+ more$", listing.splitlines()[-1])


async def test_the_called_agent_works_and_its_answer_goes_back(runner: Runner) -> None:
    (runner.workspace / "a.txt").write_text("forty-two")
    library = agents(runner.workspace, helper=("Read", "Write"))
    with ScriptedServer(
        answer(call("helper", "Read a.txt.")),
        answer(text("I look."), tool_use("Read", {"file_path": "a.txt"})),
        answer(text("It says forty-two.")),
        answer(text("Done: forty-two.")),
    ) as server:
        events = await runner.run(server, agent=CALLER, library=library)
        first, last = server.requests[1].body, server.requests[3].body
    assert first["messages"][0]["content"][0]["text"].startswith("Task: Read a.txt.")
    assert [tool["name"] for tool in first["tools"]] == ["Read"], "Write is not the caller's"
    assert last["messages"][-1]["content"][0]["content"] == "It says forty-two."
    told = inner(events)
    assert isinstance(told[0], RunStarted)
    assert told[0].agent == "helper"
    assert only(told, ToolFinished)[0].output == "forty-two"
    assert only(told, RunFinished)[0].text == "It says forty-two."
    end = only(events, RunFinished)[0]
    assert end.text == "Done: forty-two."
    assert end.usage.input_tokens == 4 * 12, "the caller pays for all"
    assert sum((paid.cost_usd or 0) for paid in only(events, UsageAdded)) == end.cost_usd


async def test_streamed_text_of_a_called_agent_is_one_event(runner: Runner) -> None:
    library = agents(runner.workspace, helper=("Read",))
    with ScriptedServer(
        answer(call("helper")), answer(text("word " * 50)), answer(text("ok"))
    ) as server:
        events = await runner.run(server, agent=CALLER, library=library)
    assert [event.type for event in inner(events)].count("text_delta") == 1


@pytest.mark.parametrize("name", ["boss", "nobody", "Helper ", "../helper"])
async def test_itself_and_unknown_agents_are_refused(runner: Runner, name: str) -> None:
    library = agents(runner.workspace, helper=("Read",), boss=("Agent",))
    with ScriptedServer(answer(call(name)), answer(text("ok"))) as server:
        events = await runner.run(server, agent=CALLER, library=library)
        assert len(server.requests) == 2
    result = only(events, ToolFinished)[0]
    # The input's own blanks are trimmed; anything else must be spelled as listed.
    assert result.is_error


async def test_agents_that_call_each_other_end_at_the_first_repetition(runner: Runner) -> None:
    library = agents(runner.workspace, a=("Agent",), b=("Agent",))
    with ScriptedServer(
        answer(call("b")), answer(call("a")), answer(text("b done")), answer(text("a done"))
    ) as server:
        events = await runner.run(server, agent={"name": "a", "tools": ("Agent",)}, library=library)
        nested = server.requests[1].body
    assert "tools" not in nested or not nested["tools"], "b may call nobody, so it has no Agent"
    refused = only(inner(events), ToolFinished)[0]
    assert refused.is_error
    assert "no tool 'Agent'" in refused.output


async def test_calls_lead_three_agents_deep_and_no_deeper(runner: Runner) -> None:
    names = [f"level{n}" for n in range(1, MAX_DEPTH + 2)]
    library = agents(runner.workspace, **dict.fromkeys(names, ("Agent",)))
    down = [answer(call(name)) for name in names]
    up = [answer(text("back"))] * 5
    with ScriptedServer(*down, *up) as server:
        events = await runner.run(
            server, agent={"name": "top", "tools": ("Agent",)}, library=library
        )
        offered = [
            [tool["name"] for tool in request.body.get("tools", [])] for request in server.requests
        ]
    assert offered[: MAX_DEPTH + 1] == [["Agent"]] * MAX_DEPTH + [[]]
    assert events[-1].type == "run_finished"


async def test_a_run_may_call_only_so_many(runner: Runner) -> None:
    library = agents(runner.workspace, helper=())
    calls = [answer(*(call("helper") for _ in range(MAX_CALLS + 1)))]
    with ScriptedServer(*calls, answer(text("ok")), repeat_last=True) as server:
        events = await runner.run(server, agent=CALLER, library=library)
    ends = only(events, ToolFinished)
    assert [end.is_error for end in ends] == [False] * MAX_CALLS + [True]


async def test_a_called_agent_is_confined_by_its_callers_patterns_too(runner: Runner) -> None:
    boss = {"name": "boss", "tools": ("Bash(git status:*)", "Read(docs/**)", "Agent")}
    library = agents(runner.workspace, helper=("*",))
    (runner.workspace / "x.txt").write_text("secret")
    with ScriptedServer(
        answer(call("helper")),
        answer(
            tool_use("Bash", {"command": "touch hacked"}),
            tool_use("Read", {"file_path": "x.txt"}),
            tool_use("Write", {"file_path": "y", "content": "x"}),
            tool_use("Glob", {"pattern": "*"}),
        ),
        answer(text("no")),
        answer(text("ok")),
    ) as server:
        person = ScriptedPerson()
        events = await runner.run(server, person, agent=boss, library=library)
    assert [end.is_error for end in only(inner(events), ToolFinished)] == [True] * 4
    assert person.requests == []
    assert sorted(path.name for path in runner.workspace.iterdir()) == ["x.txt"]


async def test_what_the_caller_is_denied_its_callees_are_denied(runner: Runner) -> None:
    boss = {"name": "boss", "tools": ("Bash", "Agent"), "disallowed_tools": ("Bash(touch:*)",)}
    library = agents(runner.workspace, helper=("Bash",))
    with ScriptedServer(
        answer(call("helper")),
        answer(tool_use("Bash", {"command": "touch hacked"})),
        answer(text("no")),
        answer(text("ok")),
    ) as server:
        person = ScriptedPerson()
        events = await runner.run(server, person, agent=boss, library=library)
    assert only(inner(events), ToolFinished)[0].is_error
    assert person.requests == []


async def test_the_prompt_names_the_called_agent_and_its_caller(runner: Runner) -> None:
    library = agents(runner.workspace, helper=("Bash",))
    with ScriptedServer(
        answer(call("helper")),
        answer(tool_use("Bash", {"command": "touch made"})),
        answer(text("made")),
        answer(text("ok")),
    ) as server:
        person = ScriptedPerson(ToolDecision.DENY)
        await runner.run(server, person, agent=CALLER, library=library)
    assert person.requests[0].agent == "helper (called by boss)"
    assert not (runner.workspace / "made").exists()


@pytest.mark.parametrize("mode", ["bypassPermissions", "acceptEdits", None])
async def test_a_called_agent_never_loosens_the_callers_mode(
    runner: Runner, mode: str | None
) -> None:
    library = agents(runner.workspace, helper={"tools": ("Write",), "permission_mode": mode})
    boss = {"name": "boss", "tools": ("Write", "Agent"), "permission_mode": "plan"}
    with ScriptedServer(
        answer(call("helper")),
        answer(tool_use("Write", {"file_path": "x", "content": "x"})),
        answer(text("no")),
        answer(text("ok")),
    ) as server:
        person = ScriptedPerson()
        events = await runner.run(
            server,
            person,
            agent=boss,
            library=library,
            permission_mode=PermissionMode.ACCEPT_EDITS,
        )
    assert only(inner(events), ToolFinished)[0].is_error
    assert not (runner.workspace / "x").exists()
    assert person.requests == []


async def test_only_agents_that_the_definition_names_can_be_called(runner: Runner) -> None:
    boss = {"name": "boss", "tools": ("Task(helper, other)",)}
    library = agents(runner.workspace, helper=(), third=())
    with ScriptedServer(answer(call("third")), answer(text("ok"))) as server:
        events = await runner.run(server, agent=boss, library=library)
        listing = server.requests[0].body["tools"][0]["description"]
    assert "- helper:" in listing
    assert "- third:" not in listing
    assert only(events, ToolFinished)[0].is_error


async def test_a_deny_rule_for_an_agent_holds(runner: Runner, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"permissions": {"deny": ["Task(helper)"]}}')
    library = agents(runner.workspace, helper=())
    with ScriptedServer(answer(call("helper")), answer(text("ok"))) as server:
        events = await runner.run(server, agent=CALLER, library=library)
        assert len(server.requests) == 2
    assert "Task(helper)" in only(events, ToolFinished)[0].output


async def test_the_old_name_of_the_tool_is_not_offered(runner: Runner) -> None:
    library = agents(runner.workspace, helper=())
    with ScriptedServer(answer(call("helper", name="Task")), answer(text("ok"))) as server:
        events = await runner.run(server, agent=CALLER, library=library)
    assert only(events, ToolFinished)[0].is_error


async def test_interrupting_the_run_ends_the_called_agent(runner: Runner) -> None:
    library = agents(runner.workspace, helper=("Read",))
    control = RunControl()
    with ScriptedServer(answer(call("helper")), hang()) as server:

        async def stop() -> None:
            await asyncio.to_thread(server.wait_until, lambda s: len(s.requests) == 2)
            control.interrupt()

        stopper = asyncio.create_task(stop())
        events = await runner.run(server, agent=CALLER, library=library, control=control)
        await stopper
        assert await asyncio.to_thread(server.wait_until, lambda s: s.connections_dropped == 1) or (
            len(server.requests) == 2
        )
    assert only(inner(events), RunFinished)[0].outcome is Outcome.INTERRUPTED
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.outcome is Outcome.INTERRUPTED


async def test_a_failure_of_the_called_agent_is_a_sentence_for_its_caller(runner: Runner) -> None:
    from tests.servers.anthropic_server import error

    library = agents(runner.workspace, helper=())
    broken = error(400, "invalid_request_error", "model: not here")
    with ScriptedServer(answer(call("helper")), broken, answer(text("ok"))) as server:
        events = await runner.run(server, agent=CALLER, library=library)
    result = only(events, ToolFinished)[0]
    assert result.is_error
    assert result.output.startswith("helper failed: ")
    assert isinstance(events[-1], RunFinished)


async def test_a_called_agent_has_half_of_its_callers_turns(runner: Runner) -> None:
    library = agents(runner.workspace, helper={"tools": ("Glob",), "max_turns": 100})
    boss = {"name": "boss", "tools": ("Glob", "Agent"), "max_turns": 10}
    looks = [answer(tool_use("Glob", {"pattern": "*"})) for _ in range(5)]
    with ScriptedServer(answer(call("helper")), *looks, answer(text("ok"))) as server:
        events = await runner.run(server, agent=boss, library=library)
    end = only(inner(events), RunFinished)[0]
    assert (end.outcome, end.stop_reason, end.turns) == (Outcome.PARTIAL, "max_turns", 5)
    assert "ended early (max_turns)" in only(events, ToolFinished)[0].output


async def test_a_called_agent_stops_when_its_tokens_are_used_up(runner: Runner) -> None:
    library = agents(runner.workspace, helper=("Glob",))
    boss = {"name": "boss", "tools": ("Glob", "Agent")}
    much = answer(tool_use("Glob", {"pattern": "*"}), usage={"input_tokens": 500_000})
    with ScriptedServer(answer(call("helper")), much, answer(text("ok"))) as server:
        events = await runner.run(server, agent=boss, library=library)
    assert only(inner(events), RunFinished)[0].stop_reason == "budget_spent"


def test_what_is_left_shrinks_with_every_call() -> None:
    lineage = Lineage()
    caller = offered_tools(make_agent(Path("/p"), tools=("Read", "Grep", "Bash(ls:*)")))
    tokens, turns = [], []
    for name in ("a", "b", "c"):
        lineage = lineage.below(name, caller, lineage.turns(50))
        turns.append(lineage.turns(50))
        tokens.append(lineage.max_tokens)
    assert turns == [25, 12, 6]
    assert tokens == [400_000, 200_000, 100_000]
    assert lineage.name("d") == "d (called by c, by b, by a)"
    assert not lineage.may_call
    child = offered_tools(make_agent(Path("/p"), tools=("*",))).within(caller)
    assert child.names == ("Read", "Grep", "Bash")
    assert child.patterns("Bash") == (("ls:*",),)
    assert OfferedTools(()).within(caller).names == ()
