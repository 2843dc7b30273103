"""What a log says about a run that was cut off: the conversation, and the calls left open.

A killed program can leave an assistant's message whose tool calls have no results. Those that
ended are known from their own events; one that may have begun is unknown, and nobody but the user
or a look at the files can tell. So nothing is repeated blindly, and nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from secretary_tui.events import (
    MessageAdded,
    MessagesReplaced,
    PermissionAnswered,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from secretary_tui.sessions.stored_messages import Message, repair
from secretary_tui.tool_table import TOOLS, Risk

_ASKED_FIRST = frozenset(row.name for row in TOOLS.values() if row.risk.asks and not row.is_served)
"""Tools that never act before a `PermissionAnswered` stands in the log."""
_HARMLESS = frozenset(row.name for row in TOOLS.values() if row.risk is Risk.NONE)


class CallState(StrEnum):
    """How far a call came before its run was cut off."""

    FINISHED = "finished"
    NOT_BEGUN = "not begun"
    UNKNOWN = "unknown"
    """It may have had its effect, or a part of it."""


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A tool call whose result never entered the conversation."""

    id: str
    name: str
    summary: str
    """One line: the path, pattern or command; empty when the call was never reported."""
    state: CallState
    output: str = ""
    """What it gave, of a finished one."""
    is_error: bool = False


def conversation_of(events: Sequence[RunEvent]) -> tuple[Message, ...]:
    """Give the conversation up to the last complete message.

    It ends with the assistant's message when calls of it are open (`open_calls_of`).
    """
    messages = _messages(events)
    if messages and _calls(messages[-1]):
        # `repair` drops calls without results; these get theirs when the run goes on.
        return (*repair(messages[:-1]), messages[-1])
    return repair(messages)


def open_calls_of(events: Sequence[RunEvent]) -> tuple[OpenCall, ...]:
    """Give the calls of the last message that have no results, in their order."""
    messages = _messages(events)
    calls = _calls(messages[-1]) if messages else ()
    started = {e.tool_use_id: e for e in events if isinstance(e, ToolStarted)}
    finished = {e.tool_use_id: e for e in events if isinstance(e, ToolFinished)}
    answers = {e.tool_use_id: e for e in events if isinstance(e, PermissionAnswered)}
    found = []
    for call_id, name in calls:
        begun, done = started.get(call_id), finished.get(call_id)
        summary = begun.summary if begun is not None else ""
        if done is not None:
            state = CallState.FINISHED
            found.append(OpenCall(call_id, name, summary, state, done.output, done.is_error))
            continue
        answer = answers.get(call_id)
        refused = answer is not None and answer.decision == "deny"
        waiting = answer is None and name in _ASKED_FIRST
        calm = begun is None or refused or waiting or name in _HARMLESS
        state = CallState.NOT_BEGUN if calm else CallState.UNKNOWN
        found.append(OpenCall(call_id, name, summary, state))
    return tuple(found)


def _messages(events: Sequence[RunEvent]) -> list[Message]:
    messages: list[Message] = []
    for event in events:
        if isinstance(event, MessageAdded):
            messages.append({"role": event.role, "content": event.content})
        elif isinstance(event, MessagesReplaced):
            messages = [m for m in event.messages if isinstance(m, Mapping)]
    started = next((e for e in events if isinstance(e, RunStarted)), None)
    # Cut off between its first two lines: the task stands in the first one, too.
    if not messages and started is not None and started.task and not _ended(events):
        messages.append({"role": "user", "content": started.task})
    return messages


def _ended(events: Sequence[RunEvent]) -> bool:
    return any(isinstance(event, RunFinished | RunFailed) for event in events)


def _calls(message: Message) -> tuple[tuple[str, str], ...]:
    content: Any = message.get("content")
    if message.get("role") != "assistant" or not isinstance(content, list):
        return ()
    return tuple(
        (str(block.get("id")), str(block.get("name")))
        for block in content
        if isinstance(block, Mapping) and block.get("type") == "tool_use"
    )
