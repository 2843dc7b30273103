"""What a terminal does to a program: other sizes, long pastes, job control, and vanishing."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from pathlib import Path

import pytest

from secretary_tui.events import RunFinished, ToolFinished
from secretary_tui.sessions.store import RunOutcome, list_runs, load_run
from tests.e2e.terminal import Terminal
from tests.servers.anthropic_server import (
    ScriptedServer,
    Step,
    answer,
    slow,
    text,
    tool_use,
    wait_for,
)
from tests.waiting import until

pytestmark = pytest.mark.e2e

WORDS = " ".join(f"word{n:03}" for n in range(300))
ALT_SCREEN, NORMAL_SCREEN = b"\x1b[?1049h", b"\x1b[?1049l"


def start(project: Path, server: ScriptedServer, shell: bool = False, **env: str) -> Terminal:
    settings = {
        "ANTHROPIC_API_KEY": "test-key",
        "ANTHROPIC_BASE_URL": server.url,
        "SECRETARY_TUI_LOCAL_REFINES": "false",
        "SECRETARY_TUI_ROUTING_TIMEOUT_S": "0.1",
        **env,
    }
    return Terminal(cwd=project, env=settings, shell=shell)


def run_agent(terminal: Terminal, sign: str, request: str = "look at it") -> None:
    """Ask code-critic, and wait for a sign of its run."""
    terminal.wait_for(r"14 agents")
    terminal.type(f"@code-critic {request}")
    terminal.wait_for(request)
    terminal.press("enter")
    terminal.wait_for(r"Enter\W+code-critic")
    terminal.press_until("enter", sign)


def outcome(project: Path) -> RunOutcome | None:
    runs = list_runs(project)
    return runs[0].outcome if runs else None


def test_two_hundred_sizes_while_an_answer_streams_lose_nothing(project: Path) -> None:
    step = slow(answer(text(f"{WORDS} The end.", chunk=20)), 0.02)
    with ScriptedServer(step, repeat_last=True) as server, start(project, server) as terminal:
        run_agent(terminal, r"word00\d")
        for number in range(200):
            terminal.resize(20 + number * 37 % 231, 5 + number * 13 % 76)
            terminal.pump(0.005)
        terminal.resize(100, 30)
        terminal.wait_for(r"done · 1 turn")
        painted = terminal.wait_for(r"The end\.")
        (run,) = list_runs(project)
        (finished,) = [e for e in load_run(run.id).events if isinstance(e, RunFinished)]
        assert finished.text == f"{WORDS} The end."
        terminal.screen.reset()
        terminal.press("ctrl+l")
        terminal.wait_for(r"The end\.")
        assert "word299" in painted


def test_a_paste_of_100_kb_is_sent_whole_and_keys_are_answered_after_it(project: Path) -> None:
    lines = [f"line {n:05} of what was pasted from elsewhere" for n in range(2_300)]
    with ScriptedServer(answer(text("Read.")), repeat_last=True) as server:
        with start(project, server) as terminal:
            terminal.wait_for(r"14 agents")
            terminal.type("@code-critic read ")
            terminal.wait_for(r"@code-critic read")
            terminal.paste("\n".join(lines))
            terminal.type(" and tell me")
            terminal.wait_for(r"and tell me")
            terminal.press("enter")
            terminal.wait_for(r"Enter\W+code-critic")
            terminal.press_until("enter", r"done · 1 turn")
        sent = json.dumps(server.requests[-1].body["messages"])
    assert sum(len(line) + 1 for line in lines) > 100_000
    assert all(line in sent for line in lines)
    assert "and tell me" in sent


def test_ctrl_z_gives_the_shell_its_terminal_and_fg_the_screen_with_the_run(project: Path) -> None:
    gate = threading.Event()
    steps = (
        answer(text("I look around."), tool_use("Glob", {"pattern": "*.py"})),
        wait_for(gate, answer(text("Nothing to criticize.")), ping_s=0.2),
    )
    with ScriptedServer(*steps) as server, start(project, server, shell=True) as terminal:
        run_agent(terminal, r"I look around")
        assert server.wait_for_requests(2, timeout=60)
        terminal.press("ctrl+z")
        terminal.wait_for(r"Stopped")
        assert terminal.raw.count(NORMAL_SCREEN) == 1
        terminal.type("stty -a | grep -o '.icanon' ; echo mo''des\r")
        modes = terminal.wait_for(r"\nmodes")
        assert re.search(r"^ icanon|^icanon", modes, re.MULTILINE)
        assert "-icanon" not in modes.replace("grep -o", "")
        gate.set()
        terminal.type("fg\r")
        terminal.wait_for(r"I look around")
        terminal.wait_for(r"Nothing to criticize")
        terminal.type("still typing")
        terminal.wait_for(r"still typing")
        terminal.press("ctrl+q")
        until(lambda: terminal.pump() or terminal.raw.count(NORMAL_SCREEN) == 2)
        terminal.type("echo ended: $?\r")
        terminal.wait_for(r"ended: 0")


@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_during_a_run_ends_its_command_and_writes_its_log_to_the_end(
    project: Path, name: str, status: int
) -> None:
    mark = f"{time.time_ns()}"
    step = answer(text("I wait."), tool_use("Bash", {"command": f"sleep {mark}"}))
    with ScriptedServer(step) as server, start(project, server) as terminal:
        run_agent(terminal, r"sleep \d+")
        terminal.press_until("y", r"running|⠋|sleep \d+ +\d")
        until(lambda: processes_with(mark))
        terminal.process.kill(getattr(signal, name))
        assert terminal.wait_for_exit() == status
        assert terminal.raw.rfind(NORMAL_SCREEN) > terminal.raw.rfind(ALT_SCREEN)
        until(lambda: not processes_with(mark))
    assert outcome(project) is RunOutcome.INTERRUPTED


def processes_with(word: str) -> list[int]:
    """The processes that have a word on their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"sleep") and word.encode() in words:
            found.append(int(path.parent.name))
    return found


def test_a_terminal_that_vanishes_stops_the_run_in_order(project: Path) -> None:
    gate = threading.Event()
    held = wait_for(gate, answer(text("never seen")), ping_s=0.2)
    first = answer(text("I look around."), tool_use("Glob", {"pattern": "*.py"}))
    with ScriptedServer(first, held) as server:
        with start(project, server) as terminal:
            run_agent(terminal, r"I look around")
            assert server.wait_for_requests(2, timeout=60)
            assert terminal.vanish()
        gate.set()
    assert outcome(project) is RunOutcome.INTERRUPTED


def test_a_run_whose_terminal_vanished_is_finished_alone_where_that_is_set(project: Path) -> None:
    gate = threading.Event()
    steps: tuple[Step, ...] = (
        answer(text("I look around."), tool_use("Glob", {"pattern": "*.py"})),
        wait_for(gate, answer(tool_use("Bash", {"command": "touch made"})), ping_s=0.2),
        answer(text("It was denied, so I report.")),
    )
    with ScriptedServer(*steps) as server:
        with start(project, server, SECRETARY_TUI_ON_HANGUP="finish") as terminal:
            run_agent(terminal, r"I look around")
            assert server.wait_for_requests(2, timeout=60)
            terminal.hang_up()
            gate.set()
            assert terminal.ends()
        (run,) = list_runs(project)
        assert run.outcome is RunOutcome.DONE
        events = load_run(run.id).events
        assert [e.is_error for e in events if isinstance(e, ToolFinished)] == [False, True]
        assert not (project / "made").exists()
        with start(project, server) as again:
            again.wait_for(r"14 agents")
            again.press("f3")
            again.wait_for(r"code-critic\s+done")
            again.press("enter")
            again.wait_for(r"It was denied, so I report")


def test_a_question_that_is_open_when_the_terminal_vanishes_is_denied(project: Path) -> None:
    steps = (
        answer(tool_use("Bash", {"command": "touch made"})),
        answer(text("It was denied, so I report.")),
    )
    finish = {"SECRETARY_TUI_ON_HANGUP": "finish"}
    with ScriptedServer(*steps) as server, start(project, server, **finish) as terminal:
        run_agent(terminal, r"touch made")
        terminal.hang_up()
        assert terminal.ends()
    assert outcome(project) is RunOutcome.DONE
    assert not (project / "made").exists()


def test_a_terminal_that_stops_reading_holds_up_neither_run_nor_keys(project: Path) -> None:
    flood = "\n\n".join(f"## Part {n}\n\n{WORDS}" for n in range(200))
    step = answer(text(f"{flood}\n\nThe end.", chunk=400))
    with ScriptedServer(step) as server, start(project, server) as terminal:
        run_agent(terminal, r"undo choice|◆ code-critic")
        # Nobody reads from here on, as over a connection that stalls.
        terminal.type("typed in the dark")
        until(lambda: outcome(project) is RunOutcome.DONE, timeout=60)
        terminal.wait_for(r"typed in the dark")
        terminal.wait_for(r"The end\.")


def test_keys_that_are_typed_while_the_app_starts_are_not_lost(project: Path) -> None:
    with ScriptedServer() as server, start(project, server) as terminal:
        terminal.type("before it runs, ")
        until(lambda: terminal.pump() or ALT_SCREEN in terminal.raw)
        terminal.type("before it paints, ")
        terminal.wait_for(r"before it paints")
        terminal.type("before it has read anything")
        terminal.wait_for(r"14 agents")
        terminal.wait_for(r"before it runs, before it paints, before it has read anything")
