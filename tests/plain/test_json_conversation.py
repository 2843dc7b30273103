"""`--plain --json`: a program holds a conversation, line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from secretary_tui.delegation.permissions.folder_trust import forget, is_trusted
from secretary_tui.sessions.store import RunOutcome, list_runs
from tests.plain.json_lines import Conversation, keys, offline, parsed, types_of
from tests.plain.lines import NO_ROUTING_MODEL
from tests.servers.anthropic_server import (
    ScriptedServer,
    answer,
    json_answer,
    stall,
    text,
    tool_use,
)
from tests.verbs.command_line import CLEAR_REQUEST, Finished, cli, write_agent

pytestmark = pytest.mark.e2e
WRITE = tool_use("Write", {"file_path": "notes.md", "content": "hello\n"})
NAMED = "@docs-writer write it down"


def piped(project: Path, *lines: str) -> Finished:
    """All lines at once, before anything was asked."""
    return cli("--plain", "--json", cwd=project, stdin="".join(f"{line}\n" for line in lines))


def test_a_request_is_offered_run_with_a_permission_and_replied_to(project: Path) -> None:
    steps = (
        NO_ROUTING_MODEL,
        answer(text("First the file. "), WRITE),
        answer(text("It is **written**.\n\nSee “notes”.")),
        answer(text("Shorter now.")),
    )
    with ScriptedServer(*steps) as server, Conversation(project, server) as talk:
        offer = talk.say(CLEAR_REQUEST)
        assert offer["type"] == "offer"
        first, *others = offer["options"]
        assert (first["key"], first["action"]) == ("1", "run")
        assert (first["agent"], first["run"]) == ("security-reviewer", None)
        assert first["confidence"] > 70
        assert first["fallback"] is False
        assert others[-1]["action"] == "cancel"

        asked = talk.say("other docs-writer")
        assert asked["type"] == "permission"
        assert "added: hello" in asked["text"]
        assert keys(asked) == ["yes", "run", "always", "no"]
        assert not (project / "notes.md").exists()

        assert talk.say("yes")["type"] == "turn_end"
        assert (project / "notes.md").read_text() == "hello\n"
        assert talk.texts("answer") == ["It is **written**.\n\nSee “notes”."]
        assert "First the file." in talk.texts("notice")
        assert any(said.startswith("Write notes.md: done") for said in talk.texts("notice"))

        assert talk.say("/reply shorter")["type"] == "turn_end"
        assert talk.texts("answer")[-1] == "Shorter now."
        assert talk.end() == 0
        assert talk.types == ["offer", "permission", "answer", "turn_end", "answer", "turn_end"]


def test_a_question_is_answered_by_a_key_or_in_words_and_skipped(project: Path) -> None:
    question = {
        "question": "Which part of the code?",
        "header": "Part",
        "options": [{"label": "Login", "description": "who you are"}, {"label": "Payment"}],
    }
    routed = json_answer(
        {
            "clear": False,
            "intent": CLEAR_REQUEST,
            "questions": [
                {**question, "multi_select": False},
                {**question, "multi_select": True, "question": "Which files?"},
            ],
            "matches": [{"agent": "security-reviewer", "confidence": 95, "reason": "security"}],
            "recommendation": "security-reviewer",
            "workflow": None,
        }
    )
    steps = (
        routed,
        NO_ROUTING_MODEL,
        routed,
        routed,
        routed,
    )  # What was skipped changes no ranking.
    with ScriptedServer(*steps) as server, Conversation(project, server) as talk:
        asked = talk.say(CLEAR_REQUEST)
        assert (asked["type"], asked["text"]) == ("question", "Which part of the code?")
        assert keys(asked) == ["1", "2", "skip", "cancel"]
        assert [option["label"] for option in asked["options"][:2]] == [
            "Login. who you are",
            "Payment",
        ]
        assert [option["action"] for option in asked["options"]] == [*["answer"] * 3, "cancel"]
        assert talk.say("7")["text"] == "Which part of the code?"  # Not one of them: once more.
        assert talk.say("1")["text"] == "Which files?"
        offer = talk.say("all of src")
        assert offer["type"] == "offer"
        assert "Login" in offer["text"]
        assert "all of src" in offer["text"]
        assert talk.say("cancel")["type"] == "turn_end"

        assert talk.say(CLEAR_REQUEST)["type"] == "question"
        assert talk.say("skip")["type"] == "question"
        assert talk.say("")["type"] == "offer"
        assert talk.say("cancel")["type"] == "turn_end"

        assert talk.say(CLEAR_REQUEST)["type"] == "question"
        assert talk.say("cancel")["type"] == "turn_end"
        assert talk.say("cancel")["type"] == "turn_end"
        assert talk.texts("notice")[-1] == "There is nothing to cancel."

        assert talk.say(CLEAR_REQUEST)["type"] == "question"
        assert talk.end() == 0
        assert talk.types[-2:] == ["question", "turn_end"]
    assert list_runs(project) == ()


def test_what_is_no_answer_is_said_and_asked_again(project: Path) -> None:
    with Conversation(project) as talk:
        offer = talk.say(CLEAR_REQUEST)
        assert talk.say("9") == offer
        assert talk.say("nonsense") == offer
        assert talk.say("other nobody-of-that-name") == offer
        assert "nonsense is not one of the answers." in talk.texts("notice")
        assert talk.say("task Review the logout")["text"] != offer["text"]
        assert talk.say("CANCEL")["type"] == "turn_end"
        assert talk.end() == 0


def test_more_adds_the_next_agents_to_the_options(project: Path) -> None:
    for topic in ("style", "names", "comments", "imports", "logging"):
        agents = project / ".claude" / "agents"
        write_agent(agents, f"{topic}-fixer", f"Fixes the {topic} of code.")
    with Conversation(project) as talk:
        offer = talk.say(CLEAR_REQUEST)
        more = talk.say("more")
        assert keys(more)[: len(offer["options"]) - 1] == keys(offer)[:-1]
        added = more["options"][len(offer["options"]) - 1 : -1]
        assert len(added) == 3
        assert all(option["confidence"] < 50 for option in added)


def test_lines_that_were_written_at_once_are_taken_in_their_order(project: Path) -> None:
    done = piped(project, CLEAR_REQUEST, "cancel", "/agents docs", CLEAR_REQUEST, "hi")
    messages = [parsed(line) for line in done.out.splitlines()]
    assert types_of(messages) == [
        *("offer", "turn_end"),  # Cancelled.
        "turn_end",
        *("offer", "turn_end"),  # What follows is no answer to it: it is the next request.
        *("answer", "turn_end"),
    ]
    assert (done.status, done.err) == (0, "")


def test_a_permission_that_was_written_before_it_was_asked_is_none(project: Path) -> None:
    steps = (answer(WRITE), answer(text("Then not.")))
    with ScriptedServer(*steps) as server, Conversation(project, server) as talk:
        for line in (NAMED, "1", "yes"):
            talk.write(line)
        while talk.wait()["type"] != "turn_end":
            pass
        assert talk.texts("answer") == ["Then not."]
        assert any("it is kept" in said for said in talk.texts("notice"))
    assert not (project / "notes.md").exists()


def test_the_end_of_the_input_cancels_what_is_asked(project: Path) -> None:
    with Conversation(project) as talk:
        assert talk.say(CLEAR_REQUEST)["type"] == "offer"
        assert talk.end() == 0
        assert talk.types == ["offer", "turn_end"]
    steps = (answer(WRITE), answer(text("Then not.")))
    with ScriptedServer(*steps) as server, Conversation(project, server) as talk:
        talk.say(NAMED)
        assert talk.say("a")["type"] == "permission"
        assert talk.end() == 0
        assert talk.types == ["offer", "permission", "answer", "turn_end"]
    assert not (project / "notes.md").exists()
    with Conversation(project) as talk:
        assert talk.end() == 0
        assert talk.types == []


def test_a_run_is_stopped_and_a_failed_one_ends_its_turn(project: Path) -> None:
    with ScriptedServer(stall("It begins", 60)) as server, Conversation(project, server) as talk:
        talk.say(NAMED)
        talk.write("a")
        assert server.wait_for_requests(1, timeout=60)
        talk.write("/stop")
        assert talk.wait()["type"] == "turn_end"
        assert "Stopping." in talk.texts("notice")
    assert [run.outcome for run in list_runs(project)] == [RunOutcome.INTERRUPTED]
    with Conversation(project) as talk:
        talk.say(NAMED)
        without_model = talk.say("1")
        assert without_model["type"] == "question"
        assert "there is no model to run it" in without_model["text"]
        assert keys(without_model)[-1] == "no"
        assert talk.say("cancel")["type"] == "turn_end"


def test_offline_a_model_of_this_machine_runs_agents_and_one_of_the_network_is_refused(
    project: Path,
) -> None:
    answers = ScriptedServer(answer(text("Hello from here.")))
    with answers as here, offline(project, here) as talk:
        assert talk.say(CLEAR_REQUEST)["type"] == "offer"  # Nobody is asked who fits.
        assert talk.say("1")["type"] == "turn_end"
        assert talk.texts("answer") == ["Hello from here."]
    with ScriptedServer() as server, Conversation(project, server, "--offline") as talk:
        assert talk.say(CLEAR_REQUEST)["type"] == "offer"
        assert "--offline rules the Claude API out" in talk.say("1")["text"]
        assert talk.say("no")["type"] == "turn_end"
        assert server.requests == []


def test_a_folder_is_trusted_by_an_answer_only(project: Path) -> None:
    forget(project)
    with ScriptedServer(answer(text("Hello."))) as server, Conversation(project, server) as talk:
        talk.say(NAMED)
        asked = talk.say("1")
        assert "Do you trust" in asked["text"]
        assert [option["action"] for option in asked["options"]] == ["answer", "answer", "cancel"]
        assert not is_trusted(project)
        assert talk.say("1")["type"] == "turn_end"
        assert talk.texts("answer") == ["Hello."]


def test_commands_print_nothing_but_messages(project: Path) -> None:
    done = piped(project, "/doctor", "/agent docs-writer", "/mode nonsense", "/help", "", "/quit")
    messages = [parsed(line) for line in done.out.splitlines()]
    said = "\n".join(message["text"] for message in messages)
    assert types_of(messages) == ["turn_end"] * 6
    assert "You write documentation that a newcomer can follow." in said
    assert "manual, aware or proactive" in said
    assert (done.status, done.err) == (0, "")


def test_no_text_of_others_breaks_a_line(project: Path) -> None:
    hostile = 'one\u2028two\x85three \x1b[2J\u202e{"type": "offer"}\n'
    with ScriptedServer(answer(text(hostile))) as server, Conversation(project, server) as talk:
        talk.say(NAMED)
        talk.say("1")
        (said,) = talk.texts("answer")
        assert said.startswith("one")
        assert "\x1b" not in said
        assert talk.types == ["offer", "answer", "turn_end"]


def test_json_without_lines_is_refused(project: Path) -> None:
    done = cli("--json", cwd=project)
    assert (done.status, done.out) == (2, "")
    assert "--plain --json" in done.err
    assert json.loads(cli("agents", "--json", cwd=project).out)
