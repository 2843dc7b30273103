"""The service that both faces call: a request in, a recommendation and a run out.

It owns what lives as long as the session (the index, the matcher, the engine) and nothing that is
shown. Every import that is heavy or not always needed is made where it is used, since the hook
and `match --offline` come through here too.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secretary_tui.config import Config
    from secretary_tui.coordinator.coordinator import Coordinator
    from secretary_tui.coordinator.values import Step
    from secretary_tui.delegation.budget import Budget
    from secretary_tui.delegation.run import RunControl
    from secretary_tui.delegation.values import Delegation, PermissionMode
    from secretary_tui.engines.base import Engine
    from secretary_tui.engines.choose import EngineChoice, EngineOffer
    from secretary_tui.events import RunEvent
    from secretary_tui.people import Answer, Match, People, Recommendation
    from secretary_tui.registry.index import AgentIndex, IndexChange, LiveIndex
    from secretary_tui.registry.options import LibraryOptions
    from secretary_tui.registry.spec import AgentSpec
    from secretary_tui.routing.lesson_book import LessonBook
    from secretary_tui.routing.lessons import Lesson
    from secretary_tui.routing.matcher import LocalMatcher
    from secretary_tui.routing.sentence_indexer import SentenceIndexer
    from secretary_tui.routing.workflows import WorkflowMatcher


DRAFT_S = 0.5
"""Seconds that the meaning of a draft's description may take."""


class NoEngineError(Exception):
    """A run needs a model and there is none; the message says how to get one."""


NO_ENGINE = (
    "There is no model to run the agent. Set ANTHROPIC_API_KEY, or get the local model with "
    "`secretary-tui model get`."
)


def _carry_out(workflow: str) -> str:
    """The task of a command that was called without arguments."""
    return f"Carry out {workflow}."


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
        self.project = project
        self.config = config
        self.offline = offline
        self.trusts_this_session = False
        """Whether the user vouched for the project's folder when this program was started."""
        self._environ = environ
        self._agents_dirs = tuple(agents_dirs)
        self._given_agents = agents
        self._live: LiveIndex | None = None
        self._matcher: tuple[AgentIndex, LocalMatcher] | None = None
        self._workflows: WorkflowMatcher | None = None
        self._building = threading.Lock()
        self._lesson_book: LessonBook | None = None
        self._sentences: SentenceIndexer | None = None
        self._session_budget: Budget | None = None
        self._choice: EngineChoice | None = None
        self._choices: dict[str, EngineChoice] = {}
        """Engines that single runs asked for, by name."""
        self._coordinator: Coordinator | None = None

    def take_config(self, config: Config) -> None:
        """Let new settings take effect; the engine changes with `choose_engine_again` only."""
        changed = config.semantic != self.config.semantic
        self.config = config
        if changed and self._sentences is not None and self._matcher is not None:
            self.learn_sentences()
        if self._live is not None:
            self._live.configure(self._library_options())

    # ------------------------------------------------------------------ agents

    @property
    def live(self) -> LiveIndex:
        """The index that can be scanned again and watched."""
        if self._live is None:
            from secretary_tui.registry.index import LiveIndex

            self._live = LiveIndex(self.project, options=self._library_options())
        return self._live

    def _library_options(self) -> LibraryOptions:
        from secretary_tui import paths
        from secretary_tui.registry.options import LibraryOptions

        config = self.config
        return LibraryOptions(
            agents_dirs=self._agents_dirs,
            given=self._given_agents,
            bundled=config.bundled_agents,
            agents_dir=config.agents_dir,
            agents_folders=tuple(map(Path, config.agents_folders)),
            disabled_agents=frozenset(config.disabled_agents),
            disabled_sources=frozenset(config.disabled_sources),
            watch=config.watch,
            cache=paths.agents_cache_dir(),
        )

    def load(self) -> AgentIndex:
        """Scan all sources; blocking, tens of milliseconds for 200 agents."""
        return self.reload().index

    def reload(self) -> IndexChange:
        """Scan again; files that did not change are not read."""
        change = self.live.refresh()
        # Not waited for: the next start is quicker by it, this one would be slower.
        threading.Thread(target=self.live.save_cache, name="agents-cache").start()
        return change

    @property
    def index(self) -> AgentIndex:
        """The index as of the last scan."""
        return self.live.snapshot

    @property
    def matcher(self) -> LocalMatcher:
        """The local matcher over the active agents, rebuilt when the index changed.

        It knows what was chosen until now.
        """
        index = self.index
        with self._building:
            if self._matcher is None or self._matcher[0] is not index:
                from secretary_tui.routing.matcher import LocalMatcher

                previous = self._matcher[1] if self._matcher else None
                self._matcher = (index, LocalMatcher(index.active, previous))
                if self._sentences is not None and self.config.semantic != "off":
                    self._sentences.start(self._matcher[1])
            self._matcher[1].learn(self._lessons())
            return self._matcher[1]

    def _lessons(self) -> tuple[Lesson, ...]:
        if self._lesson_book is None:
            from secretary_tui.routing.lesson_book import LessonBook

            self._lesson_book = LessonBook(self.project)
        return self._lesson_book.lessons()

    def forget(self, decision_ids: Iterable[str]) -> None:
        """Forget decisions, of whichever project; what was learnt from them is gone with them.

        Raises:
            OSError: a log can't be written.
        """
        from secretary_tui.sessions.decisions import all_projects

        gone = frozenset(decision_ids)
        for log in all_projects():
            log.forget(gone)

    def forget_agent(self, agent: str) -> int:
        """Forget every choice that taught something about an agent, in all projects.

        Gives how many they were.

        Raises:
            OSError: a log can't be written.
        """
        from secretary_tui.routing.lessons import taught
        from secretary_tui.sessions.decisions import all_projects

        known = [decision for log in all_projects() for decision in log.load()]
        gone = [decision.id for decision in known if agent in taught(decision)]
        self.forget(gone)
        return len(gone)

    def forget_everything(self) -> None:
        """Forget all decisions of all projects.

        Raises:
            OSError: a log can't be written.
        """
        from secretary_tui.sessions.decisions import all_projects

        for log in all_projects():
            log.clear()

    @property
    def sentences(self) -> SentenceIndexer:
        """What gives matchers the meaning of sentences, when the model for it is here."""
        if self._sentences is None:
            from secretary_tui.routing.sentence_indexer import SentenceIndexer

            self._sentences = SentenceIndexer()
        return self._sentences

    def learn_sentences(self, within_s: float | None = None) -> None:
        """Let this and later matchers rank by the meaning of sentences too, where that is here.

        In the background, and each matcher ranks by words until then; with `within_s`, blocking
        for at most about so long: for a program that ranks once.
        """
        if self.config.semantic == "off":
            self.matcher.sentences = None
        elif within_s is None:
            self.sentences.start(self.matcher)
        else:
            self.sentences.build(self.matcher, within_s)

    @property
    def workflows(self) -> WorkflowMatcher:
        """The matcher over commands and skills, made anew when one of them changed."""
        index = self.index
        with self._building:
            if self._workflows is None or not self._workflows.is_for(index):
                from secretary_tui.routing.workflows import WorkflowMatcher

                self._workflows = WorkflowMatcher(index, self._workflows)
            return self._workflows

    def warm_up(self) -> None:
        """Build what the first request would have to wait for; blocking."""
        self.matcher.rank("warm up", limit=1)
        self.workflows.nearest("warm up")

    # ------------------------------------------------------------------ engine

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

    # ----------------------------------------------------------------- routing

    def route_local(self, request: str, answers: Sequence[Answer] = ()) -> Recommendation:
        """Rank on this machine alone: milliseconds, no network."""
        from secretary_tui.routing.recommender import route_local

        return route_local(self.matcher, request, self.config, answers, self.workflows)

    def route_with(self, draft: AgentSpec, request: str) -> tuple[Match, ...]:
        """Rank a request as if an agent that isn't written yet were in the library."""
        from secretary_tui.routing.matcher import LocalMatcher

        others = [spec for spec in self.index.active if spec.id != draft.id]
        matcher = LocalMatcher((*others, draft), self.matcher)
        if self.matcher.sentences is not None:
            self.sentences.build(matcher, DRAFT_S)
        return matcher.rank(request, limit=10)

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
        from secretary_tui.routing.model_stage import refine

        active = self.index.active
        return self._paid(await refine(self.engine, local, active, self.config, answers=answers))

    def _paid(self, found: Recommendation) -> Recommendation:
        """Count what a model's view of the ranking cost."""
        self._note_routing(found.tokens, found.cost_usd)
        return found

    def _note_routing(self, tokens: int, cost_usd: float | None) -> None:
        if tokens:
            from secretary_tui.sessions.spent import note_spent

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
            return self.index.choose(reference)
        from secretary_tui.registry.workflow_agent import find_workflow, workflow_agent

        return workflow_agent(find_workflow(self.index, reference), arguments)

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
        """Make the value that `run` takes, from what a person decided.

        `agent` is an agent's id, or `/id` for a command or skill, which gets `task` as arguments.

        Raises:
            AgentNotFoundError: no such agent or command, or it is switched off; names the nearest.
        """
        from secretary_tui.delegation.values import Delegation, PermissionMode
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
            from secretary_tui.delegation.budget import Budget

            most = self.config.max_session_cost_usd
            self._session_budget = Budget(most or None, name="This session")
        return self._session_budget

    def budget(self, max_usd: float | None = None) -> Budget:
        """Give a run its budget: `max_usd`, or what the setting says; part of the session's."""
        from secretary_tui.delegation.budget import Budget

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
        from secretary_tui.delegation.permissions import tighter_mode
        from secretary_tui.delegation.prompt import task_in
        from secretary_tui.delegation.values import Delegation
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
        from secretary_tui.delegation.trust import is_trusted

        return self.trusts_this_session or is_trusted(self.project)

    async def admit(self, delegation: Delegation, people: People) -> Delegation:
        """Ask, once for each folder, whether a run may happen there at all.

        Gives the delegation that may run: the same, or one that only reads.

        Raises:
            UntrustedError: the user said no, or nobody could be asked.
        """
        from dataclasses import replace

        from secretary_tui.delegation.trust import TrustAnswer, ask_for_trust, is_trusted, untrusted
        from secretary_tui.delegation.values import PermissionMode

        folder = delegation.workspace
        if self.trusts_this_session or await asyncio.to_thread(is_trusted, folder):
            return delegation
        match await ask_for_trust(folder, people):
            case TrustAnswer.TRUST:
                return delegation
            case TrustAnswer.READ:
                return replace(delegation, permission_mode=PermissionMode.PLAN)
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
        from secretary_tui.delegation.trust import is_trusted, untrusted

        only_reads = delegation.permission_mode == "plan"
        if not (only_reads or self.trusts_this_session or is_trusted(delegation.workspace)):
            raise untrusted(delegation.workspace)
        choice = self.engine_named(delegation.engine)
        engine = choice.engine
        if engine is None or self.offline:
            raise NoEngineError(choice.why if delegation.engine else self.no_engine)
        from secretary_tui.engines.base import EngineError
        from secretary_tui.engines.choose import prepare

        try:
            await prepare(engine)
        except EngineError as error:
            raise NoEngineError(f"{error} {error.suggestion}".strip()) from None
        from secretary_tui.delegation.lineage import Library
        from secretary_tui.delegation.run import run_delegation
        from secretary_tui.events import UsageAdded
        from secretary_tui.sessions.log import RunLog
        from secretary_tui.sessions.spent import note_spent

        log = (
            RunLog.open(delegation.run_id)
            if delegation.follow_up
            else RunLog.create(delegation.workspace, delegation.run_id)
        )
        library = Library(self.index.active, self.index.skills)
        events = run_delegation(delegation, engine, people, control=control, library=library)
        with log:
            async with aclosing(events):
                async for event in events:
                    log.append(event)
                    if isinstance(event, UsageAdded):
                        note_spent(
                            "run",
                            delegation.workspace,
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
        if self._sentences is not None:
            await asyncio.to_thread(self._sentences.close)
        await self._close_engines()
