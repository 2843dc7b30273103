"""The plain face without a terminal: lines in, lines out, and nothing answered in advance."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from secretary_tui.sessions.store import list_runs
from secretary_tui.sessions.trash import deleted_runs
from tests.plain.lines import NO_ROUTING_MODEL
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.sessions.run_logs import answered, write
from tests.verbs.command_line import CLEAR_REQUEST, Finished, cli, environment

pytestmark = pytest.mark.e2e
WRITE = tool_use("Write", {"file_path": "notes.md", "content": "hello\n"})
WORD = re.compile(r"Begin the line with ([a-z]{6}):")


def plain(project: Path, script: str, server: ScriptedServer | None = None) -> Finished:
    return cli("--plain", cwd=project, stdin=script, env=_key(server))


def _key(server: ScriptedServer | None) -> dict[str, str]:
    if server is None:
        return {}
    return {
        "ANTHROPIC_API_KEY": "sk-ant-test-0123456789",
        "ANTHROPIC_BASE_URL": server.url,
        "SECRETARY_TUI_ROUTING_TIMEOUT_S": "60",
    }


def until(pattern: str, stream: IO[str]) -> str:
    """Read lines until one fits; gives what the pattern's group holds, or the line."""
    for line in stream:
        found = re.search(pattern, line)
        if found:
            return found[1] if found.groups() else line
    raise AssertionError(f"{pattern!r} never came")


def test_commands_from_a_script_end_with_0(project: Path) -> None:
    done = plain(project, "/agents kubernetes\n/mode\n")
    assert done.status == 0
    assert "kubernetes-operator, from project. Deploys" in done.out
    assert "manual mode" in done.out
    assert "\x1b" not in done.out


def test_a_stored_run_is_exported_forked_and_deleted_by_its_number(project: Path) -> None:
    run_id = write(project, "20261101-090000-aaaa", "write it", answered("It is written.")).stem
    script = "/history\n/export 1\n/fork 1\n/delete 1\n/delete 1 --yes\n"
    done = plain(project, script)
    assert "## Agent\n\nIt is written." in done.out
    assert "there is no terminal to ask: --yes deletes without asking." in done.out
    assert [run.id for run in deleted_runs()] == [run_id]
    (forked,) = list_runs(project)
    assert forked.id in done.out


def test_a_choice_that_was_written_in_advance_runs_nothing_and_the_line_is_kept(
    project: Path,
) -> None:
    with ScriptedServer() as server:
        done = plain(project, "@docs-writer write it down\n/agents docs\n", server)
    assert "The next line does not begin with" in done.out
    assert "docs-writer, from project. Writes" in done.out
    assert done.status == 4
    assert list_runs(project) == ()


def test_naming_the_agent_chooses_it_and_a_permission_written_in_advance_is_none(
    project: Path,
) -> None:
    steps = (NO_ROUTING_MODEL, answer(WRITE), answer(text("Then not.")))
    with ScriptedServer(*steps) as server:
        done = plain(project, f"{CLEAR_REQUEST}\nother docs-writer\nyes\n", server)
    assert "Then not." in done.out
    assert "Request: yes" in done.out  # It was kept, and taken as what it is: the next line.
    assert not (project / "notes.md").exists()
    assert [run.agent for run in list_runs(project)] == ["docs-writer"]
    assert done.status == 4


def test_a_program_that_reads_the_question_can_answer_it(project: Path) -> None:
    steps = (answer(WRITE), answer(text("It is written.")))
    with (
        ScriptedServer(*steps) as server,
        subprocess.Popen(
            [sys.executable, "-m", "secretary_tui", "--plain"],
            cwd=project,
            env=environment(_key(server)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        print("@docs-writer write it down", file=process.stdin, flush=True)
        word = until(WORD.pattern, process.stdout)
        print(f"{word} a", file=process.stdin, flush=True)
        until("added: hello", process.stdout)
        again = until(WORD.pattern, process.stdout)
        assert again != word
        print(f"{again} yes", file=process.stdin, flush=True)
        until("It is written.", process.stdout)
        process.stdin.close()
        assert process.wait(60) == 0
    assert (project / "notes.md").read_text() == "hello\n"


def test_plain_needs_no_terminal_and_the_screen_says_so(project: Path) -> None:
    done = cli(cwd=project)
    assert done.status == 2
    assert "`secretary-tui run` or --plain" in done.err
    assert cli(cwd=project, env={"SECRETARY_TUI_PLAIN": "1"}).status == 0
