"""The engines of a session as a service: which one answers, why, and those of single runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secretary_tui.config import Config
    from secretary_tui.engines.base import Engine
    from secretary_tui.engines.choose import EngineChoice, EngineOffer


class NoEngineError(Exception):
    """A run needs a model and there is none; the message says how to get one."""


GET_A_MODEL = "Set ANTHROPIC_API_KEY, or get the local model with `secretary-tui model get`."
NO_ENGINE = f"There is no model to run the agent. {GET_A_MODEL}"


class EngineService:
    """Opens engines when they are first needed."""

    config: Config

    def __init__(self, *, offline: bool = False, environ: Mapping[str, str] = os.environ) -> None:
        self.offline = offline
        self._environ = environ
        self._choice: EngineChoice | None = None
        self._choices: dict[str, EngineChoice] = {}
        """Engines that single runs asked for, by name."""

    @property
    def engine_choice(self) -> EngineChoice:
        """Which engine answers, and why; chosen once, until `choose_engine_again`."""
        if self._choice is None:
            from secretary_tui.engines.choose import choose_engine

            self._choice = choose_engine(self.config, self._environ)
        return self._choice

    @property
    def engine(self) -> Engine | None:
        """The engine in use, None for routing only."""
        return self.engine_choice.engine

    def engine_named(self, name: str) -> EngineChoice:
        """The engine of a name, opened once; an empty name means the session's."""
        own = self.engine_choice
        if name in ("", own.kind):
            return own
        if name not in self._choices:
            from secretary_tui.engines.choose import choose_engine

            config = self.config.override(engine=name)
            self._choices[name] = choose_engine(config, self._environ)
        return self._choices[name]

    def engine_offers(self) -> tuple[EngineOffer, ...]:
        """Every engine that a run could have, usable or not; blocking."""
        from secretary_tui.engines.choose import engine_offers

        return engine_offers(self.config, self._environ)

    @property
    def no_engine(self) -> str:
        """What to tell who wants to run an agent while there is no model: why, and what helps."""
        choice = self.engine_choice
        if self.config.engine not in ("auto", "anthropic", "local", "none"):
            return choice.why  # It says itself what helps.
        as_usual = self.config.engine == "auto" and not choice.is_misconfigured
        return NO_ENGINE if as_usual else f"{choice.why} {NO_ENGINE}"

    @property
    def get_a_model(self) -> str:
        """What helps, and why it is needed where that isn't plain; beside a sentence that says so.

        `no_engine` without its first sentence.
        """
        return self.no_engine.replace(NO_ENGINE, GET_A_MODEL)

    @property
    def can_refine(self) -> bool:
        """Whether `route` will ask a model after the local ranking.

        A small local model takes about ten seconds for it on two cores, so it is only asked when
        the setting `local_refines` says so.
        """
        if self.offline or self.engine is None or self.engine.runs_agents:
            return False
        return self.config.local_refines or not self.engine.is_local

    async def choose_engine_again(self, config: Config) -> EngineChoice:
        """Take new settings into account: a key or a model that came, another engine wanted."""
        await self._close_engines()
        self.config = config
        return self.engine_choice

    async def _close_engines(self) -> None:
        choices = [*self._choices.values(), *filter(None, (self._choice,))]
        self._choice = None
        self._choices.clear()
        for choice in choices:
            if choice.engine is not None:
                await choice.engine.aclose()
