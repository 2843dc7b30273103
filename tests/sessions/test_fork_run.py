"""Forking a run: a new one with a part of the conversation, the old one untouched."""

from pathlib import Path

import pytest

from secretary_tui.events import TextDelta, ToolStarted, TurnStarted, UserMessage
from secretary_tui.sessions.errors import SessionError
from secretary_tui.sessions.fork import fork_run, user_turns
from secretary_tui.sessions.store import RunOutcome, find_run, list_runs, load_run
from secretary_tui.sessions.stored_messages import Message
from tests.sessions.run_logs import answered, reply, write

RUN = "20261120-093112-a1b2"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = write(tmp_path, RUN, "first", answered("First answer."))
    reply(tmp_path, RUN, "second", "Second answer.")
    reply(tmp_path, RUN, "third", "Third answer.")
    return path


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [
        content if isinstance(content := m["content"], str) else content[0]["text"]
        for m in messages
    ]


def test_what_the_user_said_is_listed_with_the_answers(log: Path) -> None:
    turns = user_turns(load_run(RUN).events)
    assert [(turn.text, turn.answer) for turn in turns] == [
        ("first", "First answer."),
        ("second", "Second answer."),
        ("third", "Third answer."),
    ]


@pytest.mark.parametrize(
    ("turn", "kept"),
    [
        (1, ["Task: first", "First answer."]),
        (2, ["Task: first", "First answer.", "second", "Second answer."]),
        (None, ["Task: first", "First answer.", *("second", "Second answer."), "third"]),
    ],
)
def test_a_fork_keeps_the_conversation_up_to_the_chosen_answer(
    log: Path, turn: int | None, kept: list[str]
) -> None:
    before = log.read_bytes()
    forked = load_run(fork_run(load_run(RUN), turn))
    assert texts(forked.messages)[: len(kept)] == kept
    assert len(forked.messages) == len(kept) + (turn is None)
    assert log.read_bytes() == before
    assert forked.started.agent == "schema-smith"
    assert forked.started.run_id == forked.id != RUN


def test_a_fork_stands_in_the_history_and_has_cost_nothing(tmp_path: Path, log: Path) -> None:
    forked = fork_run(load_run(RUN), 1)
    run = next(run for run in list_runs(tmp_path) if run.id == forked)
    assert run.outcome is RunOutcome.DONE
    assert run.cost_usd == 0.0
    assert run.tokens == 0
    assert load_run(forked).cost_usd == 0
    assert find_run(forked).parent == log.parent


def test_a_message_in_the_middle_of_a_run_is_a_turn_of_its_own(tmp_path: Path) -> None:
    write(
        tmp_path,
        "20261120-093113-a1b3",
        "begin",
        [
            TurnStarted(1),
            ToolStarted("t1", "Read", "a.py"),
            UserMessage("look at b, too"),
            TurnStarted(2),
            TextDelta("Both are fine."),
        ],
    )
    turns = user_turns(load_run("20261120-093113-a1b3").events)
    assert [turn.text for turn in turns] == ["begin", "look at b, too"]
    forked = load_run(fork_run(load_run("20261120-093113-a1b3"), 1))
    assert not any(isinstance(event, UserMessage) for event in forked.events)
    assert forked.outcome is RunOutcome.INTERRUPTED


@pytest.mark.parametrize("turn", [0, 4])
def test_a_turn_that_never_was_is_refused(log: Path, turn: int) -> None:
    with pytest.raises(SessionError, match="the user spoke 3 times"):
        fork_run(load_run(RUN), turn)
