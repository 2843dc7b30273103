"""The engine that speaks to the Anthropic API, or to whatever else serves the Messages API.

Key and address come from the environment of the user's own process and from nowhere else: a
repository must not be able to send the key to another host.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from secretary_tui.config import Config
from secretary_tui.engines.base import (
    HOSTED_LOOKUP_TOKENS,
    EngineError,
    ResolvedModel,
    StructuredOutput,
    WireProtocol,
)
from secretary_tui.engines.models import price, resolve_model
from secretary_tui.events import Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

API_HOST = "api.anthropic.com"
KEY_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
BASE_URL_VARIABLE = "ANTHROPIC_BASE_URL"
CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 60.0
"""Silence on the wire after which an answer counts as stalled; pings reset it."""


def read_key(environ: Mapping[str, str]) -> str | None:
    """Find the key; None when no variable holds one. Surrounding white space is dropped.

    Raises:
        EngineError: it holds characters that no key has. The key itself is never quoted.
    """
    for name in KEY_VARIABLES:
        key = environ.get(name, "").strip()
        if key:
            return check_key(key, name)
    return None


def check_key(key: str, name: str) -> str:
    """Give a key that can be sent; `name` is its environment variable.

    Raises:
        EngineError: it holds characters that no key has. The key itself is never quoted.
    """
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise EngineError(
            f"{name} holds characters that no key has ({_odd_character(key)}).",
            f"Copy the key again: `export {name}=…`, without quotes or line breaks inside.",
        )
    return key


def _odd_character(key: str) -> str:
    """What kind of character is wrong with a key, without quoting it."""
    if "\n" in key or "\r" in key:
        return "a line break"
    if any(character < " " or character == "\x7f" for character in key):
        return "a control character"
    return "a blank" if " " in key else "a character outside ASCII"


def read_base_url(environ: Mapping[str, str]) -> str:
    """Find the address of the API, without a slash at the end.

    Raises:
        EngineError: the configured one is no http or https address.
    """
    url = environ.get(BASE_URL_VARIABLE, "").strip().rstrip("/")
    if not url:
        return f"https://{API_HOST}"
    try:
        parts = urlsplit(url)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and url.isprintable()
        _ = parts.port
    except ValueError:
        valid = False
    if not valid:
        raise EngineError(
            f"{BASE_URL_VARIABLE} is not a usable address.",
            f"Set it to an address such as https://{API_HOST}, or unset it.",
        )
    return url


class AnthropicEngine:
    """Answers from the Anthropic API, or from the server that ANTHROPIC_BASE_URL names."""

    name = "anthropic"
    wire_protocol = WireProtocol.MESSAGES
    is_local = False
    lookup_tokens = HOSTED_LOOKUP_TOKENS
    max_tokens = 16_000
    takes_media = True
    runs_agents = False

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self._config = config
        self._environ = environ
        self._client: AsyncAnthropic | None = None
        self._opening = asyncio.Lock()
        parts = urlsplit(_or_official(environ))
        self._official = parts.scheme == "https" and parts.hostname == API_HOST
        host = parts.hostname or ""
        place = f"{host}:{parts.port}" if parts.port else host
        self.label = "Claude API" if self._official else f"Messages API · {place}"
        # Elsewhere the second turn would silently lose the history.
        self.supports_threads = self.server_tools = self._official
        # What another server can't do, only the one who named it knows.
        self.limits: tuple[str, ...] = ()
        self.structured_output = StructuredOutput(self.label)

    async def prepare(self) -> None:
        """Nothing: which models there are is known."""

    def resolve_model(self, wanted: str | None) -> ResolvedModel:
        """Find the model for an agent's `model` field (alias, full id, `inherit` or None)."""
        return resolve_model(wanted, self._config, only_claude=self._official)

    async def client(self) -> AsyncAnthropic:
        """Give the client; opened once.

        Raises:
            EngineError: no key, or a key or address that can't be used.
        """
        async with self._opening:
            if self._client is None:
                key = read_key(self._environ)
                if key is None:
                    raise EngineError(
                        "There is no API key.",
                        f"Set one with `export {KEY_VARIABLES[0]}=…` and start again, or get the "
                        "local model with `secretary-tui model get`.",
                    )
                base_url = read_base_url(self._environ)
                self._client = await asyncio.to_thread(_open, key, base_url)
            return self._client

    def price(self, model: str, usage: Usage) -> float | None:
        """The cost in US dollars by the published prices; None when the price is unknown."""
        return price(model, usage)

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()


def _or_official(environ: Mapping[str, str]) -> str:
    """The address to show; an unusable one is reported when it is used."""
    try:
        return read_base_url(environ)
    except EngineError:
        return "https://unusable-address.invalid"


def _open(key: str, base_url: str) -> AsyncAnthropic:
    """Make the client, in a thread: importing the SDK takes a second."""
    import anthropic
    import httpx2

    timeout = httpx2.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    http_client = anthropic.DefaultAsyncHttpxClient(
        # A redirect would carry the prompt to another host.
        follow_redirects=False,
        timeout=timeout,
    )
    return anthropic.AsyncAnthropic(
        api_key=key, base_url=base_url, max_retries=0, timeout=timeout, http_client=http_client
    )
