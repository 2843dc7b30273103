"""`run`: a request becomes a run, against a real HTTP server that speaks the protocol."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from secretary_tui.cli import main
from secretary_tui.sessions.store import list_runs, load_run
from tests.engines.gguf_file import tiny_gguf
from tests.servers.anthropic_server import (
    Request,
    ScriptedServer,
    Step,
    answer,
    error,
    json_answer,
    stall,
    text,
    tool_use,
)
from tests.verbs.command_line import CLEAR_REQUEST, Finished, cli, environment

HELLO = answer(text("All is well.\n\nNothing was found."))


def key(server: ScriptedServer) -> Mapping[str, str]:
    return {"ANTHROPIC_API_KEY": "sk-ant-test-0123456789", "ANTHROPIC_BASE_URL": server.url}


class Runner:
    """The command line in this process: importing the SDK for each test would take a second."""

    def __init__(
        self, project: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self.project, self._patch, self._capture = project, patch, capture
        self.requests: list[Request] = []

    def __call__(self, *arguments: str, steps: tuple[Step, ...] = ()) -> Finished:
        with ScriptedServer(*steps) as server:
            for name, value in environment(key(server)).items():
                self._patch.setenv(name, value)
            status = main([arguments[0], "--project", str(self.project), *arguments[1:]])
            self.requests = server.requests
        out, err = self._capture.readouterr()
        return Finished(status, out, err)


@pytest.fixture
def run(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Runner:
    return Runner(project, monkeypatch, capsys)


def test_text_gives_the_answer_alone_on_standard_output(run: Runner) -> None:
    done = run("run", CLEAR_REQUEST, "--agent", "security-reviewer", steps=(HELLO,))
    assert (done.status, done.out) == (0, "All is well.\n\nNothing was found.\n")
    assert "security-reviewer starts with" in done.err
    assert "done · 1 turn · 19 tokens" in done.err
    assert "sessions resume" in done.err


def test_json_gives_one_object(run: Runner) -> None:
    done = run("run", "go", "--agent", "docs-writer", "--output-format", "json", steps=(HELLO,))
    found = done.json
    assert found["agent"] == "docs-writer"
    assert found["outcome"] == "done"
    assert found["text"] == "All is well.\n\nNothing was found."
    assert found["usage"]["input_tokens"] == 12
    assert set(found) >= {"run_id", "cost_usd", "turns", "model", "elapsed_s"}
    assert list_runs(run.project)[0].id == found["run_id"]


def test_stream_json_gives_events_type_first_and_ends_with_the_end(run: Runner) -> None:
    done = run(
        "run", "go", "--agent", "docs-writer", "--output-format", "stream-json", steps=(HELLO,)
    )
    events = done.json_lines
    assert all(next(iter(event)) == "type" for event in events)
    assert events[0]["type"] == "run_started"
    assert events[-1]["type"] == "run_finished"
    assert events[-1]["usage"]["output_tokens"] == 7
    assert "".join(e["text"] for e in events if e["type"] == "text_delta").startswith("All is")


def test_a_failed_run_is_1_and_its_last_event_says_so(run: Runner) -> None:
    denied = error(401, "authentication_error", "invalid x-api-key")
    done = run(
        "run", "go", "--agent", "docs-writer", "--output-format", "stream-json", steps=(denied,)
    )
    assert done.status == 1
    assert done.json_lines[-1]["type"] == "run_failed"
    assert "sk-ant" not in done.out + done.err


def test_a_failed_run_as_json_is_one_object(run: Runner) -> None:
    denied = error(401, "authentication_error", "invalid x-api-key")
    done = run("run", "go", "--agent", "docs-writer", "--output-format", "json", steps=(denied,))
    assert done.status == 1
    assert done.json["outcome"] == "failed"
    assert done.json["error"]


def test_without_a_terminal_nothing_runs_unless_it_was_decided(project: Path) -> None:
    with ScriptedServer(HELLO) as server:
        done = cli("run", CLEAR_REQUEST, cwd=project, env=key(server))
        assert server.requests == []
    assert (done.status, done.out) == (4, "")
    assert "--yes" in done.err
    assert "--agent" in done.err


def test_yes_takes_the_recommended_agent(run: Runner) -> None:
    done = run(
        *("run", CLEAR_REQUEST, "--yes", "--output-format", "json"),
        steps=(error(404, "not_found_error", "no such model"), HELLO),
    )
    assert done.status == 0
    assert done.json["agent"] == "security-reviewer"


def test_yes_takes_nothing_that_is_not_recommended(run: Runner) -> None:
    done = run("run", "xyzzy plugh", "--yes", steps=(HELLO,))
    assert (done.status, done.out) == (3, "")
    assert "No suitable agent found" in done.err


def test_what_a_called_agent_was_denied_counts_as_denied(run: Runner) -> None:
    give = tool_use("Agent", {"subagent_type": "docs-writer", "prompt": "write"})
    call = tool_use("Write", {"file_path": "new.txt", "content": "x"})
    boss = '{"boss": {"description": "Leads.", "prompt": "Lead."}}'
    done = run(
        *("run", "write", "--agent", "boss", "--agents", boss),
        steps=(answer(give), answer(call), answer(text("Denied.")), answer(text("Ended."))),
    )
    assert "docs-writer › Write" in done.err
    assert done.status == 4


def test_a_run_that_only_reads_says_so_at_its_start(run: Runner) -> None:
    asked = ("run", "write", "--agent", "docs-writer", "--permission-mode")
    assert "read-only" in run(*asked, "plan", steps=(HELLO,)).err
    assert "only reads" not in run(*asked, "ask", steps=(HELLO,)).err


def test_yes_does_not_allow_a_risky_tool(run: Runner) -> None:
    call = tool_use("Write", {"file_path": "new.txt", "content": "x"})
    done = run(
        *("run", "write", "--agent", "docs-writer", "--yes"),
        steps=(answer(call), answer(text("I was not allowed."))),
    )
    assert done.status == 4
    assert "I was not allowed." in done.out
    assert "Denied: Write" in done.err
    assert not (run.project / "new.txt").exists()


def test_accept_edits_lets_a_write_in_the_project_pass(run: Runner) -> None:
    call = tool_use("Write", {"file_path": "new.txt", "content": "hello"})
    done = run(
        *("run", "write", "--agent", "docs-writer", "--permission-mode", "accept-edits"),
        steps=(answer(call), answer(text("Written."))),
    )
    assert done.status == 0
    assert (run.project / "new.txt").read_text().strip() == "hello"
    assert "Write new.txt" in done.err


def test_a_model_of_ones_own_is_sent(run: Runner) -> None:
    run("run", "go", "--agent", "docs-writer", "--model", "claude-special-1", steps=(HELLO,))
    assert run.requests[0].body["model"] == "claude-special-1"


def test_the_request_comes_from_standard_input(project: Path) -> None:
    with ScriptedServer(HELLO) as server:
        cli(
            *("run", "-", "--agent", "docs-writer"),
            cwd=project,
            env=key(server),
            stdin="describe --the-thing\n",
        )
        assert "describe --the-thing" in str(server.requests[0].body["messages"])


def test_an_unknown_agent_names_the_nearest(run: Runner) -> None:
    done = run("run", "go", "--agent", "doc-writer", steps=(HELLO,))
    assert done.status == 1
    assert "docs-writer" in done.err


def test_without_a_model_the_way_to_one_is_said(project: Path) -> None:
    done = cli("run", "go", "--agent", "docs-writer", cwd=project)
    assert (done.status, done.out) == (1, "")
    assert "ANTHROPIC_API_KEY" in done.err
    assert "secretary-tui model get" in done.err


def test_a_key_that_can_not_be_one_is_named(project: Path) -> None:
    env = {"ANTHROPIC_API_KEY": "sk-ant-a\x1bb"}
    arguments = ("run", "--agent", "docs-writer", "Write the tutorial")
    done = cli(*arguments, cwd=project, env=env)
    assert done.status == 1
    assert "ANTHROPIC_API_KEY holds characters that no key has (a control character)" in done.err
    assert "secretary-tui model get" in done.err
    assert "sk-ant" not in done.err


def test_an_empty_request_is_2(project: Path) -> None:
    assert cli("run", " ", "--yes", cwd=project).status == 2


def test_escape_sequences_of_a_model_never_reach_the_terminal(run: Runner) -> None:
    evil = answer(text("a\x1b]52;c;eA==\x07b \x9b2J\u202ec", chunk=1))
    for name in ("text", "json", "stream-json"):
        done = run("run", "go", "--agent", "docs-writer", "--output-format", name, steps=(evil,))
        assert not set("\x1b\x07\x9b\u202e") & set(done.out + done.err)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_came_and_is_130(
    project: Path, number: signal.Signals
) -> None:
    with (
        ScriptedServer(stall("The first part.", 60)) as server,
        subprocess.Popen(
            [
                *(sys.executable, "-m", "secretary_tui", "run", "go"),
                *("--agent", "docs-writer", "--output-format", "stream-json"),
            ],
            cwd=project,
            env=environment(key(server)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            if "text_delta" in line:
                break
        process.send_signal(number)
        last = process.stdout.read().splitlines()[-1]
    assert process.returncode == 130
    assert '"run_finished"' in last
    assert '"interrupted"' in last
    assert list_runs(project)[0].outcome == "interrupted"


def test_an_unclear_request_goes_on_with_a_best_effort_and_says_so(run: Runner) -> None:
    option = {"label": "Login", "description": ""}
    question = {
        "question": "Which part of the code?",
        "header": "Part",
        "options": [option, {**option, "label": "Payment"}],
        "multi_select": False,
    }
    routed = json_answer(
        {
            "clear": False,
            "intent": CLEAR_REQUEST,
            "questions": [question],
            "matches": [{"agent": "security-reviewer", "confidence": 95, "reason": "security"}],
            "recommendation": "security-reviewer",
            "workflow": None,
        }
    )
    done = run("run", CLEAR_REQUEST, "--yes", steps=(routed, HELLO))
    assert done.status == 0
    assert "Which part of the code? Continuing anyway." in done.err
    assert "All is well." in done.out


def test_offline_refuses_an_engine_that_needs_the_network(run: Runner) -> None:
    done = run("run", "go", "--agent", "docs-writer", "--offline", steps=(HELLO,))
    assert (done.status, run.requests) == (2, [])
    assert "--offline rules the Claude API out and there is no local model yet" in done.err
    named = ("run", "go", "--agent", "docs-writer", "--offline", "--engine")
    assert "--offline rules the Claude API out." in run(*named, "anthropic").err
    assert "--offline rules DeepSeek out: it needs the network." in run(*named, "deepseek").err


@pytest.mark.parametrize("how", [("--agent", "security-reviewer"), ("--yes",)])
def test_what_is_too_much_for_the_local_model_is_said_before_the_run(
    run: Runner, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    model = run.project / "tiny.gguf"
    model.write_bytes(tiny_gguf())  # It can't be loaded, which is said afterwards.
    monkeypatch.setenv("SECRETARY_TUI_LOCAL_MODEL", str(model))
    many = "Review all files for security vulnerabilities: injection, authentication"
    done = run("run", many, "--engine", "local", *how)
    assert done.status == 1
    said, _, failed = done.err.partition("Failed: The local model can't be loaded")
    assert failed
    assert said.count("Many files are too much for the small local model") == 1
    assert "Loading tiny." in said
    few = run("run", "Review login.py", "--engine", "local", "--agent", "security-reviewer")
    assert "too much" not in few.err


def test_offline_an_agent_runs_on_a_model_of_this_machine(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(HELLO) as here:
        engines = json.dumps({"here": {"base_url": here.url, "model": "tiny", "key_needed": False}})
        monkeypatch.setenv("SECRETARY_TUI_ENGINES", engines)
        done = run("run", "go", "--agent", "docs-writer", "--offline", "--engine", "here")
    assert (done.status, run.requests, len(here.requests)) == (0, [], 1)
    assert "All is well." in done.out


def test_a_stored_run_is_shown_and_continued(run: Runner) -> None:
    first = run("run", "go", "--agent", "docs-writer", "--output-format", "json", steps=(HELLO,))
    run_id = first.json["run_id"]
    shown = cli("sessions", "show", run_id, cwd=run.project)
    assert "> go" in shown.out
    assert "Nothing was found." in shown.out
    done = run("sessions", "resume", run_id, "and now?", steps=(answer(text("More.")),))
    messages = run.requests[0].body["messages"]
    assert (done.status, done.out) == (0, "More.\n")
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert "and now?" in str(messages[2])
    record = load_run(run_id)
    assert [message["role"] for message in record.messages] == ["user", "assistant"] * 2
    (summary,) = list_runs(run.project)
    assert summary.outcome == "done"


def write_command(project: Path) -> None:
    folder = project / ".claude" / "commands"
    folder.mkdir(parents=True)
    said = "---\ndescription: Deploy the shop\nallowed-tools: Read\n---\nDeploy to $1 from $2.\n"
    (folder / "deploy.md").write_text(said)


def test_a_command_runs_with_its_arguments_and_exactly_its_tools(run: Runner) -> None:
    write_command(run.project)
    done = run("run", "live main", "--agent", "/deploy", steps=(HELLO,))
    assert done.status == 0
    body = run.requests[0].body
    assert [tool["name"] for tool in body["tools"]] == ["Read"]
    assert "Deploy to live from main." in str(body["system"])


def test_yes_runs_a_command_that_was_named_and_asks_no_model_about_it(run: Runner) -> None:
    write_command(run.project)
    done = run("run", "/deploy live main", "--yes", steps=(HELLO,))
    assert done.status == 0
    assert "Deploy to live from main." in str(run.requests[0].body["system"])


def test_yes_runs_no_command_that_only_seems_to_fit(run: Runner) -> None:
    write_command(run.project)
    route = json_answer({"matches": [], "reasoning": "A command.", "workflow": "deploy"})
    done = run("run", "deploy the shop", "--yes", steps=(route, HELLO))
    assert done.status == 3
    assert len(run.requests) == 1


def test_a_command_is_continued_as_it_was_begun(run: Runner) -> None:
    write_command(run.project)
    run("run", "live main", "--agent", "/deploy", steps=(HELLO,))
    (stored,) = list_runs(run.project)
    done = run("sessions", "resume", stored.id, "and then?", steps=(HELLO,))
    assert done.status == 0
    assert "Deploy to live from main." in str(run.requests[0].body["system"])


def test_an_unknown_command_names_the_nearest(run: Runner) -> None:
    write_command(run.project)
    done = run("run", "live", "--agent", "/deplyo", steps=(HELLO,))
    assert done.status != 0
    assert "nearest: /deploy" in done.err


def test_a_skill_reads_what_lies_beside_its_instructions_wherever_it_is(run: Runner) -> None:
    folder = Path.home() / ".claude" / "skills" / "notes"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\ndescription: Notes\n---\nRead template.md first.\n")
    (folder / "template.md").write_text("the template\n")
    (folder.parent / "secret.md").write_text("not of the skill\n")
    (folder / "way-out.md").symlink_to(folder.parent / "secret.md")
    reads = [
        tool_use("Read", {"file_path": str(path)})
        for path in (folder / "template.md", folder.parent / "secret.md", folder / "way-out.md")
    ]
    done = run("run", "write", "--agent", "/notes", steps=(answer(*reads), HELLO))
    assert done.status == 0
    told = run.requests[1].body["messages"][-1]["content"]
    first, second, third = (str(block["content"]) for block in told if "tool_use_id" in block)
    assert "the template" in first
    assert "outside the workspace" in second
    assert "outside the workspace" in third
