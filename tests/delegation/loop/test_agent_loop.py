"""A run from its first event to its last, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from secretary_tui.delegation.run_delegation import RunControl
from secretary_tui.events import (
    MessageAdded,
    Notice,
    Outcome,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnStarted,
    UsageAdded,
    UserMessage,
    to_json,
)
from secretary_tui.registry.definition.spec import MOST_TURNS
from tests.delegation.conftest import Runner, ScriptedPerson, only
from tests.servers.anthropic_server import (
    ScriptedServer,
    answer,
    cut,
    hang,
    raw_block,
    text,
    thinking,
    tool_use,
    wait_for,
)


async def test_a_run_tells_its_story_in_order(runner: Runner) -> None:
    (runner.workspace / "a.txt").write_text("forty-two")
    with ScriptedServer(
        answer(thinking("let me look"), text("I look."), tool_use("Read", {"file_path": "a.txt"})),
        answer(text("It says forty-two.")),
    ) as server:
        events = await runner.run(server, confidence=88)
    assert isinstance(events[0], RunStarted)
    assert events[0].agent_hash == "abc"
    assert events[0].confidence == 88
    assert events[0].tools[:6] == ("Read", "Write", "Edit", "Glob", "Grep", "Bash")
    order = [e.type for e in events if e.type not in ("text_delta", "thinking_delta", "notice")]
    assert order == [
        *("run_started", "message_added", "turn_started", "usage_added", "message_added"),
        *("tool_started", "tool_finished", "message_added"),
        *("turn_started", "usage_added", "message_added", "run_finished"),
    ]
    assert "".join(e.text for e in only(events, ThinkingDelta)) == "let me look"
    assert "".join(e.text for e in only(events, TextDelta)) == "I look.It says forty-two."
    assert only(events, ToolFinished)[0].output == "forty-two"
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.text, last.turns) == (Outcome.DONE, "It says forty-two.", 2)
    assert last.usage.input_tokens == 24
    assert last.cost_usd == pytest.approx(38e-6)
    assert sum((u.cost_usd or 0) for u in only(events, UsageAdded)) == last.cost_usd
    json.dumps([to_json(event) for event in events])


async def test_the_model_reads_task_system_and_only_the_listed_tools(runner: Runner) -> None:
    with ScriptedServer(answer(text("ok"))) as server:
        await runner.run(
            server,
            agent={"tools": ("Read", "Grep")},
            context=("Which part? src",),
            task="Check src",
        )
        body = server.requests[0].body
    prompt = body["messages"][0]["content"][0]["text"]
    assert prompt.startswith("Task: Check src\n\nContext:\nThe user's words: check the code\n")
    assert "Which part? src" in prompt
    assert prompt.endswith("\n\nReturn your findings in structured format.")
    assert body["system"][0]["text"].startswith("You are a tester.")
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert str(runner.workspace) in body["system"][0]["text"]
    assert [tool["name"] for tool in body["tools"]] == ["Read", "Grep"]
    assert body["max_tokens"] == 512
    assert "thread" not in body


async def test_what_the_log_holds_is_what_the_model_was_sent(runner: Runner) -> None:
    (runner.workspace / "a.txt").write_text("x")
    with ScriptedServer(
        answer(text("A"), tool_use("Read", {"file_path": "a.txt"}, id="t1")), answer(text("B"))
    ) as server:
        events = await runner.run(server)
        sent = server.requests[1].body["messages"]
    added = [{"role": e.role, "content": e.content} for e in only(events, MessageAdded)][:3]
    for message in sent:
        for block in message["content"] if isinstance(message["content"], list) else []:
            block.pop("cache_control", None)
    assert sent == added


@pytest.mark.parametrize("name", ["bash", "Bash ", "Write", "WebSearch"])
async def test_a_tool_that_is_not_offered_is_refused_by_code(runner: Runner, name: str) -> None:
    calls = tool_use(name, {"command": "touch hacked", "file_path": "hacked", "content": "x"})
    with ScriptedServer(answer(calls), answer(text("sorry"))) as server:
        person = ScriptedPerson()
        events = await runner.run(server, person, agent={"tools": ("Read",)})
        result = server.requests[1].body["messages"][-1]["content"][0]
    assert result["is_error"] is True
    assert "Available, spelled exactly so: Read." in result["content"]
    assert not (runner.workspace / "hacked").exists()
    assert person.requests == []
    assert only(events, ToolFinished)[0].is_error


async def test_input_that_is_no_object_runs_nothing(runner: Runner) -> None:
    with ScriptedServer(answer(tool_use("Glob", [1, 2])), answer(text("ok"))) as server:
        events = await runner.run(server)
        assert "must be a JSON object" in only(events, ToolFinished)[0].output
        assert server.requests[1].body["messages"][1]["content"][0]["input"] == {}


async def test_a_call_cut_off_by_max_tokens_is_not_run(runner: Runner) -> None:
    call = tool_use("Write", {}, raw='{"file_path": "x", "cont')
    step = answer(text("Now I write"), call, stop_reason="max_tokens")
    with ScriptedServer(step) as server:
        events = await runner.run(server)
    assert only(events, ToolStarted) == []
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.stop_reason) == (Outcome.PARTIAL, "max_tokens")
    assert any("cut off" in notice.text for notice in only(events, Notice))
    assert only(events, MessageAdded)[-1].content == [{"type": "text", "text": "Now I write"}]


@pytest.mark.parametrize(
    ("stop_reason", "words"),
    [
        ("refusal", "declined to go on (cyber)"),
        ("model_context_window_exceeded", "no longer fits"),
        ("some_new_reason", "unknown here (some_new_reason)"),
    ],
)
async def test_an_early_end_is_said_in_plain_words(
    runner: Runner, stop_reason: str, words: str
) -> None:
    step = answer(
        text("Half"),
        stop_reason=stop_reason,
        stop_details={"type": "refusal", "category": "cyber", "explanation": None},
    )
    with ScriptedServer(step) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome is Outcome.PARTIAL
    assert any(words in notice.text for notice in only(events, Notice))


async def test_a_refusal_without_a_word_is_a_failure_with_a_suggestion(runner: Runner) -> None:
    with ScriptedServer(answer(stop_reason="refusal")) as server:
        events = await runner.run(server)
    assert isinstance(events[-1], RunFailed)
    assert events[-1].suggestion == "Rephrase the task or choose another agent."


async def test_a_paused_answer_is_taken_up_again(runner: Runner) -> None:
    with ScriptedServer(answer(text("Part"), stop_reason="pause_turn"), answer(text("End"))) as s:
        events = await runner.run(s)
        assert s.requests[1].body["messages"][-1]["role"] == "assistant"
    assert len(only(events, TurnStarted)) == 2
    assert isinstance(events[-1], RunFinished)


async def test_a_definition_lifts_the_limit_on_turns_to_200_and_no_further(
    runner: Runner, workspace: Path
) -> None:
    turns = [answer(tool_use("Glob", {"pattern": f"*.{n}"}, id=f"t{n}")) for n in range(201)]
    with ScriptedServer(*turns) as server:
        events = await runner.run(server, agent={"max_turns": 999_999_999, "tools": ("Glob",)})
        assert len(server.requests) == MOST_TURNS == 200
    assert only(events, RunFinished)[0].stop_reason == "max_turns"


async def test_max_turns_ends_the_run_as_partial(runner: Runner) -> None:
    step = answer(text("Again"), tool_use("Glob", {"pattern": "*"}))
    with ScriptedServer(step, repeat_last=True) as server:
        events = await runner.run(server, agent={"max_turns": 2})
        assert len(server.requests) == 2
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.stop_reason, last.text) == (Outcome.PARTIAL, "max_turns", "Again")


async def test_interrupting_keeps_the_text_that_came(runner: Runner) -> None:
    gate = threading.Event()
    control = RunControl()
    with ScriptedServer(wait_for(gate, answer(text("Hello world", chunk=6)))) as server:
        events = []
        async with asyncio.timeout(10):
            async for event in runner.stream(server, control=control):
                events.append(event)
                if isinstance(event, TextDelta):
                    control.interrupt()
        assert await asyncio.to_thread(server.wait_until, lambda s: s.connections_dropped == 1)
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.text) == (Outcome.INTERRUPTED, "Hello ")
    assert last.usage.input_tokens == 12
    assert only(events, MessageAdded)[-1].content == [{"type": "text", "text": "Hello "}]


async def test_interrupting_a_question_withdraws_it_and_answers_every_call(runner: Runner) -> None:
    (runner.workspace / "a").write_text("A")
    person = ScriptedPerson()
    control = RunControl()
    step = answer(
        tool_use("Read", {"file_path": "a"}, id="t1"), tool_use("Bash", {"command": "ls"}, id="t2")
    )
    with ScriptedServer(step) as server:
        person.on_ask = lambda _: control.interrupt()
        events = await runner.run(server, person, control=control)
    assert person.withdrawn
    results = only(events, MessageAdded)[-1].content
    assert [(r["tool_use_id"], r["is_error"]) for r in results] == [("t1", False), ("t2", True)]
    assert results[0]["content"] == "A"
    assert isinstance(events[-1], RunFinished)


async def test_a_run_interrupted_before_it_began_still_has_both_ends(runner: Runner) -> None:
    control = RunControl()
    control.interrupt()
    with ScriptedServer(hang()) as server:
        events = await runner.run(server, control=control)
        assert server.requests == []
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFinished)
    assert len(only(events, RunStarted)) == len(only(events, RunFinished)) == 1


async def test_closing_the_stream_of_events_closes_the_connection(runner: Runner) -> None:
    with ScriptedServer(wait_for(threading.Event(), answer(text("Hello world")))) as server:
        stream = runner.stream(server)
        async for event in stream:
            if isinstance(event, TextDelta):
                break
        await stream.aclose()
        assert await asyncio.to_thread(server.wait_until, lambda s: s.connections_dropped == 1)
    running = {t.get_coro().__qualname__ for t in asyncio.all_tasks()}  # type: ignore[union-attr]
    assert "_drive" not in running


async def test_a_continued_run_sends_the_old_conversation_and_the_follow_up(
    runner: Runner,
) -> None:
    old = (
        {"role": "user", "content": "Task: x"},
        {"role": "assistant", "content": [{"type": "text", "text": "Done \ud800 x"}]},
    )
    with ScriptedServer(answer(text("More"))) as server:
        events = await runner.run(server, messages=old, follow_up="And now?")
        sent = server.requests[0].body["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "user"]
    assert sent[2]["content"][0]["text"] == "And now?"
    assert [e.text for e in only(events, UserMessage)] == ["And now?"]
    started = only(events, RunStarted)[0]
    assert started.resumed


async def test_a_run_cut_off_in_a_tool_can_be_continued(runner: Runner) -> None:
    old = (
        {"role": "user", "content": "Task: x"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}],
        },
    )
    with ScriptedServer(answer(text("Fine"))) as server:
        events = await runner.run(server, messages=old, follow_up="Go on")
        sent = server.requests[0].body["messages"]
    assert isinstance(events[-1], RunFinished)
    assert "tool_use" not in json.dumps(sent)


async def test_lone_surrogates_reach_neither_log_nor_next_request(runner: Runner) -> None:
    first = answer(text("bad \ud800 half", chunk=5), tool_use("Glob", {"pattern": "*"}))
    emoji = raw_block(
        {"type": "text", "text": ""},
        {"type": "text_delta", "text": "ok \ud83d"},
        {"type": "text_delta", "text": "\ude00"},
    )
    with ScriptedServer(first, answer(emoji)) as server:
        events = await runner.run(server)
        assert len(server.requests) == 2
    for event in events:
        json.dumps(to_json(event), ensure_ascii=False).encode("utf-8")
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "ok 😀"
    assert only(events, TextDelta)[-1].text == "😀"


async def test_escape_sequences_of_the_model_are_not_passed_on(runner: Runner) -> None:
    with ScriptedServer(answer(text("a\x1b]52;c;aGk=\x07b", chunk=40))) as server:
        events = await runner.run(server)
    assert "".join(e.text for e in only(events, TextDelta)) == "ab"


async def test_a_workspace_that_is_gone_is_a_failure_in_words(
    runner: Runner, tmp_path: Path
) -> None:
    with ScriptedServer(hang()) as server:
        events = await runner.run(server, workspace=tmp_path / "gone")
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFailed)
    assert "is not a folder" in events[-1].error


async def test_an_unknown_tool_is_named_in_one_warning(runner: Runner) -> None:
    with ScriptedServer(answer(text("ok"))) as server:
        events = await runner.run(server, agent={"tools": ("Read", "LSP", "mcp__x__y")})
    warnings = [n.text for n in only(events, Notice) if n.severity == "warning"]
    assert warnings[0] == "LSP is not available here; the agent runs without."
    assert "The MCP server x is described neither" in warnings[1]
    assert len(warnings) == 2


async def test_an_answer_that_never_comes_whole_fails_after_all_attempts(runner: Runner) -> None:
    with ScriptedServer(cut("Hel"), repeat_last=True) as server:
        events = await runner.run(server)
        assert len(server.requests) == 5
    assert isinstance(events[-1], RunFailed)
    assert len(runner.slept) == 4
