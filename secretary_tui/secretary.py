"""The service that every face calls: a request in, a recommendation and a run out.

It holds what it is made of (the library, the engines, routing, runs, the conversation) and owns
nothing that is shown. What is heavy or not always needed is imported where it is used, since
the hook and `match --offline` come through here too.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from secretary_tui.engine_service import EngineService
from secretary_tui.library_service import LibraryService
from secretary_tui.routing_service import RoutingService

if TYPE_CHECKING:
    from secretary_tui.config import Config
    from secretary_tui.coordinator.coordinator import Coordinator
    from secretary_tui.coordinator.dispatch_values import Step
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.delegation.permissions.permission_mode import PermissionMode
    from secretary_tui.delegation.run_delegation import RunControl
    from secretary_tui.engines.base import Engine
    from secretary_tui.events import RunEvent
    from secretary_tui.people import People
    from secretary_tui.registry.agent_index import AgentIndex, IndexChange
    from secretary_tui.runs.run_service import RunService


_OF_THE_PANEL = (
    "coordinator.coordinator",
    "delegation.permissions.offered_tools",
    "routing.recommend.advice",
)
"""What is imported when the first match panel opens."""


class Secretary:
    """Routing and delegation over one project's library of agents."""

    def __init__(
        self,
        project: Path,
        config: Config,
        *,
        agents_dirs: Sequence[Path] = (),
        agents: str = "",
        offline: bool = False,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.library = LibraryService(project, config, agents_dirs, agents)
        """The agents, and which of them fits a request."""
        self.engines = EngineService(config, offline=offline, environ=environ)
        """Where models answer."""
        self.routing = RoutingService(self.library, self.engines)
        """What the conversation asks."""
        self.is_prepared = False
        """Whether somebody began to type: from then on a changed library is made ready at once."""
        self._coordinator: Coordinator | None = None

    @cached_property
    def runs(self) -> RunService:
        """Where runs are carried out."""
        from secretary_tui.runs.run_service import RunService

        return RunService(self.library, self.engines)

    # ------------------------------------------------------- settings, library

    @property
    def project(self) -> Path:
        """The project's folder."""
        return self.library.project

    @property
    def config(self) -> Config:
        """The settings in effect."""
        return self.library.config

    def take_config(self, config: Config) -> None:
        """Let new settings take effect; the engine stays until `choose_engine_again`."""
        self.engines.config = config
        self.library.take_config(config)

    async def choose_engine_again(self, config: Config) -> None:
        """Take new settings into account: a key or a model that came, another engine wanted."""
        self.library.config = config
        await self.engines.choose_again(config)

    @property
    def engine(self) -> Engine | None:
        """The engine in use, None for routing only."""
        return self.engines.engine

    @property
    def index(self) -> AgentIndex:
        """The agents as of the last scan."""
        return self.library.index

    def load(self) -> AgentIndex:
        """Scan all sources; blocking, tens of milliseconds for 200 agents."""
        return self.library.load()

    def reload(self) -> IndexChange:
        """Scan again; files that did not change are not read."""
        return self.library.reload()

    def warm_up(self) -> None:
        """Load what the panel of the first request waits for, or of one to a changed library.

        Blocking, about a fifth of a second for 200 agents: for a thread.
        """
        for name in _OF_THE_PANEL:
            import_module(f"secretary_tui.{name}")
        self.library.warm_up()

    async def prepare(self) -> None:
        """Load what a request waits for behind the panel: the graph, sentences, the SDK."""
        self.is_prepared = True
        await asyncio.to_thread(self.warm_up)
        self.coordinator.warm()
        await asyncio.to_thread(self.library.learn_sentences)
        await self.engines.warm_up()

    # ------------------------------------------------------------- coordination

    @property
    def coordinator(self) -> Coordinator:
        """The conversation of this session, made when it is first needed."""
        if self._coordinator is None:
            from secretary_tui.coordinator.coordinator import Coordinator

            self._coordinator = Coordinator(self.routing)
        return self._coordinator

    async def restore(self) -> Step | None:
        """Go on with a conversation whose process ended with a panel open; the panel's step."""
        from secretary_tui.coordinator.conversation_file import conversations_dir

        if not any(conversations_dir(self.project).glob("*.sqlite")):
            return None
        from secretary_tui.coordinator.coordinator import Coordinator

        found = await Coordinator.restore(self.routing)
        if found is None or self._coordinator is not None:
            return None
        self._coordinator, step = found
        return step

    # -------------------------------------------------------------- delegation

    @property
    def is_trusted(self) -> bool:
        """Whether agents may run in the project without a question about its folder."""
        return self.runs.is_trusted(self.project)

    def delegation(
        self,
        agent: str,
        request: str,
        task: str,
        *,
        context: Sequence[str] = (),
        confidence: int | None = None,
        permission_mode: PermissionMode | None = None,
        model: str | None = None,
    ) -> Delegation:
        """Make the value that `run` takes, from what the user decided.

        `agent` is an agent's id, or `/id` for a command or skill, which gets `task` as arguments.

        Raises:
            AgentNotFoundError: no such agent or command, or it is switched off; names the nearest.
        """
        from secretary_tui.runs.run_order import RunOrder
        from secretary_tui.sessions.store import new_run_id

        order = RunOrder(
            run_id=new_run_id(),
            agent=agent,
            request=request,
            task=task,
            project=str(self.project),
            context=tuple(context),
            confidence=confidence,
            permission_mode=permission_mode,
            model=model,
        )
        return self.runs.delegation(order)

    def resume(
        self, run_id: str, follow_up: str, *, permission_mode: PermissionMode | None = None
    ) -> Delegation:
        """Continue a logged run with the same agent and a new message.

        Without a `permission_mode`, the tighter of the run's and the configured one holds.

        Raises:
            SessionError: no such run, or its log can't be read.
            AgentNotFoundError: the agent is gone: it is never replaced by another one.
        """
        from secretary_tui.runs.run_order import RunOrder

        order = RunOrder(run_id, follow_up=follow_up, permission_mode=permission_mode)
        return self.runs.delegation(order)

    async def admit(
        self, delegation: Delegation, people: People, *, own_tree: bool = False
    ) -> Delegation:
        """Ask, once for each folder, whether a run may happen there; see `RunService.admit`.

        Raises:
            UntrustedError: the user said no, or nobody could be asked.
        """
        return await self.runs.admit(delegation, people, own_tree=own_tree)

    def run(
        self, delegation: Delegation, people: People, control: RunControl | None = None
    ) -> AsyncGenerator[RunEvent, None]:
        """Run the agent, log every event, and pass it on; see `RunService.run`.

        Raises:
            UntrustedError: the folder isn't trusted, and nothing was started.
            NoEngineError: there is no model.
            SessionError: the log can't be written, so nothing was started.
        """
        return self.runs.run(delegation, people, control)

    async def aclose(self) -> None:
        """Stop what was started; a conversation with an open panel waits for the next start."""
        if self._coordinator is not None:
            await self._coordinator.aclose()
        await asyncio.to_thread(self.library.close)
        await self.engines.aclose()
