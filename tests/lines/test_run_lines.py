"""What the events of a run are in words, for ears: one line each, and each thing once."""

from __future__ import annotations

from secretary_tui.events import (
    ModelStarting,
    PromptRead,
    Todo,
    TodosChanged,
    ToolFinished,
    ToolStarted,
)
from secretary_tui.lines.run_lines import RunTeller


def test_a_tool_call_is_one_line_with_its_result() -> None:
    teller = RunTeller()
    assert teller.lines(ToolStarted("t1", "Read", "login.py")) == []
    done = teller.lines(ToolFinished("t1", "Read", "a\nb\n", False, 0.1))
    assert done == ["Read login.py: done, 2 lines."]
    teller.lines(ToolStarted("t2", "Bash", "false"))
    failed = teller.lines(ToolFinished("t2", "Bash", "exit status 1", True, 0.1))
    assert failed == ["Bash false: failed, exit status 1."]


def test_how_far_a_prompt_is_read_is_said_by_quarters_and_only_when_it_takes_long() -> None:
    teller = RunTeller()
    assert teller.lines(PromptRead(10, 1000, 1.0)) == []
    first = teller.lines(PromptRead(260, 1000, 4.0, 9.0))
    assert first == ["The model reads the prompt: 26 percent, about 9 seconds left."]
    assert teller.lines(PromptRead(300, 1000, 5.0, 8.0)) == []


def test_that_a_model_is_loaded_is_said_at_once() -> None:
    assert RunTeller().lines(ModelStarting("tiny")) == ["Loading tiny."]


def test_a_list_of_steps_is_said_whole_once_and_then_where_it_changed() -> None:
    teller = RunTeller()
    first = TodosChanged((Todo("Read", "in_progress"), Todo("Write")))
    assert teller.lines(first) == [
        "2 steps:",
        "Step 1 of 2, in progress: Read",
        "Step 2 of 2, to do: Write",
    ]
    second = TodosChanged((Todo("Read", "completed"), Todo("Write")))
    assert teller.lines(second) == ["Step 1 of 2, done: Read"]
