"""A real small model answers on this machine: through the command line and on the screen."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from secretary_tui.sessions.store import RunOutcome, list_runs
from secretary_tui.sessions.ui_state import remember
from tests.e2e.terminal import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.model]


GREETER = """\
---
name: greeter
description: Greets people kindly.
tools: []
---

You are a friendly assistant.
"""
TASK = "Tell a long story about a shop, in many chapters."
ENOUGH = 3
"""Pieces of text after which a run is interrupted: a model of this size may never find an end."""


@pytest.fixture
def project(project: Path) -> Path:
    shutil.rmtree(project / ".claude" / "agents")
    (project / ".claude" / "agents").mkdir()
    (project / ".claude" / "agents" / "greeter.md").write_text(GREETER)
    return project


@pytest.fixture
def env(smollm2: Path) -> dict[str, str]:
    return {
        "SECRETARY_TUI_LOCAL_MODEL": str(smollm2),
        "SECRETARY_TUI_ENGINE": "local",
        "SECRETARY_TUI_BUNDLED_AGENTS": "false",
        # The 135M model can't route; the test is about running.
        "SECRETARY_TUI_ROUTING_TIMEOUT_S": "0.1",
    }


def test_a_run_from_the_command_line_streams_offline_and_ctrl_c_keeps_what_came(
    project: Path, env: dict[str, str]
) -> None:
    for _ in range(5):  # A model that found its end sooner than Ctrl-C came says nothing about it.
        events, status = run_until_interrupted(project, env)
        assert events[0]["type"] == "run_started"
        assert events[-1]["type"] == "run_finished"
        if events[-1]["outcome"] != "done":
            break
    assert events[-1]["outcome"] == "interrupted"
    assert events[-1]["text"].strip()
    assert status == 130
    assert list_runs(project)[0].outcome is RunOutcome.INTERRUPTED


def run_until_interrupted(
    project: Path, env: dict[str, str]
) -> tuple[list[dict[str, object]], int]:
    """Run the agent and press Ctrl-C once it has begun to answer; gives the events, the status."""
    run = ("run", TASK, "--agent", "greeter", "--yes", "--offline")
    with subprocess.Popen(
        [sys.executable, "-m", "secretary_tui", *run, "--output-format", "stream-json"],
        cwd=project,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        events = []
        for line in process.stdout:
            events.append(json.loads(line))
            pieces = [event for event in events if event["type"] == "text_delta"]
            if len(pieces) == ENOUGH and events[-1] is pieces[-1]:
                process.send_signal(signal.SIGINT)
        return events, process.wait(timeout=60)


def test_the_screen_streams_the_models_answer_and_leaves_no_server_behind(
    project: Path, env: dict[str, str]
) -> None:
    remember(onboarded=True)
    with Terminal(cwd=project, env=env) as terminal:
        terminal.wait_for(r"\b1 agent\b")
        terminal.wait_for(r"local · ")
        terminal.type(f"@greeter {TASK}")
        terminal.press("enter")
        terminal.wait_for(r"Enter\W+greeter")
        terminal.press_until("enter", r"undo choice|◆ greeter")
        terminal.wait_for(r"▕ {3}\S+ \S+", timeout=60)  # A line of the answer, wherever it stands.
        children = _children(terminal.process.pid)
        terminal.press("escape")
        terminal.wait_for(r"(interrupted|done|ended early).* · 1 turn")
        terminal.press("ctrl+d")
        assert terminal.wait_for_exit() == 0
    (run,) = list_runs(project)
    assert run.agent == "greeter"
    assert children
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found
