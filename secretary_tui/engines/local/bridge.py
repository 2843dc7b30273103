"""The transport that makes llama.cpp's server keep the promises of the Messages API.

llama.cpp ignores a JSON schema and a forced tool on `/v1/messages` and shapes errors in its own
way; between the SDK and the socket this transport mends the three.
"""

from __future__ import annotations

import json
from typing import Any

import httpx2

from secretary_tui.engines.local.chat import (
    as_events,
    chat_request,
    forced_schema,
    message_from_chat,
)

_MESSAGES = "/v1/messages"
_CHAT = "/v1/chat/completions"
_ASK_JSON = "Answer with one JSON object that follows this schema:"
_ASK_CALL = "Answer with the JSON object of a function call that follows this schema:"


class BridgeTransport(httpx2.AsyncBaseTransport):
    """Sends requests on, translated where llama.cpp would misread them."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request of the SDK."""
        if request.method == "POST" and request.url.path == _MESSAGES:
            body = json.loads(await request.aread())
            schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
            choice = body.get("tool_choice") or {}
            if schema:
                return await self._fixed_form(request, body, schema, is_tool_call=False)
            if choice.get("type") in {"any", "tool"} and body.get("tools"):
                try:
                    schema = forced_schema(body["tools"], choice.get("name"))
                except ValueError as error:
                    return _error(400, "invalid_request_error", str(error))
                return await self._fixed_form(request, body, schema, is_tool_call=True)
            if choice.get("type") == "none":
                body = {k: v for k, v in body.items() if k not in {"tools", "tool_choice"}}
                request = _with_body(request, request.url, body)
        return await _mend(await self._inner.handle_async_request(request))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _fixed_form(
        self, request: httpx2.Request, body: dict[str, Any], schema: Any, *, is_tool_call: bool
    ) -> httpx2.Response:
        ask = _ASK_CALL if is_tool_call else _ASK_JSON
        url = request.url.copy_with(path=_CHAT, query=None)
        chat = _with_body(request, url, chat_request(body, schema, ask))
        response = await _mend(await self._inner.handle_async_request(chat))
        data = await response.aread()
        await response.aclose()
        if response.status_code != 200:
            return response
        try:
            message = message_from_chat(json.loads(data), is_tool_call=is_tool_call)
        except (ValueError, KeyError, IndexError, TypeError):
            return _error(500, "api_error", "the local model's answer can't be read")
        if body.get("stream"):
            headers = {"content-type": "text/event-stream"}
            return httpx2.Response(200, headers=headers, content=as_events(message))
        return httpx2.Response(200, json=message)


def _with_body(request: httpx2.Request, url: httpx2.URL, body: dict[str, Any]) -> httpx2.Request:
    headers = {
        name: value
        for name, value in request.headers.items()
        if name not in {"content-length", "transfer-encoding"}
    }
    return httpx2.Request(
        request.method, url, headers=headers, json=body, extensions=request.extensions
    )


async def _mend(response: httpx2.Response) -> httpx2.Response:
    """Give an error the shape, and the overflow the words, that the API uses."""
    if response.status_code < 400:
        return response
    data = await response.aread()
    await response.aclose()
    try:
        found = json.loads(data)["error"]
        kind, words = str(found.get("type")), str(found.get("message"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return _error(response.status_code, "api_error", data.decode("utf-8", "replace")[:300])
    if kind == "exceed_context_size_error":
        kind = "invalid_request_error"
        counts = f"{found.get('n_prompt_tokens')} tokens > {found.get('n_ctx')} maximum"
        words = f"prompt is too long: {counts}"
    return _error(response.status_code, kind, words)


def _error(status: int, kind: str, message: str) -> httpx2.Response:
    return httpx2.Response(
        status, json={"type": "error", "error": {"type": kind, "message": message}}
    )
