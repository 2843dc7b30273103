"""`sessions undo`, `--max-cost` and the exit status of a run that stopped at its cap."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.verbs.command_line import cli, write_agent

PRICED = {"input_tokens": 100_000, "output_tokens": 10_000}


@pytest.fixture
def project(project: Path) -> Path:
    write_agent(project / ".claude" / "agents", "worker", "Works.", "tools: Read, Write\n")
    return project


@pytest.fixture
def served(project: Path) -> Iterator[ScriptedServer]:
    write = tool_use("Write", {"file_path": "a.txt", "content": "by the run\n"})
    with ScriptedServer(answer(write, usage=PRICED), answer(text("Done."), usage=PRICED)) as server:
        yield server


def run(project: Path, server: ScriptedServer, *options: str) -> object:
    env = {"ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": server.url}
    mode = ("--permission-mode", "accept-edits")
    return cli("run", "write it", "--agent", "worker", *mode, *options, cwd=project, env=env)


def run_id(project: Path) -> str:
    found: str = cli("sessions", "list", "--json", cwd=project).json["sessions"][0]["id"]
    return found


def test_a_run_is_undone_redone_and_shown_as_a_diff(project: Path, served: ScriptedServer) -> None:
    (project / "a.txt").write_text("before\n")
    run(project, served)
    wanted = run_id(project)
    diff = cli("sessions", "undo", wanted, "--diff", cwd=project)
    assert (diff.status, "-before\n+by the run\n" in diff.out) == (0, True)
    asked = cli("sessions", "undo", wanted, cwd=project)
    assert (asked.status, "no terminal to ask" in asked.err) == (4, True)
    assert "In ~/shop:" in asked.err
    assert (project / "a.txt").read_text() == "by the run\n"
    assert cli("sessions", "undo", wanted, "--yes", cwd=project).status == 0
    assert (project / "a.txt").read_text() == "before\n"
    assert cli("sessions", "undo", wanted, "--redo", "--yes", cwd=project).status == 0
    assert (project / "a.txt").read_text() == "by the run\n"
    only = cli("sessions", "undo", wanted, "--file", "a.txt", "--yes", cwd=project)
    assert (only.status, (project / "a.txt").read_text()) == (0, "before\n")


def test_a_later_edit_is_1_and_its_original_can_stand_beside_it(
    project: Path, served: ScriptedServer
) -> None:
    (project / "a.txt").write_text("before\n")
    run(project, served)
    (project / "a.txt").write_text("by hand\n")
    wanted = run_id(project)
    done = cli("sessions", "undo", wanted, "--yes", cwd=project)
    assert (done.status, "left alone" in done.err) == (1, True)
    assert (project / "a.txt").read_text() == "by hand\n"
    assert cli("sessions", "undo", wanted, "--beside", cwd=project).status == 0
    assert (project / f"a.txt.before-{wanted}").read_text() == "before\n"


def test_what_can_not_be_undone_is_a_sentence(project: Path, served: ScriptedServer) -> None:
    assert cli("sessions", "undo", "nothing", cwd=project).status == 1
    run(project, served)
    wanted = run_id(project)
    wrong = cli("sessions", "undo", wanted, "--file", "b.txt", cwd=project)
    assert (wrong.status, "It changed: a.txt" in wrong.err) == (1, True)
    moved = project.with_name("moved")
    project.rename(moved)
    gone = cli("sessions", "undo", wanted, "--yes", cwd=moved)
    assert (gone.status, "which is gone" in gone.err) == (1, True)


def test_a_run_above_its_cap_stops_with_6_and_goes_on_later(
    project: Path, served: ScriptedServer
) -> None:
    stopped = run(project, served, "--max-cost", "0.01")
    assert stopped.status == 6  # type: ignore[attr-defined]
    assert len(served.requests) == 1
    env = {**os.environ, "ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": served.url}
    wanted = run_id(project)
    again = cli("sessions", "resume", wanted, "go on", "--max-cost", "5", cwd=project, env=env)
    assert (again.status, again.out) == (0, "Done.\n")
    (listed,) = cli("sessions", "list", "--json", cwd=project).json["sessions"]
    assert listed["cost_usd"] == pytest.approx(0.9, rel=0.5)


@pytest.mark.parametrize("amount", ["0", "-1", "much", "nan", "1e9"])
def test_an_odd_amount_is_2(project: Path, amount: str) -> None:
    done = cli("run", "x", "--agent", "worker", f"--max-cost={amount}", cwd=project)
    assert done.status == 2
