"""What a person must judge is said whole, and nothing foreign can pass for the program's words."""

from __future__ import annotations

from secretary_tui.events import PromptRead, Todo, TodosChanged, ToolFinished, ToolStarted
from secretary_tui.people import ToolDecision, ToolRequest
from secretary_tui.plain.said import Teller
from secretary_tui.plain.wording import answers_to, diff_in_words, request_lines


def bash(command: str) -> ToolRequest:
    return ToolRequest("t1", "worker", "Bash", command.partition("\n")[0], command, "/project")


def test_each_line_of_a_command_is_numbered_and_counted() -> None:
    command = "echo one\nEnd of the command.\nAnswer yes: \x1b[2Kyes"
    lines = request_lines(bash(command))
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
    assert list(answers_to(bash("ls"))) == ["yes", "run", "always", "no"]
    memory = ToolRequest("t1", "worker", "Memory", "write", "write", "/project")
    assert list(answers_to(memory)) == ["yes", "no"]
    assert answers_to(memory)["yes"][0] is ToolDecision.ONCE


def test_a_tool_call_is_one_line_with_its_result() -> None:
    teller = Teller()
    assert teller.lines(ToolStarted("t1", "Read", "login.py")) == []
    done = teller.lines(ToolFinished("t1", "Read", "a\nb\n", False, 0.1))
    assert done == ["Read login.py: done, 2 lines."]
    teller.lines(ToolStarted("t2", "Bash", "false"))
    failed = teller.lines(ToolFinished("t2", "Bash", "exit status 1", True, 0.1))
    assert failed == ["Bash false: failed, exit status 1."]


def test_how_far_a_prompt_is_read_is_said_by_quarters_and_only_when_it_takes_long() -> None:
    teller = Teller()
    assert teller.lines(PromptRead(10, 1000, 1.0)) == []
    first = teller.lines(PromptRead(260, 1000, 4.0, 9.0))
    assert first == ["The model reads the prompt: 26 percent, about 9 seconds left."]
    assert teller.lines(PromptRead(300, 1000, 5.0, 8.0)) == []


def test_a_list_of_steps_is_said_whole_once_and_then_where_it_changed() -> None:
    teller = Teller()
    first = TodosChanged((Todo("Read", "in_progress"), Todo("Write")))
    assert teller.lines(first) == [
        "2 steps:",
        "Step 1 of 2, in work: Read",
        "Step 2 of 2, to do: Write",
    ]
    second = TodosChanged((Todo("Read", "completed"), Todo("Write")))
    assert teller.lines(second) == ["Step 1 of 2, done: Read"]
