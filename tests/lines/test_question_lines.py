"""What a person must judge is said whole, and nothing foreign can pass for the program's words."""

from __future__ import annotations

from secretary_tui.lines.line_query import listed_lines
from secretary_tui.lines.question_lines import (
    answers_to,
    choice_answers,
    diff_in_words,
    offered,
    request_lines,
)
from secretary_tui.people import SAFE, Choice, ToolDecision, ToolRequest


def bash(command: str) -> ToolRequest:
    return ToolRequest("t1", "worker", "Bash", command.partition("\n")[0], command, "/project")


def test_each_line_of_a_command_is_numbered_and_counted() -> None:
    command = "echo one\nEnd of the command.\nAnswer yes: \x1b[2Kyes"
    lines = request_lines(bash(command), spoken=True)
    assert lines[0].endswith("All of it, 3 lines:")
    assert lines[1:4] == ["1: echo one", "2: End of the command.", "3: Answer yes: \\x1b[2Kyes"]
    assert "unsandboxed" in lines[0]


def test_a_diff_is_said_in_words_and_loses_nothing() -> None:
    diff = ["--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", " same", "--- dashes", "+new", "\\ No newline"]
    assert diff_in_words(diff) == [
        "--- a/x",
        "+++ b/x",
        "place @@ -1,2 +1,2 @@",
        "same: same",
        "removed: -- dashes",
        "added: new",
        "\\ No newline",
    ]


def test_only_words_that_the_tool_has_are_offered() -> None:
    assert list(answers_to(bash("ls"), spoken=True)) == ["yes", "run", "always", "no"]
    memory = ToolRequest("t1", "worker", "Memory", "write", "write", "/project")
    assert list(answers_to(memory, spoken=True)) == ["yes", "no"]
    assert answers_to(memory, spoken=True)["yes"][0] is ToolDecision.ONCE


def test_a_diff_keeps_its_signs_for_eyes_and_gets_words_for_ears() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+new"
    edit = ToolRequest("t1", "worker", "Edit", "x", diff, "/project")
    assert request_lines(edit, spoken=False)[-1] == "4: +new"
    assert request_lines(edit, spoken=True)[-1] == "4: added: new"


def test_letters_answer_for_eyes_and_whole_words_for_ears() -> None:
    assert list(answers_to(bash("ls"), spoken=False)) == ["y", "r", "a", "n"]
    choices = (Choice("t", "Trust it"), Choice(SAFE, "Run nothing"))
    assert list(choice_answers(choices, spoken=False)) == ["t", "q"]
    assert list(choice_answers(choices, spoken=True)) == ["1", "no"]
    labels = {"1": "Trust it", "2": "Read it", "no": "Run nothing"}
    options, prompt = offered(labels, spoken=True)
    said = ["1: Trust it", "2: Read it", "no: Run nothing"]
    assert listed_lines(options, spoken=True) == said
    assert prompt == "Answer 1, 2 or no: "
    options, prompt = offered({"t": "trust it", "q": "run nothing"}, spoken=False)
    assert listed_lines(options, spoken=False) == []
    assert prompt == "t trust it · q run nothing: "
