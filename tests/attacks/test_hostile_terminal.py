"""What reaches the terminal and the logs: no obeyed byte, no secret (rows 18, 19, 25)."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui import paths
from tests.e2e.terminal import Terminal
from tests.library import make_ready
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.verbs.command_line import cli, environment, write_agent

OSC52 = "\x1b]52;c;ZXZpbA==\x07"
TITLE = "\x1b]0;evil\x07"
LINK = "\x1b]8;;http://evil/\x1b\\x\x1b]8;;\x1b\\"
CLEAR = "\x1b[2Jgone"
C1 = "\x9d52;c;ZXZpbA==\x9c\x9b2J"
BIDI = "\u202eevil\u2066"
MARKUP = "[@click=app.quit]x[/] [/ see [a=b:c]"
PAYLOAD = f"{OSC52}{TITLE}{LINK}{C1}{BIDI}{MARKUP}"
FORBIDDEN = ("]52;", "]0;evil", "http://evil/\x1b", "\x9d", "\x9b", "\u202e", "\u2066")


@pytest.fixture
def project(project: Path) -> Path:
    make_ready(project)
    (project / f"file{OSC52.replace('/', '')}.txt").write_text(PAYLOAD)
    write_agent(
        project / ".claude" / "agents",
        "hostile",
        "Reads files " + PAYLOAD.replace("\n", " ").replace("\x1b", "\\e"),
        "tools: Read, Glob\n",
        f"You read. {PAYLOAD}",
    )
    return project


@pytest.mark.e2e
def test_rows_18_and_19_a_real_terminal_gets_none_of_it(
    project: Path,
) -> None:
    steps = (
        answer(text(f"I look. {PAYLOAD}"), tool_use("Glob", {"pattern": f"*{OSC52}"})),
        answer(tool_use("Glob", {"pattern": "file*"})),
        answer(text(f"All is well. {PAYLOAD} ![x](http://evil/secret.png)")),
    )
    with ScriptedServer(*steps) as server:
        env = environment(
            {
                "ANTHROPIC_API_KEY": "sk-ant-test",
                "ANTHROPIC_BASE_URL": server.url,
                "SECRETARY_TUI_LOCAL_REFINES": "false",
                "SECRETARY_TUI_ROUTING_TIMEOUT_S": "1",
                "TERM": "xterm-256color",
            }
        )
        with Terminal(cwd=project, env=env) as terminal:
            terminal.wait_for("agents")
            terminal.type("@hostile read the files")
            terminal.wait_for("read the files")
            terminal.press("enter")
            terminal.wait_for("Enter accept")
            terminal.press_until("enter", "All is well.")
            painted = terminal.raw.decode("utf-8", "replace")
    for forbidden in FORBIDDEN:
        assert forbidden not in painted, ascii(forbidden)


def test_rows_18_and_19_plain_output_holds_none_of_it(project: Path) -> None:
    steps = (
        answer(text(f"I look. {PAYLOAD}"), tool_use("Glob", {"pattern": "file*"})),
        answer(text(f"All is well. {PAYLOAD}")),
    )
    with ScriptedServer(*steps) as server:
        env = {"ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": server.url}
        runs = [
            cli("run", f"read {PAYLOAD}", "--agent", "hostile", cwd=project, env=env),
            cli("agents", cwd=project),
            cli("sessions", "list", cwd=project),
            cli("match", f"read {PAYLOAD}", "--offline", cwd=project),
            cli("run", "x", "--agent", PAYLOAD, cwd=project, env=env),
        ]
    for done in runs:
        for forbidden in (*FORBIDDEN, "\x1b", "\x07"):
            assert forbidden not in done.out + done.err, ascii(forbidden)


def test_row_25_a_key_with_a_newline_is_in_no_message_and_no_log(project: Path) -> None:
    key = "sk-ant-api03-very-secret-0123456789"
    with ScriptedServer() as server:
        env = {"ANTHROPIC_API_KEY": f"{key}\n", "ANTHROPIC_BASE_URL": server.url}
        done = cli("run", "x", "--agent", "hostile", cwd=project, env=env)
    assert key not in done.out + done.err
    logged = [path for path in paths.state_dir().rglob("*") if path.is_file()]
    assert logged
    for path in logged:
        assert key.encode() not in path.read_bytes(), path
