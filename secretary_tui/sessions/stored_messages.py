"""The conversation a run left behind, made fit to be continued.

A run can be cut off anywhere, and continued, and cut off again. The API refuses a conversation
in which a tool call has no result, a result no call, or one role speaks twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Message = Mapping[str, Any]


def repair(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Give the part of a conversation that the API accepts.

    Assistant messages with an unanswered tool call go, and so do results without a call; what one
    role said in a row becomes one message; the first is the user's. It can end with a user
    message (tool results, or a question nobody answered): `with_user_text` goes on from there.
    """
    known = [m for m in messages if m.get("role") in ("user", "assistant") and _blocks(m)]
    answered = [
        message
        for number, message in enumerate(known)
        if _calls(message) <= _results(known[number + 1 : number + 2])
    ]
    fitting: list[Message] = []
    for message in answered:
        calls = _calls(fitting[-1]) if fitting and message["role"] == "user" else frozenset()
        kept = _without_strays(message, calls)
        if kept is not None and (fitting or kept["role"] == "user"):
            _add(fitting, kept)
    return tuple(fitting)


def with_user_text(messages: Sequence[Message], text: str) -> tuple[Message, ...]:
    """Add what the user says next, joined to a user message that still waits for an answer."""
    result = list(messages)
    _add(result, {"role": "user", "content": text})
    return tuple(result)


def _add(messages: list[Message], message: Message) -> None:
    if messages and messages[-1]["role"] == message["role"]:
        joined = [*_blocks(messages[-1]), *_blocks(message)]
        messages[-1] = {"role": message["role"], "content": _results_once(joined)}
    else:
        messages.append(message)


def _results_once(blocks: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Keep the first result of each call: going on twice from one place gives it twice."""
    known: set[str] = set()
    kept = []
    for block in blocks:
        if block.get("type") == "tool_result":
            if str(block.get("tool_use_id")) in known:
                continue
            known.add(str(block.get("tool_use_id")))
        kept.append(block)
    return kept


def _blocks(message: Message) -> list[Mapping[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content.strip() else []
    if not isinstance(content, Sequence):
        return []
    return [block for block in content if isinstance(block, Mapping)]


def _calls(message: Message) -> frozenset[str]:
    if message["role"] != "assistant":
        return frozenset()
    return frozenset(str(b.get("id")) for b in _blocks(message) if b.get("type") == "tool_use")


def _results(messages: Sequence[Message]) -> frozenset[str]:
    return frozenset(
        str(block.get("tool_use_id"))
        for message in messages
        if message["role"] == "user"
        for block in _blocks(message)
        if block.get("type") == "tool_result"
    )


def _without_strays(message: Message, calls: frozenset[str]) -> Message | None:
    if message["role"] != "user" or isinstance(message["content"], str):
        return message
    kept = [
        block
        for block in _blocks(message)
        if block.get("type") != "tool_result" or str(block.get("tool_use_id")) in calls
    ]
    return {**message, "content": kept} if kept else None
