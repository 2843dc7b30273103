"""`run` in a real pseudo-terminal: choose, allow, watch; and Ctrl-C at a question."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pexpect
import pytest

from secretary_tui.sessions.store import list_runs
from tests.servers.anthropic_server import ScriptedServer, answer, error, text, tool_use
from tests.verbs.command_line import CLEAR_REQUEST, environment

pytestmark = pytest.mark.e2e
NO_ROUTING_MODEL = error(404, "not_found_error", "no such model")


def spawn(project: Path, server: ScriptedServer, *arguments: str) -> pexpect.spawn[str]:
    env: Mapping[str, str] = environment(
        {"ANTHROPIC_API_KEY": "sk-ant-test-0123456789", "ANTHROPIC_BASE_URL": server.url}
    )
    return pexpect.spawn(
        sys.executable,
        ["-m", "secretary_tui", *arguments],
        cwd=str(project),
        env=env,  # type: ignore[arg-type]
        dimensions=(30, 200),
        encoding="utf-8",
        timeout=60,
    )


def test_an_agent_is_chosen_a_tool_allowed_and_the_answer_streams(project: Path) -> None:
    call = tool_use("Write", {"file_path": "notes.md", "content": "hello\n"})
    steps = (NO_ROUTING_MODEL, answer(call), answer(text("It is written.")))
    with ScriptedServer(*steps) as server:
        child = spawn(project, server, "run", CLEAR_REQUEST)
        child.expect("security-reviewer.*recommended")
        child.expect("cancel: ")
        child.sendline("o docs-writer")
        child.expect("docs-writer starts with")
        child.expect("docs-writer wants to use Write")
        child.expect(r"\+hello")
        child.expect("deny: ")
        assert not (project / "notes.md").exists()
        child.sendline("y")
        child.expect("It is written.")
        child.expect("done")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 0
    assert (project / "notes.md").read_text() == "hello\n"
    assert list_runs(project)[0].agent == "docs-writer"


def test_cancelling_is_4_and_runs_nothing(project: Path) -> None:
    with ScriptedServer(NO_ROUTING_MODEL) as server:
        child = spawn(project, server, "run", CLEAR_REQUEST)
        child.expect("cancel: ")
        child.sendline("c")
        child.expect("Nothing was run")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 4
    assert list_runs(project) == ()


def test_ctrl_c_at_a_question_is_130_and_allows_nothing(project: Path) -> None:
    call = tool_use("Write", {"file_path": "notes.md", "content": "hello\n"})
    with ScriptedServer(answer(call)) as server:
        child = spawn(project, server, "run", "go", "--agent", "docs-writer")
        child.expect("deny: ")
        child.sendcontrol("c")
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 130
    assert not (project / "notes.md").exists()
    assert list_runs(project)[0].outcome == "interrupted"
