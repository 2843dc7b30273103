"""The service that both faces call: a request in, a recommendation and a run out.

It adds conversations and runs to the library and the engines, and owns nothing that is
shown. Every import that is heavy or not always needed is made where it is used, since the hook
and `match --offline` come through here too.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from secretary_tui.engine_service import EngineService, NoEngineError
from secretary_tui.library_service import LibraryService

if TYPE_CHECKING:
    from secretary_tui.config import Config
    from secretary_tui.coordinator.coordinator import Coordinator
    from secretary_tui.coordinator.dispatch_values import Step
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.delegation.permissions.permission_mode import PermissionMode
    from secretary_tui.delegation.run_delegation import RunControl
    from secretary_tui.delegation.spend.budget import Budget
    from secretary_tui.events import RunEvent
    from secretary_tui.people import Answer, People, Recommendation
    from secretary_tui.registry.definition.spec import AgentSpec


def _carry_out(workflow: str) -> str:
    """The task of a command that was called without arguments."""
    return f"Carry out {workflow}."


class Secretary(LibraryService, EngineService):
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
        LibraryService.__init__(self, project, config, agents_dirs, agents)
        EngineService.__init__(self, offline=offline, environ=environ)
        self.trusts_this_session = False
        """Whether the user vouched for the project's folder when this program was started."""
        self.on_screen = False
        """Whether the user sits at the screen, and not at a command line."""
        self._session_budget: Budget | None = None
        self._coordinator: Coordinator | None = None

    async def prepare(self) -> None:
        """Load what the first request would wait for: the matcher, and the SDK's imports.

        A local model isn't started: it costs memory from then on.
        """
        await asyncio.to_thread(self.warm_up)
        self.coordinator.warm()
        await asyncio.to_thread(self.learn_sentences)
        engine = self.engine
        heavy = engine is not None and not (engine.is_local or engine.runs_agents)
        if engine is not None and heavy and not self.offline:
            from contextlib import suppress
            from importlib import import_module

            from secretary_tui.engines.base import EngineError

            await asyncio.to_thread(import_module, "anthropic")
            with suppress(EngineError):  # Said when it is needed.
                await engine.client()

    # ------------------------------------------------------------- coordination

    @property
    def coordinator(self) -> Coordinator:
        """The conversation of this sitting, made when it is first needed."""
        if self._coordinator is None:
            from secretary_tui.coordinator.coordinator import Coordinator

            self._coordinator = Coordinator(self)
        return self._coordinator

    async def restore(self) -> Step | None:
        """Go on with a conversation whose process ended with a panel open; the panel's step."""
        from secretary_tui.coordinator.conversation_file import conversations_dir

        if not any(conversations_dir(self.project).glob("*.sqlite")):
            return None
        from secretary_tui.coordinator.coordinator import Coordinator

        found = await Coordinator.restore(self)
        if found is None or self._coordinator is not None:
            return None
        self._coordinator, step = found
        return step

    @property
    def threshold(self) -> float:
        """How sure an intent must be, 0–1; a changed setting counts from the next message on."""
        return self.config.intent_threshold

    @property
    def agents(self) -> int:
        """How many agents can be chosen."""
        return len(self.index.active)

    async def refine(self, local: Recommendation, answers: Sequence[Answer] = ()) -> Recommendation:
        """Judge a local ranking by the model; on a fault the local one stands, with a notice."""
        if self.engine is None or not self.can_refine:
            return local
        from secretary_tui.routing.recommend.model_stage import refine

        active = self.index.active
        return self._paid(await refine(self.engine, local, active, self.config, answers=answers))

    def _paid(self, found: Recommendation) -> Recommendation:
        """Count what a model's view of the ranking cost."""
        self._note_routing(found.tokens, found.cost_usd)
        return found

    def _note_routing(self, tokens: int, cost_usd: float | None) -> None:
        if tokens:
            from secretary_tui.sessions.statistics.spent import note_spent

            note_spent("routing", self.project, tokens, cost_usd)
            self.session_budget.pay(cost_usd)

    async def reply(self, request: str) -> str:
        """Answer small talk by the model; empty when it can't, which is no reason to fail."""
        if self.engine is None:
            return ""
        from secretary_tui.coordinator.companion import reply

        text, answer = await reply(self.engine, request, self.config)
        if answer is not None:
            self._note_routing(answer.usage.total, answer.cost_usd)
        return text

    # -------------------------------------------------------------- delegation

    def definition(self, reference: str, arguments: str = "") -> AgentSpec:
        """The agent of that id, or for `/id` the command or skill as one, filled with `arguments`.

        Raises:
            AgentNotFoundError: there is none, it is switched off, or its file can't be read.
        """
        if not reference.startswith("/"):
            return self._read_again(self.index.choose(reference))
        from secretary_tui.registry.workflow_agent import find_workflow, workflow_agent

        return workflow_agent(find_workflow(self.index, reference), arguments)

    def _read_again(self, spec: AgentSpec) -> AgentSpec:
        from secretary_tui.registry.reread import as_in_its_file

        broken = any(problem.path == spec.path for problem in self.index.problems)
        return as_in_its_file(spec, known_broken=broken)

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
        from secretary_tui.delegation.delegation import Delegation
        from secretary_tui.delegation.permissions.permission_mode import PermissionMode
        from secretary_tui.sessions.store import new_run_id

        return Delegation(
            run_id=new_run_id(),
            agent=self.definition(agent, task),
            request=request,
            task=task or _carry_out(agent),
            workspace=self.project,
            context=tuple(context),
            permission_mode=permission_mode or PermissionMode(self.config.permission_mode),
            confidence=confidence,
            model=model,
            mcp_servers=self.config.mcp_servers,
            budget=self.budget(),
            claude_md=self.config.claude_md,
        )

    @property
    def session_budget(self) -> Budget:
        """What all runs since the start may cost together."""
        if self._session_budget is None:
            from secretary_tui.delegation.spend.budget import Budget

            most = self.config.max_session_cost_usd
            self._session_budget = Budget(most or None, name="This session")
        return self._session_budget

    def budget(self, max_usd: float | None = None) -> Budget:
        """Give a run its budget: `max_usd`, or what the setting says; part of the session's."""
        from secretary_tui.delegation.spend.budget import Budget

        most = self.config.max_cost_usd if max_usd is None else max_usd
        warn = self.config.warn_cost_usd
        return Budget(most or None, warn_usd=warn or None, whole=self.session_budget)

    def resume(
        self, run_id: str, follow_up: str, *, permission_mode: PermissionMode | None = None
    ) -> Delegation:
        """Continue a logged run with the same agent and a new message.

        Without a `permission_mode`, the tighter of the run's and the configured one holds.

        Raises:
            SessionError: no such run, or its log can't be read.
            AgentNotFoundError: the agent is gone: it is never replaced by another one.
        """
        from secretary_tui.delegation.brief.prompt import task_in
        from secretary_tui.delegation.delegation import Delegation
        from secretary_tui.delegation.permissions.permissions import tighter_mode
        from secretary_tui.sessions.store import load_run

        record = load_run(run_id)
        started = record.started
        task = task_in(started.task)
        return Delegation(
            run_id=started.run_id,
            agent=self.definition(started.agent, "" if task == _carry_out(started.agent) else task),
            request=started.request,
            task=started.task,
            workspace=Path(started.project),
            permission_mode=permission_mode
            or tighter_mode(started.permission_mode, self.config.permission_mode),
            agent_hash_before=started.agent_hash,
            # What can't be used any more is said by the run that goes on without it.
            engine=started.engine if self.engine_named(started.engine).engine else "",
            engine_before=started.engine,
            mcp_servers=self.config.mcp_servers,
            confidence=started.confidence,
            messages=tuple(record.messages),
            open_calls=record.open_calls,
            follow_up=follow_up,
            budget=self.budget(),
            claude_md=self.config.claude_md,
        )

    @property
    def is_trusted(self) -> bool:
        """Whether agents may run in the project without a question about its folder."""
        from secretary_tui.delegation.permissions.folder_trust import is_trusted

        return self.trusts_this_session or is_trusted(self.project)

    async def admit(
        self, delegation: Delegation, people: People, *, own_tree: bool = False
    ) -> Delegation:
        """Ask, once for each folder, whether a run may happen there at all.

        Gives the delegation that may run: the same, or one that only reads. With `own_tree` to
        read is not enough: git writes the tree, and the run changes it.

        Raises:
            UntrustedError: the user said no, or nobody could be asked.
        """
        from dataclasses import replace

        from secretary_tui.delegation.permissions.folder_trust import (
            TrustAnswer,
            UntrustedError,
            ask_for_trust,
            is_trusted,
            untrusted,
        )
        from secretary_tui.delegation.permissions.permission_mode import PermissionMode

        folder = delegation.home
        if self.trusts_this_session or await asyncio.to_thread(is_trusted, folder):
            return delegation
        match await ask_for_trust(folder, people):
            case TrustAnswer.TRUST:
                return delegation
            case TrustAnswer.READ if not own_tree:
                return replace(delegation, permission_mode=PermissionMode.PLAN)
            case TrustAnswer.READ:
                said = "A working tree of its own needs a trusted folder."
                raise UntrustedError(f"{said} {untrusted(folder)}")
        raise untrusted(folder)

    async def run(
        self, delegation: Delegation, people: People, control: RunControl | None = None
    ) -> AsyncGenerator[RunEvent, None]:
        """Run the agent, log every event, and pass it on.

        In a folder that isn't trusted only a run that just reads passes; see `admit`.

        Raises:
            UntrustedError: the folder isn't trusted, and nothing was started.
            NoEngineError: there is no model.
            SessionError: the log can't be written, so nothing was started.
        """
        from secretary_tui.delegation.permissions.folder_trust import is_trusted, untrusted

        only_reads = delegation.permission_mode == "plan"
        if not (only_reads or self.trusts_this_session or is_trusted(delegation.home)):
            raise untrusted(delegation.home)
        choice = self.engine_named(delegation.engine)
        engine = choice.engine
        if engine is None or self.offline:
            raise NoEngineError(choice.why if delegation.engine else self.no_engine)
        from secretary_tui.engines.base import EngineError

        try:
            await engine.prepare()
        except EngineError as error:
            raise NoEngineError(f"{error} {error.suggestion}".strip()) from None
        from secretary_tui.delegation.call_limits import CallableLibrary
        from secretary_tui.delegation.run_delegation import run_delegation
        from secretary_tui.events import UsageAdded
        from secretary_tui.sessions.run_log import RunLog
        from secretary_tui.sessions.statistics.spent import note_spent
        from secretary_tui.sessions.store import find_run

        log = (
            RunLog.open(find_run(delegation.run_id))
            if delegation.follow_up
            else RunLog.create(delegation.home, delegation.run_id)
        )
        library = CallableLibrary(self.index.active, self.index.skills, self._read_again)
        events = run_delegation(delegation, engine, people, control=control, library=library)
        with log:
            async with aclosing(events):
                async for event in events:
                    log.append(event)
                    if isinstance(event, UsageAdded):
                        note_spent(
                            "run",
                            delegation.home,
                            event.usage.total,
                            event.cost_usd,
                            run_id=delegation.run_id,
                            agent=delegation.agent.id,
                        )
                    yield event

    async def aclose(self) -> None:
        """Stop what was started; a conversation with an open panel waits for the next start."""
        if self._coordinator is not None:
            await self._coordinator.aclose()
        await asyncio.to_thread(self.close)
        await self._close_engines()
