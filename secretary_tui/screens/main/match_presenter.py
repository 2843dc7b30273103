"""What the match panel says besides the ranking: powers, costs, engines, why, and advice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from secretary_tui.engines.base import Engine
from secretary_tui.people import Recommendation
from secretary_tui.registry.agent_index import AgentIndex, AgentNotFoundError
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.registry.mentions import complete_reference, resolve_reference
from secretary_tui.registry.workflow_agent import remarks
from secretary_tui.sanitize import clean_line
from secretary_tui.screens.controller_host import FlowHost
from secretary_tui.secretary import Secretary
from secretary_tui.widgets.panels.engine_line import EngineRow
from secretary_tui.widgets.panels.match_choices import less_likely
from secretary_tui.widgets.panels.match_panel import AgentBrief, MatchPanel, PanelAdvice
from secretary_tui.widgets.panels.other_agent import MAX_COMPLETIONS

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation
    from secretary_tui.delegation.lookup.looked_up import LookedUp

_PANEL_FIRST_S = 0.08
"""Seconds in which the panel is drawn before what takes reading wants the interpreter too."""


@dataclass(eq=False)
class MatchPresenter:
    """Fills the match panel, at once with what is known and later with what takes reading."""

    _screen: FlowHost
    _secretary: Secretary
    _match: MatchPanel
    _run_engine: str = field(default="", init=False)
    """The engine that the user took for the run in the panel; empty for the session's."""
    _shown: Recommendation | None = field(default=None, init=False)

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Fill the panel; `refining` is whether a model still looks at the ranking."""
        index = self._secretary.index
        self._run_engine = ""
        self._match.on_engine = self._change_engine
        self._match.on_task = self._change_task
        self._shown = recommendation
        self._match.present(
            recommendation,
            briefs=self._briefs(recommendation),
            advice=self._advice(recommendation),
            complete=lambda prefix: complete_reference(index, prefix, MAX_COMPLETIONS),
            resolve=lambda reference: resolve_reference(index, reference),
            explain=self._explain,
            beyond=self._beyond,
            refining=refining,
        )
        if self._engine is not None and self._secretary.is_trusted:
            # The line is there from the start, so that no row moves when it is known.
            self._match.page.add_looked_up(dict.fromkeys(_offered(recommendation), "…"))
        self._read_ahead(recommendation)
        self._screen.run_worker(self._offer_engines(), exclusive=True, group="engines")
        self._screen.run_worker(self._offer_own_tree(), exclusive=True, group="own tree")

    def refine(self, recommendation: Recommendation) -> None:
        """Refine the panel in place."""
        self._shown = recommendation
        self._match.refine(
            recommendation,
            briefs=self._briefs(recommendation),
            advice=self._advice(recommendation),
        )
        self._read_ahead(recommendation)

    # ------------------------------------------------------ what takes reading

    def _read_ahead(self, recommendation: Recommendation) -> None:
        """Add what takes some reading, and let the model be ready: the panel doesn't wait."""
        engine = self._engine
        if engine is None:
            return
        page = self._match.page
        agents = _specs(_offered(recommendation), self._secretary.index)
        first = page.choices.at_cursor.match.agent if page.choices.rows else ""
        agents.sort(key=lambda spec: spec.id != first)
        request = recommendation.request if page.task == recommendation.task else ""
        possible = partial(
            self._secretary.runs.possible, task=page.task, request=request, engine=self._run_engine
        )
        adding = self._add_what_is_read([possible(agent) for agent in agents], engine)
        self._screen.run_worker(adding, exclusive=True, group="estimate")

    async def _add_what_is_read(self, runs: list[Delegation], engine: Engine) -> None:
        """Say what goes along with the task of each agent, and what its run costs to begin."""
        await asyncio.sleep(_PANEL_FIRST_S)
        found = await self._look_up(runs)
        if runs:
            self._secretary.runs.load_ahead(runs[0], found[runs[0].agent.id])
        others = len(self._secretary.index.active)
        starts = await asyncio.to_thread(_starts_for, runs, found, others, engine)
        if self._screen.is_whole:
            self._match.page.add_starts(starts)

    async def _look_up(self, runs: list[Delegation]) -> dict[str, LookedUp]:
        """Say what goes along with the task, by agent; those with the same tools see the same."""
        from secretary_tui.delegation.permissions.offered_tools import offered_tools

        by_tools: dict[str, LookedUp] = {}
        found = {}
        for run in runs:
            tools = repr(offered_tools(run.agent))
            if tools not in by_tools:
                by_tools[tools] = await self._secretary.runs.look_up(run)
            found[run.agent.id] = by_tools[tools]
            if self._screen.is_whole:
                self._match.page.add_looked_up({run.agent.id: by_tools[tools].summary})
        return found

    async def _offer_engines(self) -> None:
        """Tell the panel which engines the run could have: those that can be used now."""
        if self._secretary.engines.offline:
            return
        await asyncio.sleep(_PANEL_FIRST_S)
        offers = await asyncio.to_thread(self._secretary.engines.offers)
        rows = [EngineRow(o.name, o.label, o.limits) for o in offers if not o.problem]
        if self._screen.is_whole:
            self._match.page.offer_engines(rows, self._secretary.engines.choice.kind)

    async def _offer_own_tree(self) -> None:
        await asyncio.sleep(_PANEL_FIRST_S)
        from secretary_tui.delegation.worktree.worktree import can_have_own_tree

        possible = await asyncio.to_thread(can_have_own_tree, self._secretary.project)
        if possible and self._screen.is_whole:
            self._match.page.offer_own_tree()

    def _change_engine(self, name: str) -> None:
        """Say in the panel what the run will be with another engine."""
        self._run_engine = name
        if self._shown is not None:
            self._match.page.set_briefs(self._briefs(self._shown))
            self._read_ahead(self._shown)

    def _change_task(self) -> None:
        """Look up what the task names now."""
        if self._shown is not None:
            self._read_ahead(self._shown)

    # ---------------------------------------------------------- what is known

    @property
    def _engine(self) -> Engine | None:
        return self._secretary.engines.named(self._run_engine).engine

    def _briefs(self, recommendation: Recommendation) -> dict[str, AgentBrief]:
        """Describe each matched agent that is still in the index, by id: what will happen."""
        mode, engine = self._secretary.config.permission_mode, self._engine
        specs = _specs(_offered(recommendation), self._secretary.index)
        briefs = {spec.id: _brief_of(spec, mode, engine) for spec in specs}
        workflow = recommendation.workflow
        if workflow is not None and workflow.runnable:
            with suppress(AgentNotFoundError):  # Said when it is chosen.
                spec = self._secretary.library.definition(workflow.reference)
                briefs[workflow.reference] = _brief_of(spec, mode, engine)
        return briefs

    def _beyond(self, agent: str, task: str) -> str:
        """Why a task is too much for the engine that the run would have; mostly nothing."""
        from secretary_tui.delegation.permissions.offered_tools import offered_tools

        entry = self._secretary.index.get(agent)
        tools = offered_tools(entry.spec).names if entry is not None else ()
        return self._secretary.engines.too_much(task, tools, self._run_engine)

    def _explain(self, recommendation: Recommendation, width: int) -> list[str]:
        from secretary_tui.routing.match.explanation import explain_route
        from secretary_tui.routing.match.explanation_text import explanation_lines

        secretary = self._secretary
        explained = explain_route(recommendation, secretary.library.matcher, secretary.config)
        return explanation_lines(explained, width) if explained is not None else []

    def _advice(self, recommendation: Recommendation) -> PanelAdvice | None:
        from secretary_tui.routing.recommend.advice import advice_for

        advice = advice_for(recommendation, len(self._secretary.index.active))
        return PanelAdvice(advice.message, advice.suggestions) if advice is not None else None


def _offered(recommendation: Recommendation) -> tuple[str, ...]:
    """The agents that the panel has rows for, those to unfold included."""
    matches = (*recommendation.matches, *less_likely(recommendation))
    going_on = recommendation.continuation
    before = (going_on.agent,) if going_on is not None else ()
    return tuple(dict.fromkeys((*before, *(match.agent for match in matches))))


def _specs(agents: Iterable[str], index: AgentIndex) -> list[AgentSpec]:
    return [entry.spec for agent in agents if (entry := index.get(agent)) is not None]


def _brief_of(spec: AgentSpec, permission_mode: str, engine: Engine | None) -> AgentBrief:
    """Describe one agent, or a command or skill as one."""
    from secretary_tui.delegation.permissions.offered_tools import offered_tools
    from secretary_tui.tool_table import ASKING_TOOLS

    names = offered_tools(spec).names
    calm = [name for name in names if name not in ASKING_TOOLS]
    risky = [name for name in names if name in ASKING_TOOLS]
    parts = [" ".join(calm)] if calm else []
    if risky:
        parts.append(f"{_verb(permission_mode)}: {' '.join(risky)}")
    model = engine.resolve_model(spec.model).id if engine is not None else "no model yet"
    notes = (*remarks(spec), *_servers(spec))
    powers = " · ".join(parts) or "no tools"
    return AgentBrief(
        powers,
        model,
        spec.source.label,
        notes,
        color=spec.color or "",
        own_tree=spec.wants_own_tree,
    )


def _starts_for(
    runs: Iterable[Delegation], found: Mapping[str, LookedUp], others: int, engine: Engine
) -> dict[str, str]:
    """Say what each run costs to begin. Reads files: call it in a thread."""
    from secretary_tui.delegation.brief.estimate import estimate_start

    starts = {}
    for run in runs:
        agent = run.agent
        shown = found[agent.id].lines()
        start = estimate_start(agent, run.task, run.home, engine, others=others, context=shown)
        starts[agent.id] = start.sentence
    return starts


def _servers(spec: AgentSpec) -> tuple[str, ...]:
    """Name the MCP servers that a run would ask to start."""
    from secretary_tui.delegation.mcp.mcp_servers import named_servers

    names = ", ".join(clean_line(name) for name in named_servers(spec))
    return (f"MCP servers, each shown before it starts: {names}",) if names else ()


def _verb(permission_mode: str) -> str:
    return {"plan": "refused", "deny": "refused", "accept-edits": "asks (edits pass)"}.get(
        permission_mode, "asks"
    )
