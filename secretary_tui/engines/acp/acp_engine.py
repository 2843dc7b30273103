"""The engine that is an agent itself: another program runs the definition, over ACP.

It answers no questions of ours, so routing stays local; `delegation.acp` speaks with it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from secretary_tui.engines.acp.acp_profiles import AcpProfile, missing_program
from secretary_tui.engines.base import (
    HOSTED_LOOKUP_TOKENS,
    EngineError,
    ResolvedModel,
    StructuredOutput,
    WireProtocol,
)
from secretary_tui.events import Usage
from secretary_tui.sanitize import clean_line

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

INSTALL_HINT = "Install it with `pip install 'secretary-tui[acp]'`."
OWN_MODEL = "its own model"


class AcpEngine:
    """An ACP agent; its process is started for each run."""

    wire_protocol = WireProtocol.ACP
    is_local = False
    lookup_tokens = HOSTED_LOOKUP_TOKENS
    runs_agents = True
    supports_threads = False
    server_tools = False
    takes_media = True
    max_tokens = 0

    def __init__(self, profile: AcpProfile) -> None:
        self.profile = profile
        self.name = profile.name
        self.label = f"{clean_line(profile.title)} · ACP"
        self.limits = profile.limits
        self.structured_output = StructuredOutput(self.label)

    @property
    def problem(self) -> str:
        """Why it can't be used, in a sentence; empty when nothing is known against it."""
        if find_spec("acp") is None:
            return f"The library for ACP agents is not installed. {INSTALL_HINT}"
        return missing_program(self.profile)

    async def prepare(self) -> None:
        """Nothing: its models are its own matter."""

    def resolve_model(self, wanted: str | None) -> ResolvedModel:
        """Which model answers is the other program's matter."""
        return ResolvedModel(OWN_MODEL)

    async def client(self) -> AsyncAnthropic:
        """There is none.

        Raises:
            EngineError: always.
        """
        raise EngineError(f"{self.label} runs agents and answers no other questions.")

    def price(self, model: str, usage: Usage) -> float | None:
        """Nobody knows."""
        return None

    async def aclose(self) -> None:
        """Nothing is open between runs."""
