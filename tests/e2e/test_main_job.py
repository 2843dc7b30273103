"""The main job in a real terminal, against a real HTTP server."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path

import pytest

from secretary_tui.sessions import ui_state
from secretary_tui.sessions.store import RunOutcome, list_runs
from tests.e2e.terminal import Terminal
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    answer,
    json_answer,
    text,
    tool_use,
    wait_for,
)
from tests.waiting import until

pytestmark = pytest.mark.e2e

REQUEST = "audit the login code for security holes"


def routing(*matches: tuple[str, int]) -> Step:
    """What a model answers about the route."""
    return json_answer(
        {
            "clear": True,
            "intent": REQUEST,
            "questions": [],
            "matches": [
                {"agent": agent, "confidence": confidence, "reason": f"made for {agent}"}
                for agent, confidence in matches
            ],
            "recommendation": matches[0][0] if matches else None,
            "workflow": None,
        }
    )


ROUTED = routing(("security-auditor", 92), ("code-critic", 61))


@pytest.fixture
def project(project: Path) -> Path:
    """The same, before the first start."""
    ui_state.remember(onboarded=False)
    return project


def start(project: Path, server: ScriptedServer | None = None) -> Terminal:
    env = {}
    if server is not None:
        ui_state.remember(onboarded=True)  # Without the offer of the first start.
        env = {
            "ANTHROPIC_API_KEY": "test-key",
            "ANTHROPIC_BASE_URL": server.url,
            # What is tested is the model's ranking, however long a busy machine takes for it.
            "SECRETARY_TUI_ROUTING_TIMEOUT_S": "60",
        }
    return Terminal(cwd=project, env=env)


def pass_first_start(terminal: Terminal) -> None:
    """Leave the choice of a model, and the offer after it, without taking either."""
    terminal.wait_for(r"Model setup")
    terminal.press("escape")
    terminal.wait_for(r"Esc skip")
    terminal.press("escape")


def ask(terminal: Terminal, request: str = REQUEST) -> None:
    terminal.wait_for(r"14 agents")
    terminal.type(request)
    terminal.wait_for(request[-12:])
    terminal.press("enter")


def test_accepting_the_recommendation_runs_that_agent_and_shows_its_answer(project: Path) -> None:
    steps = ROUTED, answer(text("The login accepts **every** password."))
    with ScriptedServer(*steps) as server, start(project, server) as terminal:
        ask(terminal)
        terminal.wait_for(r"Enter\W+security-auditor\s+92")
        terminal.press_until("enter", r"accepts every password")
        terminal.wait_for(r"done · 1 turn")
        assert len(server.requests) == 2
        sent = server.requests[1].body
        assert REQUEST in json.dumps(sent["messages"])
        assert {tool["name"] for tool in sent["tools"]} == {"Read", "Grep", "Glob"}
        terminal.press("ctrl+d")
        assert terminal.wait_for_exit() == 0
        after = terminal.raw.partition(b"\x1b[?1049l")[2].decode()
        assert f"To continue: secretary-tui sessions resume {list_runs()[0].id}" in after


def test_an_alternative_is_delegated_without_a_second_question(project: Path) -> None:
    steps = ROUTED, answer(text("Looks readable to me."))
    with ScriptedServer(*steps) as server, start(project, server) as terminal:
        ask(terminal)
        terminal.wait_for(r"1\W+code-critic\s+61")
        terminal.press_until("1", r"Looks readable to me")
        assert "You are code-critic" in json.dumps(server.requests[1].body["system"])


def test_cancelling_sends_nothing_and_gives_the_request_back(project: Path) -> None:
    with ScriptedServer(ROUTED) as server, start(project, server) as terminal:
        ask(terminal)
        terminal.wait_for(r"security-auditor\s+92")
        terminal.press_until("escape", r"│ audit the login code")
        assert len(server.requests) == 1
        assert list_runs(project) == ()


def test_esc_right_after_accepting_takes_it_back_before_anything_is_sent(project: Path) -> None:
    with ScriptedServer(ROUTED) as server, start(project, server) as terminal:
        ask(terminal)
        terminal.wait_for(r"security-auditor\s+92")
        terminal.press_until("enter", r"undo choice")
        terminal.press("escape")
        terminal.wait_for(r"Enter\W+security-auditor")
        assert len(server.requests) == 1


def test_a_killed_run_is_in_the_history_with_what_it_had_said(project: Path) -> None:
    gate = threading.Event()
    held = wait_for(gate, answer(text("never seen")), ping_s=0.2)
    steps = (
        ROUTED,
        answer(text("First I read it."), tool_use("Read", {"file_path": "login.py"})),
        held,
    )
    with ScriptedServer(*steps) as server:
        with start(project, server) as terminal:
            ask(terminal)
            terminal.wait_for(r"security-auditor\s+92")
            terminal.press_until("enter", r"First I read it")
            assert server.wait_for_requests(3, timeout=60)
            terminal.kill()
        gate.set()
        (run,) = list_runs(project)
        assert run.outcome is RunOutcome.CUT_OFF
        with start(project, server) as terminal:
            terminal.wait_for(r"14 agents")
            terminal.press("f3")
            terminal.wait_for(r"security-auditor\s+cut off")
            terminal.press("enter")
            terminal.wait_for(r"First I read it")
            terminal.wait_for(r"cut off")
            terminal.wait_for(r"reply to security-auditor")


def test_without_a_key_the_ranking_of_this_machine_is_shown(project: Path) -> None:
    with start(project) as terminal:
        pass_first_start(terminal)
        ask(terminal)
        terminal.wait_for(r"security-\w+\s+\d\d")
        terminal.wait_for(r"ranked on this machine")


def test_a_draft_survives_a_kill(project: Path) -> None:
    with ScriptedServer() as server:
        with start(project, server) as terminal:
            terminal.wait_for(r"14 agents")
            terminal.type("half a thought")
            terminal.wait_for(r"half a thought")
            draft_kept(terminal)
            terminal.kill()
        with start(project, server) as terminal:
            terminal.wait_for(r"half a thought")


def draft_kept(terminal: Terminal) -> None:
    """Wait until the draft is on disk."""
    state = Path(os.environ["XDG_STATE_HOME"]) / "secretary-tui" / "projects"
    until(
        lambda: (
            terminal.pump()
            or any(path.read_text() == "half a thought" for path in state.glob("*/draft.txt"))
        )
    )


@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_keeps_the_draft_and_restores_the_terminal(
    project: Path, name: str, status: int
) -> None:
    with ScriptedServer() as server:
        with start(project, server) as terminal:
            terminal.wait_for(r"14 agents")
            terminal.type("a draft to keep")
            terminal.wait_for("a draft to keep")
            terminal.process.kill(getattr(signal, name))
            assert terminal.wait_for_exit() == status
            assert b"\x1b[?1049l" in terminal.raw
        with start(project, server) as again:
            again.wait_for("a draft to keep")


def test_bytes_that_are_no_text_do_not_end_the_app(project: Path) -> None:
    with start(project, None) as terminal:
        pass_first_start(terminal)
        terminal.wait_for(r"14 agents")
        terminal.process.send(b"caf\xe9 \xff\xfe ok")
        terminal.wait_for("ok")
        assert terminal.process.isalive()


def test_a_terminal_that_vanishes_ends_the_app_and_keeps_the_draft(project: Path) -> None:
    with ScriptedServer() as server:
        with start(project, server) as terminal:
            terminal.wait_for(r"14 agents")
            terminal.type("a draft to keep")
            terminal.wait_for("a draft to keep")
            # As a terminal emulator that is closed: the kernel sends SIGHUP, then SIGCONT.
            assert terminal.vanish()
        with start(project, server) as again:
            again.wait_for("a draft to keep")
