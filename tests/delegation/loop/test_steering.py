"""What the user says while a run goes on reaches its agent, in the right place and only once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from secretary_tui.delegation.call_limits import CallableLibrary
from secretary_tui.delegation.carrier.run_control import RunControl
from secretary_tui.events import (
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    SubagentEvent,
    TextDelta,
    UserMessage,
)
from secretary_tui.people import ToolDecision
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import load_run
from tests.delegation.conftest import Runner, ScriptedPerson, make_agent, only
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    answer,
    error,
    text,
    tool_use,
    wait_for,
)

LOOKING = answer(text("I look."), tool_use("Read", {"file_path": "a.txt"}, id="t1"))


class Held:
    """A server whose first answer waits, half said, until the user has acted."""

    def __init__(self, first: Step, *steps: Step) -> None:
        self.gate = threading.Event()
        self.server = ScriptedServer(wait_for(self.gate, first), *steps)

    async def run(
        self, runner: Runner, act: Callable[[RunControl], None], **fields: Any
    ) -> tuple[list[RunEvent], RunControl]:
        """Run, and act when the first words came."""
        (runner.workspace / "a.txt").write_text("forty-two")
        control = RunControl()
        events: list[RunEvent] = []
        with self.server as server:
            async for event in runner.stream(server, control=control, **fields):
                if isinstance(event, TextDelta) and not self.gate.is_set():
                    act(control)
                    self.gate.set()
                events.append(event)
        return events, control

    def sent(self, number: int) -> list[Any]:
        """The messages of a request."""
        messages: list[Any] = self.server.requests[number].body["messages"]
        return messages


def say(*messages: str) -> Callable[[RunControl], None]:
    """Say each of them."""

    def act(control: RunControl) -> None:
        for message in messages:
            control.say(message)

    return act


def blocks(message: Any) -> list[tuple[str, str]]:
    """Kind and text of each block of a message."""
    content = message["content"]
    if isinstance(content, str):
        return [("text", content)]
    return [(b["type"], b.get("text") or b.get("tool_use_id") or b.get("id")) for b in content]


async def test_a_message_comes_behind_the_results_of_the_turn_before_the_next_request(
    runner: Runner,
) -> None:
    held = Held(LOOKING, answer(text("Done.")))
    events, control = await held.run(runner, say("not b.txt", "be short"))
    sent = held.sent(1)
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert blocks(sent[1]) == [("text", "I look."), ("tool_use", "t1")]
    assert blocks(sent[2]) == [("tool_result", "t1"), ("text", "not b.txt"), ("text", "be short")]
    assert [m.text for m in only(events, UserMessage)] == ["not b.txt", "be short"]
    assert control.waiting == ()
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert (last.outcome, last.text, last.turns) == (Outcome.DONE, "Done.", 2)


async def test_a_run_that_was_about_to_end_goes_on_with_the_message(runner: Runner) -> None:
    held = Held(answer(text("First.")), answer(text("Second.")))
    events, _ = await held.run(runner, say("and the logout?"))
    assert [blocks(message) for message in held.sent(1)[1:]] == [
        [("text", "First.")],
        [("text", "and the logout?")],
    ]
    assert len(only(events, RunFinished)) == 1
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text == "Second."


async def test_a_cut_answer_is_said_to_be_cut_before_the_message_follows(runner: Runner) -> None:
    held = Held(answer(text("First"), stop_reason="max_tokens"), answer(text("Second.")))
    events, _ = await held.run(runner, say("go on, shorter"))
    assert any("cut off" in notice.text for notice in only(events, Notice))
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome is Outcome.DONE


async def test_a_message_said_before_the_first_request_joins_the_task(runner: Runner) -> None:
    control = RunControl()
    control.say("only the tests")
    with ScriptedServer(answer(text("Done."))) as server:
        await runner.run(server, control=control)
        (task,) = server.requests[0].body["messages"]
    assert task["role"] == "user"
    assert blocks(task)[-1] == ("text", "only the tests")
    assert "check the code" in blocks(task)[0][1]


async def test_a_message_said_during_a_question_waits_for_its_answer(runner: Runner) -> None:
    person, control = ScriptedPerson(ToolDecision.DENY), RunControl()
    person.on_ask = lambda _: control.say("use git instead")
    step = answer(tool_use("Bash", {"command": "ls"}, id="t1"))
    with ScriptedServer(step, answer(text("Done."))) as server:
        await runner.run(server, person, control=control)
        sent = server.requests[1].body["messages"]
    assert blocks(sent[-1]) == [("tool_result", "t1"), ("text", "use git instead")]


async def test_a_paused_answer_is_continued_before_the_message(runner: Runner) -> None:
    held = Held(
        answer(text("One, two."), stop_reason="pause_turn"),
        answer(text("Two."), tool_use("Read", {"file_path": "a.txt"}, id="t1")),
        answer(text("Three.")),
    )
    await held.run(runner, say("wait"))
    assert held.sent(1)[-1]["role"] == "assistant"
    assert blocks(held.sent(2)[-1])[-1] == ("text", "wait")


async def test_what_comes_too_late_or_after_the_last_turn_allowed_stays(runner: Runner) -> None:
    held = Held(LOOKING)
    events, control = await held.run(runner, say("x"), agent={"max_turns": 1})
    assert len(held.server.requests) == 1
    assert control.waiting == ("x",)
    assert not only(events, UserMessage)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].stop_reason == "max_turns"


async def test_interrupting_leaves_what_was_not_told(runner: Runner) -> None:
    def act(control: RunControl) -> None:
        control.say("x")
        control.interrupt()

    events, control = await Held(answer(text("Hello world", chunk=6))).run(runner, act)
    assert control.withdraw() == ("x",)
    assert control.waiting == control.said == ()
    assert not only(events, UserMessage)


async def test_a_failed_run_knows_all_that_was_said_for_a_second_attempt(runner: Runner) -> None:
    held = Held(LOOKING, error(400, "invalid_request_error", "No."))
    events, control = await held.run(runner, say("x"))
    assert isinstance(events[-1], RunFailed)
    assert control.waiting == ()
    assert control.said == ("x",)


async def test_hostile_characters_of_a_message_reach_nobody(runner: Runner) -> None:
    control = RunControl()
    control.say("  \n ")
    control.say(" a\x1b]0;x\x07b\ud800 ")
    with ScriptedServer(answer(text("Done."))) as server:
        events = await runner.run(server, control=control)
    assert [m.text for m in only(events, UserMessage)] == ["ab\ufffd"]


async def test_an_agent_that_was_called_is_not_told(runner: Runner) -> None:
    child = make_agent(runner.workspace, name="child", path=runner.workspace / "child.md")
    asked = {"subagent_type": "child", "prompt": "look", "description": "looks"}
    gate, control = threading.Event(), RunControl()
    with ScriptedServer(
        answer(tool_use("Agent", asked, id="c1")),
        wait_for(gate, LOOKING),
        answer(text("The child says so.")),
        answer(text("Done.")),
    ) as server:
        async for event in runner.stream(
            server,
            control=control,
            agent={"tools": ("Agent", "Read")},
            library=CallableLibrary((child,)),
        ):
            if isinstance(event, SubagentEvent) and not gate.is_set():
                control.say("hurry")
                gate.set()
        assert len(server.requests) == 4
        assert "hurry" not in str(server.requests[2].body["messages"])
        assert blocks(server.requests[3].body["messages"][-1]) == [
            ("tool_result", "c1"),
            ("text", "hurry"),
        ]


async def test_a_message_stands_in_the_log_and_a_resume_sends_it_again(runner: Runner) -> None:
    held = Held(LOOKING, answer(text("Done.")))
    events, _ = await held.run(runner, say("not b.txt"))
    with RunLog.create(runner.workspace, "20260101-101010-abcd") as log:
        for event in events:
            log.append(event)
    record = load_run("20260101-101010-abcd")
    assert [m.text for m in only(record.events, UserMessage)] == ["not b.txt"]
    with ScriptedServer(answer(text("More."))) as server:
        await runner.run(server, messages=record.messages, follow_up="and now?")
        sent = server.requests[0].body["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "user", "assistant", "user"]
    assert blocks(sent[2]) == [("tool_result", "t1"), ("text", "not b.txt")]
