"""The engine that is an agent itself: another program runs the definition, over ACP.

It answers no questions of ours, so routing stays local; `delegation.acp_run` speaks with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from secretary_tui.engines.acp.acp_profiles import AcpProfile, missing_program
from secretary_tui.engines.base import EngineError, ResolvedModel, StructuredAnswer
from secretary_tui.events import Usage
from secretary_tui.sanitize import clean_line

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

INSTALL_HINT = "Install it with `pip install 'secretary-tui[acp]'`."
OWN_MODEL = "its own model"


class AcpEngine:
    """An ACP agent; its process is started for each run."""

    is_local = False
    runs_agents = True
    supports_threads = False
    server_tools = False
    takes_media = False
    max_tokens = 0

    def __init__(self, profile: AcpProfile) -> None:
        self.profile = profile
        self.name = profile.name
        self.label = f"{clean_line(profile.title)} · ACP"
        self.limits = profile.limits

    @property
    def problem(self) -> str:
        """Why it can't be used, in a sentence; empty when nothing is known against it."""
        if find_spec("acp") is None:
            return f"The library for ACP agents is not installed. {INSTALL_HINT}"
        return missing_program(self.profile)

    def resolve_model(self, wanted: str | None) -> ResolvedModel:
        """Which model answers is the other program's matter."""
        return ResolvedModel(OWN_MODEL)

    async def client(self) -> AsyncAnthropic:
        """There is none.

        Raises:
            EngineError: always.
        """
        raise self._no_questions()

    async def structured(
        self,
        *,
        system: str,
        prompt: str,
        schema: Mapping[str, Any],
        constant: str = "",
        model: str | None = None,
        max_tokens: int = 1500,
        timeout_s: float = 5.0,
    ) -> StructuredAnswer:
        """It answers no questions.

        Raises:
            EngineError: always.
        """
        raise self._no_questions()

    def price(self, model: str, usage: Usage) -> float | None:
        """Nobody knows."""
        return None

    async def aclose(self) -> None:
        """Nothing is open between runs."""

    def _no_questions(self) -> EngineError:
        return EngineError(f"{self.label} runs agents and answers no other questions.")
