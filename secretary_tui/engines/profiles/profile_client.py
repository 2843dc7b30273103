"""The HTTP client of a profile: its key goes to its host, and nothing else of the user's does.

Imported lazily: it loads the HTTP stack.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2

from secretary_tui.engines.faults import PROFILE_EXTENSION
from secretary_tui.engines.profiles.profiles import Header, Profile

_ALLOWED = frozenset(
    (
        *("accept", "accept-encoding", "connection", "content-type", "content-length", "host"),
        *("user-agent", "anthropic-version", "anthropic-beta", "transfer-encoding"),
    )
)
"""Headers that leave; the SDK would add those of ANTHROPIC_CUSTOM_HEADERS, meant for elsewhere."""


class ProfileHttpClient(httpx2.AsyncClient):
    """Sends the requests of the SDK to the server of one profile and to no other."""

    def __init__(self, profile: Profile, key: str, timeout: httpx2.Timeout) -> None:
        super().__init__(
            follow_redirects=False,
            timeout=timeout,
            # No proxy stands between this machine and itself.
            trust_env=not profile.is_here,
        )
        self._profile = profile
        self._key = key
        self._origin = httpx2.URL(profile.base_url)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send one request, with the profile's key and no other."""
        url = request.url
        if (url.scheme, url.host, url.port) != (
            self._origin.scheme,
            self._origin.host,
            self._origin.port,
        ):
            raise httpx2.UnsupportedProtocol(
                f"the request was meant for {url.host}, not for {self._profile.host}",
                request=request,
            )
        # The SDK's errors hold the request as it made it.
        request.extensions = {**request.extensions, PROFILE_EXTENSION: self._profile}
        return await super().send(self._fitted(request), **options)

    def _fitted(self, request: httpx2.Request) -> httpx2.Request:
        headers = {name: value for name, value in request.headers.items() if name in _ALLOWED}
        if self._key:
            bearer = self._profile.header is Header.BEARER
            name, value = (
                ("authorization", f"Bearer {self._key}") if bearer else ("x-api-key", self._key)
            )
            headers[name] = value
        content = request.content
        if self._profile.replays_thinking and request.url.path.endswith("/messages"):
            content = json.dumps(with_thinking(json.loads(content)), ensure_ascii=False).encode()
            headers.pop("content-length", None)
        return httpx2.Request(
            request.method,
            request.url,
            headers=headers,
            content=content,
            extensions=request.extensions,
        )


def with_thinking(body: Mapping[str, Any]) -> dict[str, Any]:
    """Give the body with an empty thought before every tool call that came without one.

    DeepSeek's models may call a tool without thinking, and its server then refuses the answer
    when it is sent back ("content[].thinking … must be passed back").
    """
    messages = [_thoughtful(message) for message in body.get("messages", ())]
    return {**body, "messages": messages} if messages else dict(body)


def _thoughtful(message: Mapping[str, Any]) -> Mapping[str, Any]:
    content = message.get("content")
    if message.get("role") != "assistant" or not isinstance(content, list):
        return message
    kinds = {block.get("type") for block in content}
    if "tool_use" not in kinds or kinds & {"thinking", "redacted_thinking"}:
        return message
    return {**message, "content": [{"type": "thinking", "thinking": "", "signature": ""}, *content]}
