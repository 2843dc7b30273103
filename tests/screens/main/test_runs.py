"""A run on the screen: failures, interruptions, waiting messages, history and replies."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui.secretary import Secretary
from secretary_tui.sessions.decisions import DecisionLog
from secretary_tui.sessions.drafts import load_draft
from secretary_tui.sessions.store import RunOutcome, list_runs
from tests.screens.desk import REQUEST, ROUTED, Desk, at_desk
from tests.servers.anthropic_server import ScriptedServer, answer, error, text, tool_use, wait_for

Serve = Callable[..., ScriptedServer]

REFUSED = error(400, "invalid_request_error", "That can't be done.")


async def begun(desk: Desk) -> None:
    """Send the request and accept the recommendation."""
    await desk.matched()
    await desk.press("enter")


def conversation(server: ScriptedServer) -> list[str]:
    """The texts of the last request's messages, in order."""
    texts = []
    for message in server.requests[-1].body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts.append(" ".join(b["text"] for b in blocks if b["type"] == "text"))
    return texts


def replies(server: ScriptedServer) -> list[str]:
    """The same behind the task, without what was looked up for them."""
    return [text.partition("\n\nContext:\n")[0] for text in conversation(server)[1:]]


async def test_the_answer_the_bill_and_the_status_are_shown(project: Path, serve: Serve) -> None:
    serve(ROUTED, answer(text("The login accepts **every** password.")))
    async with at_desk(project, size=(120, 30)) as desk:
        await begun(desk)
        await desk.sees(
            "◆ security-auditor",
            f"❯ {REQUEST}",
            "The login accepts every password.",
            "done · 1 turn",
            "38 tok",
        )


@pytest.mark.parametrize("broken", ["delegation", "run"])
async def test_a_fault_of_our_own_gives_the_request_back(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("not foreseen")

    serve(ROUTED, answer(text("never")))
    monkeypatch.setattr(Secretary, broken, fail)
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.says("Something went wrong that should not have (RuntimeError)")
        assert desk.main.request.text == REQUEST


async def test_a_failed_run_offers_retry_and_keeps_the_request(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, REFUSED, answer(text("Now it works.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("failed", "r      Retry", "c      Choose another agent", "Esc    Cancel")
        await desk.press("r")
        await desk.sees("Now it works.")
        await desk.finished()
        assert len(server.requests) == 3
    assert {run.outcome for run in list_runs(project)} == {RunOutcome.FAILED, RunOutcome.DONE}


async def test_after_a_failure_another_agent_can_be_chosen(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, REFUSED, ROUTED, answer(text("Better so.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("Choose another agent")
        await desk.press("c")
        await desk.panel_settled()
        await desk.press("1")
        await desk.sees("Better so.")
        assert "You are code-critic" in json.dumps(server.requests[-1].body["system"])


async def test_cancelling_after_a_failure_gives_the_request_back(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED, REFUSED)
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("Choose another agent")
        await desk.press("escape")
        await desk.finished()
        assert desk.main.request.text == REQUEST
        assert desk.main.focused is desk.main.request


async def test_esc_interrupts_and_keeps_what_came(project: Path, serve: Serve) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, answer(text("The first half, the second half.", chunk=16))))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("The first half", "Esc interrupt")
        await desk.press("escape")
        await desk.finished()
        await desk.sees("The first half", "interrupted")
        gate.set()
    (run,) = list_runs(project)
    assert run.outcome is RunOutcome.INTERRUPTED


async def test_a_message_typed_during_a_run_reaches_the_agent_at_its_next_turn(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    looking = answer(text("I look there."), tool_use("Read", {"file_path": "login.py"}, id="t1"))
    server = serve(ROUTED, wait_for(gate, looking), answer(text("Second.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("I look")
        await desk.sees("to security-auditor, at its next turn", "Enter send at next turn")
        await desk.send("and the logout?")
        await desk.sees("queued and the logout?")
        assert "❯ and the logout?" not in desk.text
        assert len(server.requests) == 2
        gate.set()
        await desk.sees("❯ and the logout?", "Second.", "done · 2 turns")
        await desk.finished()
        assert "queued" not in desk.text
        last = server.requests[-1].body["messages"][-1]["content"]
        assert [b["type"] for b in last] == ["tool_result", "text"]
        assert conversation(server)[-1] == "and the logout?"
    (run,) = list_runs(project)
    assert run.outcome is RunOutcome.DONE


async def test_more_messages_than_there_is_room_for_are_counted(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, answer(text("First answer."))), answer(text("Second.")))
    async with at_desk(project, size=(80, 24)) as desk:
        await begun(desk)
        await desk.sees("Firs")
        for message in ("one " * 40, "two\nlines", "three", "four", "five"):
            await desk.send(message)
        await desk.sees("queued one one", "queued two lines", "queued three", "and 2 more")
        assert "…" in next(row for row in desk.text.splitlines() if "queued one" in row)
        gate.set()
        await desk.sees("Second.")


async def test_messages_that_wait_are_in_the_draft(project: Path, serve: Serve) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, answer(text("First answer."))), answer(text("Second.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("Firs")
        await desk.send("and the logout?")
        await desk.until(lambda: load_draft(project) == "and the logout?")
        gate.set()
        await desk.sees("Second.")
        await desk.until(lambda: load_draft(project) == "")


async def test_interrupting_drops_what_waited_but_does_not_lose_it(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    server = serve(ROUTED, wait_for(gate, answer(text("First answer."))))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("Firs")
        await desk.send("and the logout?")
        await desk.send("and the mail?")
        await desk.type("more")
        await desk.press("escape")
        await desk.finished()
        assert len(server.requests) == 2
        assert desk.main.request.text == "and the logout?\n\nand the mail?\n\nmore"
        assert "queued" not in desk.text
        gate.set()


async def test_a_second_attempt_knows_what_was_said_in_the_first(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    looking = answer(text("I look there."), tool_use("Read", {"file_path": "login.py"}))
    server = serve(ROUTED, wait_for(gate, looking), REFUSED, answer(text("Now it works.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("I look")
        await desk.send("and the logout?")
        gate.set()
        await desk.sees("r      Retry")
        await desk.press("r")
        await desk.sees("Now it works.")
        assert "and the logout?" in conversation(server)[0]


async def test_cancelling_after_a_failure_gives_back_what_was_said_too(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    looking = answer(text("I look there."), tool_use("Read", {"file_path": "login.py"}))
    serve(ROUTED, wait_for(gate, looking), REFUSED)
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("I look")
        await desk.send("and the logout?")
        gate.set()
        await desk.sees("Esc    Cancel")
        await desk.press("escape")
        await desk.finished()
        assert desk.main.request.text == f"{REQUEST}\n\nand the logout?"


async def test_what_the_last_turn_allowed_could_not_hear_becomes_a_reply(
    project: Path, serve: Serve
) -> None:
    path = project / ".claude" / "agents" / "security-auditor.md"
    path.write_text(path.read_text().replace("---\n", "---\nmaxTurns: 1\n", 1))
    gate = threading.Event()
    server = serve(ROUTED, wait_for(gate, answer(text("First answer."))), answer(text("Second.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("Firs")
        await desk.send("and the logout?")
        gate.set()
        await desk.sees("First answer.", "resumed", "❯ and the logout?", "Second.")
        await desk.finished()
        assert replies(server) == ["First answer.", "and the logout?"]


async def test_a_run_is_reopened_from_the_history_and_a_reply_continues_it(
    project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, answer(text("First answer.")), answer(text("Second answer.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("First answer.")
        await desk.finished()
    async with at_desk(project) as desk:
        await desk.press("f3")
        await desk.sees("History", "security-auditor  done", REQUEST)
        await desk.press("enter")
        await desk.sees("First answer.", "reply to security-auditor")
        await desk.send("and the logout?")
        await desk.sees("Second answer.")
        await desk.finished()
        assert REQUEST in conversation(server)[0]
        assert replies(server) == ["First answer.", "and the logout?"]
        assert "You are security-auditor" in json.dumps(server.requests[-1].body["system"])
    (run,) = list_runs(project)
    assert run.outcome is RunOutcome.DONE


async def test_a_run_whose_agent_is_gone_is_not_continued_by_another(
    project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, answer(text("First answer.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("First answer.")
        await desk.finished()
        (project / ".claude" / "agents" / "security-auditor.md").unlink()
        await desk.sees("13 agents")
        await desk.press("ctrl+t")
        await desk.send("and the logout?")
        await desk.sees("there is no agent")
        assert desk.main.request.text == "and the logout?"
        assert len(server.requests) == 2


async def test_another_agent_that_a_reply_names_is_asked_itself(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED, answer(text("First answer.")), answer(text("Second answer.")))
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.sees("First answer.")
        await desk.finished()
        await desk.press("ctrl+t")
        await desk.type("@security-auditor go on")
        await desk.sees("reply to security-auditor")
        await desk.press("ctrl+u")
        await desk.type("@code-critic look at that")
        await desk.sees("Enter find agent")
        await desk.press("enter")
        await desk.sees("you named it", "code-critic")


async def test_ctrl_t_turns_a_new_request_into_a_reply_and_back(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED, answer(text("First answer.")))
    async with at_desk(project) as desk:
        await desk.press("ctrl+t")
        await desk.sees("No run to reply to yet.")
        await begun(desk)
        await desk.sees("First answer.", "─ request ─")
        await desk.finished()
        await desk.press("ctrl+t")
        await desk.sees("reply to security-auditor", "Enter send reply")
        await desk.press("ctrl+t")
        await desk.sees("─ request ─")


async def test_a_new_page_puts_the_run_aside(project: Path, serve: Serve) -> None:
    serve(ROUTED, answer(text("First answer.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("First answer.")
        await desk.finished()
        await desk.press("ctrl+n")
        await desk.until(lambda: "First answer." not in desk.text)
        assert desk.main.tabs.run_id == ""


async def test_tool_calls_are_one_line_that_unfolds(project: Path, serve: Serve) -> None:
    reading = answer(tool_use("Read", {"file_path": "login.py"}))
    serve(ROUTED, reading, answer(text("First answer.")))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("First answer.", "Read")
        await desk.finished()
        assert "def login" not in desk.text
        await desk.press("ctrl+o")
        await desk.sees("def login")


async def test_without_a_model_the_choice_is_kept_and_the_ways_out_are_named(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("there is no model to run it", "m      Choose a model")
        await desk.press("c")
        await desk.sees("is on the clipboard")
        assert REQUEST in desk.app.clipboard
        await begun(desk)
        await desk.sees("m      Choose a model")
        await desk.press("m")
        await desk.sees("Model setup")
        await desk.press("escape")
        assert desk.main.request.text == REQUEST


async def test_a_choice_is_learnt_from_when_it_is_carried_out_and_not_when_given_up(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("there is no model to run it")
        await desk.press("escape")
        await desk.until(lambda: desk.main.request.text == REQUEST)
        (given_up,) = DecisionLog.of(project).load()
        assert given_up.action == "cancel"
        await begun(desk)
        await desk.sees("there is no model to run it")
        await desk.press("c")
        await desk.sees("is on the clipboard")
        await desk.until(lambda: DecisionLog.of(project).load()[-1].action == "accept")


async def test_the_history_is_filtered_and_says_when_it_is_empty(
    project: Path, serve: Serve
) -> None:
    serve(ROUTED, answer(text("First answer.")))
    async with at_desk(project) as desk:
        await desk.press("f3")
        await desk.sees("No runs in this project yet")
        await desk.press("escape")
        await begun(desk)
        await desk.sees("First answer.")
        await desk.finished()
        await desk.press("f3")
        await desk.sees("1 of 1 · shop")
        await desk.press("slash")
        await desk.type("nothing like it")
        await desk.sees("0 of 1")
        await desk.press("escape")
        await desk.sees("1 of 1")
        await desk.press("escape")
        await desk.sees("First answer.")


async def test_leaving_during_a_run_ends_and_logs_it(project: Path, serve: Serve) -> None:
    gate = threading.Event()
    serve(ROUTED, wait_for(gate, answer(text("The first half, the second half.", chunk=16))))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("The first half")
    gate.set()
    (run,) = list_runs(project)
    assert run.outcome is RunOutcome.INTERRUPTED


async def test_the_page_keys_scroll_the_answer_while_one_types(project: Path, serve: Serve) -> None:
    long = "\n\n".join(f"paragraph {number}" for number in range(60))
    serve(ROUTED, answer(text(long, chunk=200)))
    async with at_desk(project) as desk:
        await begun(desk)
        await desk.sees("paragraph 59")
        await desk.finished()
        await desk.type("next")
        await desk.press("pageup", "pageup", "pageup", "pageup", "pageup", "pageup")
        await desk.sees("paragraph 1")
        assert desk.main.request.text == "next"
        assert desk.main.focused is desk.main.request
