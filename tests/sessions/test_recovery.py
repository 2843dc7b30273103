"""What a cut-off log says about the calls that were left open."""

from __future__ import annotations

import pytest

from secretary_tui.delegation.loop.messages import NOT_BEGUN, UNKNOWN, results_of
from secretary_tui.events import (
    MessageAdded,
    MessagesReplaced,
    PermissionAnswered,
    PermissionAsked,
    RunEvent,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from secretary_tui.people import SAFE, Choice
from secretary_tui.sessions.recovery import CallState, conversation_of, open_calls_of

TASK = MessageAdded("user", "Task: do it")


def called(*names: str) -> MessageAdded:
    calls = [
        {"type": "tool_use", "id": f"t{at}", "name": name, "input": {}}
        for at, name in enumerate(names)
    ]
    return MessageAdded("assistant", calls)


def started(name: str, at: int = 0) -> ToolStarted:
    return ToolStarted(f"t{at}", name, "make it")


ALLOWED = PermissionAnswered("t0", "once", "user")
DENIED = PermissionAnswered("t0", "deny", "user")
ASKED = PermissionAsked("t0", "Bash", "make it", "make it")


@pytest.mark.parametrize(
    ("name", "rest", "state"),
    [
        ("Bash", [], CallState.NOT_BEGUN),
        ("Bash", [started("Bash")], CallState.NOT_BEGUN),
        ("Bash", [started("Bash"), ASKED], CallState.NOT_BEGUN),
        ("Bash", [started("Bash"), ASKED, DENIED], CallState.NOT_BEGUN),
        ("Bash", [started("Bash"), ASKED, ALLOWED], CallState.UNKNOWN),
        ("Edit", [started("Edit"), ALLOWED], CallState.UNKNOWN),
        ("Read", [started("Read")], CallState.NOT_BEGUN),
        ("mcp__x__send", [started("mcp__x__send")], CallState.UNKNOWN),
        (
            "Bash",
            [started("Bash"), ALLOWED, ToolFinished("t0", "Bash", "ok", False, 1.0)],
            CallState.FINISHED,
        ),
    ],
)
def test_how_far_a_call_came(name: str, rest: list[RunEvent], state: CallState) -> None:
    events = [TASK, called(name), *rest]
    (call,) = open_calls_of(events)
    assert call.state is state
    assert conversation_of(events)[-1]["role"] == "assistant"


def test_a_call_with_its_result_is_not_open() -> None:
    result = [{"type": "tool_result", "tool_use_id": "t0", "content": "ok"}]
    assert open_calls_of([TASK, called("Bash"), MessageAdded("user", result)]) == ()


def test_of_two_calls_the_finished_one_keeps_its_output() -> None:
    done = ToolFinished("t0", "Edit", "Edited a.", False, 0.1)
    events = [TASK, called("Edit", "Edit"), started("Edit"), ALLOWED, done, started("Edit", 1)]
    first, second = open_calls_of(events)
    assert (first.state, first.output) == (CallState.FINISHED, "Edited a.")
    assert second.state is CallState.NOT_BEGUN


def test_a_run_cut_off_before_its_first_message_still_has_its_task() -> None:
    begun = RunStarted(
        *("r1", "a", "/a.md", "0", "do it", "Task: do it", "", "e", "m", (), "ask", "/p", "")
    )
    assert conversation_of([begun]) == ({"role": "user", "content": "Task: do it"},)


def test_a_shortened_conversation_takes_the_place_of_what_was_before() -> None:
    short = MessagesReplaced([{"role": "user", "content": "short"}])
    said = MessageAdded("assistant", [{"type": "text", "text": "ok"}])
    assert [m["content"] for m in conversation_of([TASK, said, short, said])] == [
        "short",
        said.content,
    ]


class Chooser:
    """Answers a choice with a key."""

    def __init__(self, key: str) -> None:
        self._key = key
        self.asked: list[str] = []

    async def choose(self, title: str, text: str, choices: tuple[Choice, ...]) -> str:
        self.asked.append(title)
        return self._key


@pytest.mark.parametrize(
    ("key", "said", "is_error"),
    [("d", "it was done", False), ("n", "it was not done", True), (SAFE, UNKNOWN, True)],
)
async def test_the_user_says_what_became_of_an_unknown_call(
    key: str, said: str, is_error: bool
) -> None:
    events = [TASK, called("Bash", "Bash"), started("Bash"), ALLOWED]
    chooser = Chooser(key)
    unknown, other = await results_of(open_calls_of(events), chooser)  # type: ignore[arg-type]
    assert chooser.asked == ["The program was stopped while this ran: Bash make it"]
    assert said in unknown["content"]
    assert unknown["is_error"] is is_error
    assert other["content"] == NOT_BEGUN
