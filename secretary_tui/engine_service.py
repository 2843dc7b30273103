"""The engines of a session as a service: which one answers, why, those of single runs, and what
they may cost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secretary_tui.config import Config
    from secretary_tui.delegation.spend.budget import Budget
    from secretary_tui.engines.base import Engine, WarmsUp
    from secretary_tui.engines.choose import EngineChoice, EngineOffer


class NoEngineError(Exception):
    """A run needs a model and there is none; the message says how to get one."""


GET_A_MODEL = "Set ANTHROPIC_API_KEY, or get the local model with `secretary-tui model get`."
NO_ENGINE = f"There is no model to run the agent. {GET_A_MODEL}"


class EngineService:
    """Opens engines when they are first needed."""

    def __init__(
        self, config: Config, *, offline: bool = False, environ: Mapping[str, str] = os.environ
    ) -> None:
        self.config = config
        self.offline = offline
        """Whether only this machine may answer."""
        self._environ = environ
        self._choice: EngineChoice | None = None
        self._choices: dict[str, EngineChoice] = {}
        """Engines that single runs asked for, by name."""
        self._loading: asyncio.Task[None] | None = None
        self._ahead = ("", "")
        """The prompt that is read ahead."""

    @property
    def choice(self) -> EngineChoice:
        """Which engine answers, and why; chosen once, until `choose_again`."""
        if self._choice is None:
            from secretary_tui.engines.choose import choose_engine

            self._choice = choose_engine(self.config, self._environ, offline=self.offline)
        return self._choice

    @property
    def engine(self) -> Engine | None:
        """The engine in use, None for routing only."""
        return self.choice.engine

    def named(self, name: str) -> EngineChoice:
        """The engine of a name, opened once; an empty name means the session's."""
        own = self.choice
        if name in ("", own.kind):
            return own
        if name not in self._choices:
            from secretary_tui.engines.choose import choose_engine

            config = self.config.override(engine=name)
            self._choices[name] = choose_engine(config, self._environ, offline=self.offline)
        return self._choices[name]

    async def ready(self, name: str = "") -> Engine:
        """The engine of a name, ready for a run.

        Raises:
            NoEngineError: there is none, or it can't be reached.
        """
        choice = self.named(name)
        if choice.engine is None:
            raise NoEngineError(choice.why if name else self.no_engine)
        from secretary_tui.engines.base import EngineError

        try:
            await choice.engine.prepare()
        except EngineError as error:
            raise NoEngineError(f"{error} {error.suggestion}".strip()) from None
        return choice.engine

    async def warm_up(self) -> None:
        """Import the SDK and open the client; a local model isn't started: it costs memory."""
        engine = self.engine
        if engine is None or engine.is_local or engine.runs_agents:
            return
        from contextlib import suppress
        from importlib import import_module

        from secretary_tui.engines.base import EngineError

        await asyncio.to_thread(import_module, "anthropic")
        with suppress(EngineError):  # Said when it is needed.
            await engine.client()

    def load_ahead(self, name: str, system: str, message: str) -> None:
        """Let the engine of a name be ready for a run that may come: load its model, read a prompt.

        Only where the model is a process of our own. Goes on by itself, and says nothing of what
        goes wrong: the run does. The last call counts.
        """
        from secretary_tui.engines.base import WarmsUp

        engine = self.named(name).engine
        is_at_it = self._loading is not None and not self._loading.done()
        if isinstance(engine, WarmsUp) and not (is_at_it and self._ahead == (system, message)):
            self.stop_loading_ahead()
            self._ahead = (system, message)
            self._loading = asyncio.create_task(_warm_up(engine, system, message))

    def stop_loading_ahead(self, *, but: str = "", task: str = "") -> None:
        """Leave the model to a run, unless what is being read is the run's: its prompt and task."""
        system, message = self._ahead
        if self._loading is not None and not (system == but and task in message):
            self._loading.cancel()

    def too_much(self, task: str, tools: tuple[str, ...], name: str = "") -> str:
        """Why a task is too much for the engine of a name, and what helps; mostly nothing."""
        engine = self.named(name).engine
        if engine is None or engine.name != "local":
            return ""
        from secretary_tui.engines.local.limits import beyond_small_model

        return beyond_small_model(task, tools)

    def offers(self) -> tuple[EngineOffer, ...]:
        """Every engine that a run could have, usable or not; blocking."""
        from secretary_tui.engines.choose import engine_offers

        return engine_offers(self.config, self._environ, offline=self.offline)

    @property
    def no_engine(self) -> str:
        """What to tell who wants to run an agent while there is no model: why, and what helps."""
        choice = self.choice
        if self.offline or self.config.engine not in ("auto", "anthropic", "local", "none"):
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
        """Whether a model can be asked after the local ranking; never offline.

        A small local model takes about ten seconds for it on two cores, so it is only asked when
        the setting `local_refines` says so.
        """
        if self.offline or self.engine is None or self.engine.runs_agents:
            return False
        return self.config.local_refines or not self.engine.is_local

    @cached_property
    def session_budget(self) -> Budget:
        """What everything since the start may cost together, routing and runs."""
        from secretary_tui.delegation.spend.budget import Budget

        return Budget(self.config.max_session_cost_usd or None, name="This session")

    def budget(self, max_usd: float | None = None) -> Budget:
        """Give a run its budget: `max_usd`, or what the setting says; part of the session's."""
        from secretary_tui.delegation.spend.budget import Budget

        most = self.config.max_cost_usd if max_usd is None else max_usd
        warn = self.config.warn_cost_usd
        return Budget(most or None, warn_usd=warn or None, whole=self.session_budget)

    async def choose_again(self, config: Config) -> EngineChoice:
        """Take new settings into account: a key or a model that came, another engine wanted."""
        await self.aclose()
        self.config = config
        return self.choice

    async def aclose(self) -> None:
        """Close the engines that were opened; the next use opens them again."""
        self.stop_loading_ahead()
        choices = [*self._choices.values(), *filter(None, (self._choice,))]
        self._choice = None
        self._choices.clear()
        for choice in choices:
            if choice.engine is not None:
                await choice.engine.aclose()


async def _warm_up(engine: WarmsUp, system: str, message: str) -> None:
    """Load a model, where there is memory to spare, and have it read a prompt."""
    from contextlib import suppress
    from importlib import import_module

    from secretary_tui.engines.base import EngineError
    from secretary_tui.engines.local.local_process import has_memory_to_spare

    await asyncio.to_thread(import_module, "httpx2")
    import httpx2

    # Without the runtime there is neither.
    with suppress(EngineError, ImportError, httpx2.HTTPError, ValueError):
        if engine.is_up or await asyncio.to_thread(has_memory_to_spare):
            await engine.warm_up(system, message)
