"""The engine of a profile: the same SDK as for the API, on another server."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from secretary_tui.config import Config
from secretary_tui.engines.anthropic_api import CONNECT_TIMEOUT_S, READ_TIMEOUT_S, check_key
from secretary_tui.engines.base import (
    HOSTED_LOOKUP_TOKENS,
    EngineError,
    ResolvedModel,
    StructuredOutput,
    WireProtocol,
)
from secretary_tui.engines.models import is_plausible, price
from secretary_tui.engines.profiles.profiles import Prices, Profile
from secretary_tui.events import Usage
from secretary_tui.sanitize import clean_line
from secretary_tui.settings import DEFAULT_MODEL_ALIASES

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

READ_TIMEOUT_HERE_S = 600.0
"""A model on this machine says nothing while it reads."""
_KNOCK_S = 0.3
FIRST_MODEL = "the first model it lists"


class ProfileEngine:
    """Answers from the server of one profile."""

    wire_protocol = WireProtocol.MESSAGES
    server_tools = False
    lookup_tokens = HOSTED_LOOKUP_TOKENS
    runs_agents = False

    def __init__(self, profile: Profile, config: Config, environ: Mapping[str, str]) -> None:
        self.profile = profile
        self.name = profile.name
        self.is_local = profile.is_here
        self.supports_threads = profile.threads
        self.max_tokens = profile.max_tokens
        self.takes_media = profile.pictures
        self.limits = profile.limits
        title = clean_line(profile.title)
        self.label = f"{title} · {profile.host}" if self.is_local else title
        self.structured_output = StructuredOutput(self.label, schema_in_prompt=True)
        self._config = config
        self._environ = environ
        self._client: AsyncAnthropic | None = None
        self._model = profile.model
        self._opening = asyncio.Lock()

    @property
    def problem(self) -> str:
        """Why it can't be asked, and what helps; empty when nothing is known against it."""
        try:
            self._key()
        except EngineError as error:
            return f"{error} {error.suggestion}"
        return ""

    def is_listening(self) -> bool:
        """Whether somebody listens at an address of this machine; blocking, a moment at most.

        Elsewhere nobody knocks: that would tell the network what is set up here.
        """
        if not self.is_local:
            return True
        parts = urlsplit(self.profile.base_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            with socket.create_connection((parts.hostname, port), _KNOCK_S):
                return True
        except OSError:
            return False

    def resolve_model(self, wanted: str | None) -> ResolvedModel:
        """Find the model for an agent's `model` field by the profile's own table."""
        default = self._model or FIRST_MODEL
        text = clean_line(wanted or "").partition("[")[0].strip()
        if text.lower() in {"", "inherit", "default"} or text == default:
            return ResolvedModel(default)
        target = self.profile.models.get(text.lower())
        if target:
            return ResolvedModel(target)
        known = {*DEFAULT_MODEL_ALIASES, *self._config.model_aliases}
        if text.lower() in known or text.startswith("claude-") or not is_plausible(text):
            return ResolvedModel(
                default, f"The agent asks for {text[:60]!r}; {default} at {self.label} answers."
            )
        return ResolvedModel(text)

    async def prepare(self) -> None:
        """Find out which model answers when no one named any: the first that the server lists.

        Raises:
            EngineError: it can't be reached, or it lists none.
        """
        if self._model:
            return
        from secretary_tui.engines.faults import engine_error

        client = await self.client()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                response = await client.get("/v1/models", cast_to=object)
                listed = json.loads(json.dumps(response))["data"][0]["id"]
        except TimeoutError:
            raise EngineError(
                f"{self.label} did not answer within {CONNECT_TIMEOUT_S:g} s.",
                self.profile.start_hint,
            ) from None
        except (LookupError, TypeError, ValueError):
            raise EngineError(
                f"{self.label} lists no model.",
                f"Name one in the setting `engines`: `{self.name}: {{model: NAME}}`.",
            ) from None
        except Exception as error:  # Whatever it is, `explain_fault` has a sentence for it.
            raise engine_error(error) from None
        self._model = clean_line(str(listed))[:100]

    async def client(self) -> AsyncAnthropic:
        """Give the client; opened once.

        Raises:
            EngineError: there is no key, or one that can't be used.
        """
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(_open, self.profile, self._key())
            return self._client

    def price(self, model: str, usage: Usage) -> float | None:
        """The cost in US dollars; None when the price is unknown."""
        if self.profile.prices is Prices.FREE:
            return 0.0
        if self.profile.prices is Prices.UNKNOWN:
            return None
        return price(model, usage, provider=self.name)

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _key(self) -> str:
        variable = self.profile.key_variable
        key = self._environ.get(variable, "").strip() if variable else ""
        if key:
            return check_key(key, variable)
        if variable and self.profile.key_needed:
            raise EngineError(
                f"There is no key for {clean_line(self.profile.title)} ({variable} is not set).",
                f"Set it with `export {variable}=…` and start again.",
            )
        return ""


def _open(profile: Profile, key: str) -> AsyncAnthropic:
    """Make the client, in a thread: importing the SDK takes a second."""
    import anthropic
    import httpx2

    from secretary_tui.engines.profiles.profile_client import ProfileHttpClient

    read = READ_TIMEOUT_HERE_S if profile.is_here else READ_TIMEOUT_S
    timeout = httpx2.Timeout(read, connect=CONNECT_TIMEOUT_S)
    return anthropic.AsyncAnthropic(
        # What really goes out is set by the client below; local servers want something there.
        api_key=key or profile.name,
        base_url=profile.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=ProfileHttpClient(profile, key or profile.name, timeout),
    )
