"""`--plain --json`: what follows an answer goes on with its run, unless the topic changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from secretary_tui.sessions.store import list_runs
from tests.plain.json_lines import offline
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.verbs.command_line import CLEAR_REQUEST

pytestmark = pytest.mark.e2e
REQUEST = "write the documentation of the parser"
WRITE = tool_use("Write", {"file_path": "parser.md", "content": "The parser reads tokens.\n"})


def actions(message: dict[str, list[dict[str, str]]]) -> list[str]:
    return [option["action"] for option in message["options"]]


def test_a_follow_up_goes_on_with_the_run_and_a_new_topic_does_not(project: Path) -> None:
    steps = (
        answer(WRITE),
        answer(text("I wrote parser.md: what the parser reads.")),
        answer(text("Now it is shorter.")),
    )
    with ScriptedServer(*steps) as here, offline(project, here) as talk:
        assert talk.say(REQUEST)["type"] == "offer"
        assert talk.say("a")["type"] == "permission"
        assert talk.say("yes")["type"] == "turn_end"
        (run,) = list_runs(project)

        offer = talk.say("now make it shorter")
        first = offer["options"][0]
        assert (offer["type"], first["key"], first["action"]) == ("offer", "1", "continue")
        assert (first["agent"], first["run"]) == ("docs-writer", run.id)
        assert 50 <= first["confidence"] <= 100
        assert "continue" not in actions(offer)[1:]
        assert talk.say("1")["type"] == "turn_end"
        assert talk.texts("answer")[-1] == "Now it is shorter."
        heard = json.dumps(here.requests[-1].body)
        assert REQUEST in heard
        assert "now make it shorter" in heard
        assert [run.id for run in list_runs(project)] == [run.id]

        assert "continue" not in actions(talk.say(f"New task: {CLEAR_REQUEST.lower()}"))
        assert talk.say("cancel")["type"] == "turn_end"
        assert talk.say("/new")["type"] == "turn_end"
        assert "continue" not in actions(talk.say("now make it shorter"))
        assert talk.end() == 0
