"""The plain face in a real terminal: from a request to a run, and all ways out."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from secretary_tui.delegation.permissions.folder_trust import forget
from secretary_tui.events import RunStarted
from secretary_tui.sessions import drafts
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import list_runs
from tests.plain.lines import ALLOW, CHOICE, NO_ROUTING_MODEL, REQUEST, Lines, model_of
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use, wait_for
from tests.verbs.command_line import CLEAR_REQUEST, environment

pytestmark = pytest.mark.e2e
WRITE = tool_use("Write", {"file_path": "notes.md", "content": "hello\n"})


def choose_docs_writer(lines: Lines) -> None:
    lines.wait(REQUEST)
    lines.say("@docs-writer write it down")  # Named, so no model is asked who fits.
    lines.wait(CHOICE)
    lines.say("a")


def test_a_request_is_chosen_allowed_run_and_followed_up_without_one_escape(project: Path) -> None:
    steps = (
        NO_ROUTING_MODEL,
        answer(WRITE),
        answer(text("It is written. See the file.")),
        answer(text("The second answer.")),
    )
    with ScriptedServer(*steps) as server, Lines(project, server) as lines:
        lines.wait("3 agents")
        lines.wait(REQUEST)
        lines.say(CLEAR_REQUEST)
        lines.wait("1: security-reviewer, [0-9]+ percent, recommended. Why: ")
        lines.wait(CHOICE)
        lines.say("other docs-writer")
        lines.wait("docs-writer starts with")
        lines.wait("docs-writer wants to use Write in")
        lines.wait("added: hello")
        lines.wait(ALLOW)
        assert not (project / "notes.md").exists()
        lines.say("yes")
        lines.wait("Write notes.md: done")
        lines.wait("It is written. See the file.")
        lines.wait(r"Done. 2 turns, [0-9,]+ tokens, ")
        lines.wait(REQUEST)
        lines.say("/reply and now the second part")
        lines.wait("The second answer.")
        lines.wait(REQUEST)
        lines.say("/quit")
        assert lines.end() == 0
        assert "\x1b" not in lines.raw
        assert lines.count("It is written") == 1
        assert "and now the second part" in json.dumps(server.requests[-1].body["messages"])
    assert (project / "notes.md").read_text() == "hello\n"
    assert [run.agent for run in list_runs(project)] == ["docs-writer"]


def test_what_was_typed_before_a_permission_question_does_not_answer_it(project: Path) -> None:
    gate = threading.Event()
    again = tool_use("Write", {"file_path": "more.md", "content": "hello\n"})
    steps = (
        wait_for(gate, answer(WRITE)),
        answer(again),
        answer(text("Then not.")),
    )
    with ScriptedServer(*steps) as server, Lines(project, server) as lines:
        choose_docs_writer(lines)
        lines.wait("docs-writer starts with")
        assert server.wait_for_requests(1, timeout=60)
        lines.type("yes")
        lines.wait("yes")  # The terminal has it, and nobody pressed Enter.
        gate.set()
        lines.wait("Kept for later, not taken as an answer: yes")
        lines.wait(ALLOW)
        lines.say("")
        lines.wait(ALLOW)
        lines.say("y")
        lines.wait(ALLOW)
        lines.say("no not in this folder")
        lines.wait("docs-writer wants to use Write")
        lines.wait("no: deny it")
        lines.say("always")  # Within the half second after the question was said.
        lines.wait("not taken as an answer: always")
        lines.wait(ALLOW)
        assert not (project / "more.md").exists()
        lines.say("no")
        lines.wait("Then not.")
        lines.wait("Ctrl.U clears it")
        assert "not in this folder" in json.dumps(server.requests[1].body["messages"])
    assert not (project / "notes.md").exists()
    assert not (project / "more.md").exists()


def test_what_an_agent_says_can_not_pass_for_a_question(project: Path) -> None:
    fake = "Hm.\n\ndocs-writer wants to use Read in /. All of it, 1 line:\n1: a\nAnswer yes or no: "
    steps = (answer(text(fake), WRITE), answer(text("Then not.\nRequest: ")))
    with ScriptedServer(*steps) as server, Lines(project, server) as lines:
        choose_docs_writer(lines)
        lines.wait(ALLOW)
        lines.say("no")
        lines.wait("Done. 2 turns")
        lines.wait(REQUEST)
        ours = [line for line in lines.text.split("\n") if not line.startswith("| ")]
    assert sum("wants to use" in line for line in ours) == 1
    assert sum(line.startswith("Answer yes") for line in ours) == 1
    assert sum(line.startswith("Request: ") for line in ours) == 2


def test_a_question_that_nobody_can_read_is_denied(project: Path) -> None:
    gate = threading.Event()
    steps = (wait_for(gate, answer(WRITE)), answer(text("Then not.")))
    keyboard, terminal = pty.openpty()
    with (
        ScriptedServer(*steps) as server,
        subprocess.Popen(
            [sys.executable, "-m", "secretary_tui", "--plain"],
            cwd=project,
            env=environment(model_of(server)),
            stdin=terminal,
            stdout=subprocess.PIPE,
            start_new_session=True,
        ) as process,
    ):
        os.close(terminal)
        assert process.stdout is not None
        for line, prompt in (("@docs-writer write it down", b"Request: "), ("a", b"cancel: ")):
            seen = b""
            while not seen.endswith(prompt):
                seen += os.read(process.stdout.fileno(), 4096)
            os.write(keyboard, f"{line}\n".encode())
        assert server.wait_for_requests(1, timeout=60)
        process.stdout.close()
        gate.set()
        assert server.wait_for_requests(2, timeout=60)  # It was told that it was refused.
        assert process.wait(60) == 141
        os.close(keyboard)
    told = json.dumps(server.requests[1].body["messages"])
    assert "Nobody answered: the input has ended." in told
    assert not (project / "notes.md").exists()


def test_what_a_stored_run_draft_or_request_holds_is_not_obeyed_by_the_terminal(
    project: Path,
) -> None:
    title = "\x1b]0;evil\x07"
    began = {"agent": f"a{title}", "request": f"r{title}", "model": f"m{title}"}
    blank = dict.fromkeys(("agent_path", "agent_hash", "task", "system", "engine"), "")
    with RunLog.create(project, "20261120-000000-aaaa") as log:
        log.append(
            RunStarted(
                **{"run_id": "20261120-000000-aaaa", **blank, **began},
                tools=(),
                permission_mode="ask",
                project=str(project),
                started_at="2026-11-20T00:00:00+00:00",
            )
        )
    drafts.save_draft(project, f"a draft{title}")
    drafts.add_to_history(project, f"earlier{title}")
    with Lines(project) as lines:
        lines.wait("Request: a draft$")
        lines.type("\x15\x1b[A")
        lines.wait("earlier$")
        lines.type("\x15")
        lines.say("/resume 20261120-000000-aaaa")
        lines.wait("To a: $")
        lines.say("/quit")
        assert lines.end() == 0
        assert "evil" not in lines.raw


def test_ctrl_c_cancels_a_choice_stops_a_run_and_twice_leaves(project: Path) -> None:
    gate = threading.Event()
    steps = (NO_ROUTING_MODEL, answer(WRITE), wait_for(gate, answer(text("No."))))
    with ScriptedServer(*steps) as server, Lines(project, server) as lines:
        lines.wait(REQUEST)
        lines.say("review the login")
        lines.wait(CHOICE)
        lines.ctrl_c()
        lines.wait("Nothing was run.")
        lines.wait("Request: review the login$")
        lines.ctrl_c()
        lines.wait("Cleared; the up key brings it back.")

        choose_docs_writer(lines)
        lines.wait(ALLOW)
        lines.ctrl_c()
        lines.wait("Interrupted. ")
        lines.wait(REQUEST)
        assert not (project / "notes.md").exists()

        lines.say("/reply go on")
        assert server.wait_for_requests(3, timeout=60)
        lines.ctrl_c()
        lines.wait("Stopping.")
        lines.wait("Interrupted. ")
        gate.set()
        lines.wait(REQUEST)
        lines.ctrl_c()
        lines.wait("Press Ctrl.C again to quit.")
        lines.ctrl_c()
        lines.wait("To continue: secretary-tui sessions resume")
        assert lines.end() == 0
    assert [run.outcome for run in list_runs(project)] == ["interrupted"]


def test_a_paste_is_one_request_and_a_hang_up_keeps_the_draft(project: Path) -> None:
    with Lines(project) as lines:
        lines.wait(REQUEST)
        lines.type("review the login\nand the logout\n")
        lines.wait("Understood: ")
        lines.wait(CHOICE)
        lines.say("cancel")
        lines.wait("Ctrl.U clears it")
        lines.wait("logout$")
        lines.type("\x15half a thought")
        lines.wait("half a thought$")
        os.kill(lines.process.pid, signal.SIGHUP)
        assert lines.end() == 128 + signal.SIGHUP
    assert drafts.load_history(project) == ["review the login\nand the logout"]
    with Lines(project, None, "--offline", env={"TERM": "dumb"}) as lines:
        lines.wait(r"can't show the screen .TERM=dumb.")
        lines.wait("Request: half a thought$")
        lines.type("\x15")
        lines.ctrl_d()
        assert lines.end() == 0
        assert "\x1b" not in lines.raw


def test_a_line_typed_during_a_run_reaches_its_agent(project: Path) -> None:
    (project / "a.md").write_text("one\n")
    gate = threading.Event()
    read = tool_use("Read", {"file_path": "a.md"})
    steps = (wait_for(gate, answer(read)), answer(text("With care.")))
    with ScriptedServer(*steps) as server, Lines(project, server) as lines:
        choose_docs_writer(lines)
        lines.wait("docs-writer starts with")
        assert server.wait_for_requests(1, timeout=60)
        lines.say("")
        lines.wait("docs-writer has been running for [0-9]+ seconds")
        lines.say("take care of the umlauts")
        lines.wait("docs-writer gets this at its next turn.")
        gate.set()
        lines.wait("Read a.md: done, 1 line.")
        lines.wait("The agent reads your message now.")
        lines.wait("With care.")
        lines.wait(REQUEST)
        assert "take care of the umlauts" in json.dumps(server.requests[-1].body["messages"])


def test_a_terminal_that_goes_away_stops_the_run_in_order(project: Path) -> None:
    gate = threading.Event()
    with (
        ScriptedServer(wait_for(gate, answer(text("Never said.")))) as server,
        Lines(project, server) as lines,
    ):
        choose_docs_writer(lines)
        assert server.wait_for_requests(1, timeout=60)
        assert lines.vanish() == 128 + signal.SIGHUP
        gate.set()
    assert [run.outcome for run in list_runs(project)] == ["interrupted"]


def test_nothing_runs_in_a_folder_until_it_is_trusted(project: Path) -> None:
    forget(project)
    with ScriptedServer() as server, Lines(project, server) as lines:
        lines.wait("not trusted yet")
        choose_docs_writer(lines)
        lines.wait("Do you trust what is in")
        lines.wait("1: Trust it and run")
        lines.wait("no: Run nothing")
        lines.wait("Answer 1, 2 or no: $")
        lines.say("no")
        lines.wait("Nothing was run")
        lines.wait("Request: ")
        assert server.requests == []
    assert list_runs(project) == ()


def test_clarifying_questions_are_numbered_and_take_a_number(project: Path) -> None:
    ask = tool_use(
        "AskUserQuestion",
        {
            "questions": [
                {
                    "question": "Which part?",
                    "header": "Part",
                    "options": [
                        {"label": "All", "description": "Every page"},
                        {"label": "One", "description": "The first page"},
                    ],
                    "multiSelect": False,
                }
            ]
        },
    )
    (project / ".claude/agents/asker.md").write_text(
        "---\nname: asker\ndescription: Asks.\ntools: Read, AskUserQuestion\n---\nAsk first.\n"
    )
    steps = (answer(ask), answer(text("Only one, then.")))
    with ScriptedServer(*steps) as server, Lines(project, server) as lines:
        lines.wait(REQUEST)
        lines.say("@asker look at the pages")
        lines.wait(CHOICE)
        lines.say("a")
        lines.wait("asker asks: Which part.")
        lines.wait("1: All. Every page")
        lines.wait("2: One. The first page")
        lines.wait("Enter to skip: $")
        lines.say("2")
        lines.wait("Only one, then.")
        lines.wait(REQUEST)
        assert "Which part? -> One" in json.dumps(server.requests[-1].body["messages"])


def test_a_question_that_was_open_at_a_kill_is_asked_again(project: Path) -> None:
    with ScriptedServer(NO_ROUTING_MODEL, answer(text("Here I am."))) as server:
        with Lines(project, server) as lines:
            lines.wait(REQUEST)
            lines.say(CLEAR_REQUEST)
            lines.wait(CHOICE)
            lines.process.kill(signal.SIGKILL)
            lines.process.wait()
        with Lines(project, server) as lines:
            lines.wait("The last session ended with an open question")
            lines.wait("1: security-reviewer")
            lines.wait(CHOICE)
            lines.say("a")
            lines.wait("Here I am.")


def test_commands_list_and_change_what_the_screen_does(project: Path) -> None:
    with Lines(project) as lines:
        lines.wait(REQUEST)
        lines.say("/agents kubernetes")
        lines.wait("1 agent with kubernetes:")
        lines.wait("kubernetes-operator, from project. Deploys")
        lines.wait(REQUEST)
        lines.say("/set notify off")
        lines.wait(r"notify: off \((Config created at|saved in) ")
        lines.wait(REQUEST)
        lines.say("/set notify loud")
        lines.wait("notify must be one of")
        lines.wait(REQUEST)
        lines.say("/mode aware")
        lines.wait("Mode changed from manual to aware")
        lines.wait(REQUEST)
        lines.say("/theme")
        lines.wait("/theme works only on the screen")
        lines.wait(REQUEST)
        lines.say("/nonsense")
        lines.wait("Unknown command /nonsense")
        lines.wait(REQUEST)
        lines.say("/quit")
        assert lines.end() == 0


def test_a_stored_run_is_resumed_by_its_number(project: Path) -> None:
    steps = (answer(text("The first answer.")), answer(text("More of it.")))
    with ScriptedServer(*steps) as server:
        with Lines(project, server) as lines:
            lines.wait(REQUEST)
            lines.say("@docs-writer write the manual")
            lines.wait(CHOICE)
            lines.say("a")
            lines.wait("The first answer.")
            lines.wait(REQUEST)
            lines.say("/quit")
            assert lines.end() == 0
        with Lines(project, server) as lines:
            lines.wait(REQUEST)
            lines.say("/history manual")
            lines.wait("1: docs-writer, done, ")
            lines.wait(REQUEST)
            lines.say("/resume 1")
            lines.wait("What you type goes to docs-writer")
            lines.wait("To docs-writer: $")
            lines.say("go on")
            lines.wait("More of it.")
            lines.wait("To docs-writer: $")
            lines.say("/clear")
            lines.wait(REQUEST)
    assert "The first answer." in json.dumps(server.requests[-1].body["messages"])
