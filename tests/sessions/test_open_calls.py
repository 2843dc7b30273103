"""A run cut off in a tool: which calls may have had their effect, by the tool."""

from __future__ import annotations

import pytest

from secretary_tui.events import MessageAdded, PermissionAnswered, RunEvent, ToolStarted
from secretary_tui.sessions.recovery import CallState, open_calls_of


def cut_off(name: str, *, allowed: bool) -> CallState:
    call = {"type": "tool_use", "id": "t1", "name": name, "input": {}}
    events: list[RunEvent] = [
        MessageAdded("user", "do it"),
        MessageAdded("assistant", [call]),
        ToolStarted("t1", name, "x"),
    ]
    if allowed:
        events.append(PermissionAnswered("t1", "once", "user"))
    (found,) = open_calls_of(events)
    return found.state


@pytest.mark.parametrize("name", ["TodoWrite", "AskUserQuestion", "Skill", "Read"])
def test_a_tool_without_effect_is_simply_called_again(name: str) -> None:
    assert cut_off(name, allowed=False) is CallState.NOT_BEGUN


@pytest.mark.parametrize("name", ["GitCommit", "WebFetch", "Memory", "Write"])
def test_a_tool_that_asks_had_no_effect_before_the_answer_and_perhaps_after(name: str) -> None:
    assert cut_off(name, allowed=False) is CallState.NOT_BEGUN
    assert cut_off(name, allowed=True) is CallState.UNKNOWN


def test_what_a_called_agent_did_is_not_known() -> None:
    assert cut_off("Agent", allowed=False) is CallState.UNKNOWN
