"""Translate a Messages API request with a fixed answer form to llama.cpp's chat completions.

Only that endpoint takes a JSON schema, so structured answers and forced tools go there and come
back as a message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]


def chat_request(body: Mapping[str, Any], schema: Mapping[str, Any], ask: str) -> Json:
    """Give the chat completion that asks for JSON by `schema`; `ask` ends the system prompt."""
    wanted = json.dumps(schema, separators=(",", ":"))
    system = f"{_text(body.get('system'))}\n\n{ask} {wanted}".strip()
    messages: list[Json] = [{"role": "system", "content": system}]
    for message in body["messages"]:
        messages.extend(_chat_messages(message))
    request: Json = {
        "model": body.get("model"),
        "messages": messages,
        "max_tokens": body.get("max_tokens"),
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema},
        },
    }
    for key in ("temperature", "top_p", "top_k"):
        if key in body:
            request[key] = body[key]
    return request


def forced_schema(tools: list[Json], name: str | None) -> Json:
    """Give the schema of a call of the tool `name`, or of any one of them when None.

    Raises:
        ValueError: no tool has that name.
    """
    calls = [
        {
            "type": "object",
            "properties": {
                "name": {"const": tool["name"]},
                "arguments": tool.get("input_schema") or {"type": "object"},
            },
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
        if name in {None, tool.get("name")}
    ]
    if not calls:
        raise ValueError(f"tool_choice names {name!r}, which is not among the tools")
    return calls[0] if len(calls) == 1 else {"anyOf": calls}


def message_from_chat(completion: Json, *, is_tool_call: bool) -> Json:
    """Give the message of the Messages API that a chat completion stands for."""
    choice = completion["choices"][0]
    content = choice["message"].get("content") or ""
    usage = completion.get("usage") or {}
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    stop_reason = "max_tokens" if choice.get("finish_reason") == "length" else "end_turn"
    block: Json = {"type": "text", "text": content}
    if is_tool_call and stop_reason == "end_turn":
        call = json.loads(content)
        block = {
            "type": "tool_use",
            "id": f"toolu_{completion['id']}",
            "name": call["name"],
            "input": call["arguments"],
        }
        stop_reason = "tool_use"
    return {
        "id": completion["id"],
        "type": "message",
        "role": "assistant",
        "model": completion.get("model", ""),
        "content": [block],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": (usage.get("prompt_tokens") or 0) - cached,
            "output_tokens": usage.get("completion_tokens") or 0,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
        },
    }


def as_events(message: Json) -> bytes:
    """Give a whole message as the event stream that a streaming client expects."""
    block = message["content"][0]
    if block["type"] == "tool_use":
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    opening = {**message, "content": [], "stop_reason": None}
    events: tuple[Json, ...] = (
        {"type": "message_start", "message": opening},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": message["usage"]},
        {"type": "message_stop"},
    )
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
    ).encode()


def _text(content: object) -> str:
    """Join the text of a string or of a list of content blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text")


def _chat_messages(message: Mapping[str, Any]) -> Iterator[Json]:
    """One message becomes several: each tool result is a message of its own."""
    role, content = message["role"], message["content"]
    if isinstance(content, str):
        yield {"role": role, "content": content}
        return
    calls: list[Json] = []
    for block in content:
        if block.get("type") == "tool_result":
            yield {
                "role": "tool",
                "tool_call_id": block["tool_use_id"],
                "content": _text(block.get("content")),
            }
        elif block.get("type") == "tool_use":
            function = {"name": block["name"], "arguments": json.dumps(block["input"])}
            calls.append({"id": block["id"], "type": "function", "function": function})
    text = _text(content)
    if calls:
        yield {"role": role, "content": text, "tool_calls": calls}
    elif text:
        yield {"role": role, "content": text}
