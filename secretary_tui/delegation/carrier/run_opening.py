"""How a run opens with any carrier: the agent's tools and prompt, and `RunStarted`."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterator
from dataclasses import dataclass, replace

from secretary_tui import paths
from secretary_tui.delegation.brief.prompt import SystemPrompt, delegation_prompt, system_prompt
from secretary_tui.delegation.brief.small_prompt import small_system_prompt
from secretary_tui.delegation.brief.tool_access import ToolAccess, decide_tool_access
from secretary_tui.delegation.brief.way import way_for
from secretary_tui.delegation.carrier.carrier import RunContext
from secretary_tui.delegation.carrier.endings import RunFault, plain_fault
from secretary_tui.delegation.carrier.looking_up import look_up_for
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.lookup.looked_up import LookedUp
from secretary_tui.delegation.lookup.project_sight import ProjectSight
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import Permissions, effective_mode
from secretary_tui.delegation.tools.memory import memory_of
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.workspace.workspace import Workspace, WorkspaceError
from secretary_tui.engines.base import Engine, WarmsUp, WireProtocol
from secretary_tui.events import ModelStarting, Notice, RunStarted
from secretary_tui.redact import environment_secrets, redact
from secretary_tui.sanitize import clean


@dataclass(frozen=True, slots=True)
class RunBrief:
    """The tools and the prompt of the agent of an opened run."""

    delegation: Delegation
    """With the real path of its workspace."""
    workspace: Workspace
    access: ToolAccess
    prompt: SystemPrompt
    looked_up: LookedUp
    """What the request names; it stands in the context of the delegation too."""

    @property
    def sight(self) -> ProjectSight:
        """What of the project the run may look at."""
        return ProjectSight(self.workspace, self.access.offered, self.access.rules.deny)

    @property
    def mode(self) -> PermissionMode:
        """The permission mode that holds: the session's, or the agent's where that is tighter."""
        return effective_mode(self.delegation.permission_mode, self.delegation.agent)

    def tool_context(self, run: RunContext) -> ToolContext:
        """Give what its tools have in common, as long as no MCP server adds some."""
        from secretary_tui.delegation.tools.skill_files import skill_folder

        agent, root = self.delegation.agent, self.workspace.root
        permissions = Permissions(root, self.mode, self.access.rules, run.people, run.emit)
        return ToolContext(
            agent.id,
            self.delegation.lineage.name(agent.id),
            self.workspace,
            self.access.offered,
            permissions,
            run.people,
            run.emit,
            settled=run.settled,
            memory=memory_of(agent, root),
            takes_media=run.engine.takes_media,
            skill_folder=skill_folder(agent),
        )


class RunOpening:
    """Opens one run: tells that it begins, and what the user should know first."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        delegation = run.delegation
        self.model = run.engine.resolve_model(delegation.model or delegation.agent.model)
        self._is_told = False

    async def open(self) -> RunBrief:
        """Find out what the agent may do and is told, and tell that the run begins.

        Raises:
            RunFault: there is no such workspace.
        """
        engine = self._run.engine
        try:
            workspace = Workspace.at(self._run.delegation.workspace)
        except WorkspaceError as error:
            self.tell_start()
            raise RunFault(plain_fault(str(error), "Choose a folder that exists.")) from None
        delegation = replace(self._run.delegation, workspace=workspace.root)
        access = await asyncio.to_thread(
            decide_tool_access, delegation, searches=engine.server_tools
        )
        prompt = await self._system_prompt(delegation, access)
        looked_up = await look_up_for(delegation, workspace, access, engine.lookup_tokens)
        context = (*delegation.context, *looked_up.lines())
        brief = RunBrief(replace(delegation, context=context), workspace, access, prompt, looked_up)
        self.tell_start(brief)
        for notice in self._notices(brief):
            self._run.emit(notice)
        if isinstance(engine, WarmsUp) and not engine.is_up:
            self._run.emit(ModelStarting(self.model.id))
        return brief

    async def _system_prompt(self, delegation: Delegation, access: ToolAccess) -> SystemPrompt:
        engine = self._run.engine
        if engine.wire_protocol is WireProtocol.COMPLETIONS:
            return SystemPrompt(small_system_prompt(delegation.agent, way_for(delegation)))
        return await system_prompt(delegation, access.offered, local=engine.is_local)

    def tell_start(self, brief: RunBrief | None = None) -> None:
        """Tell that the run begins, unless it was told; without a brief, it ends as it begins."""
        if self._is_told:
            return
        self._is_told = True
        delegation = brief.delegation if brief is not None else self._run.delegation
        system = brief.prompt.text if brief is not None else ""
        offered = brief.access.offered if brief is not None else OfferedTools(())
        agent = delegation.agent
        # What was looked up for a message stands behind that one.
        task = delegation_prompt(self._run.delegation if delegation.messages else delegation)
        secrets = environment_secrets()
        self._run.emit(
            RunStarted(
                run_id=delegation.run_id,
                agent=agent.id,
                agent_path=str(agent.path),
                agent_hash=agent.content_hash,
                request=clean(delegation.request),
                # The model reads all of it, the log keeps it for years.
                task=redact(task, secrets),
                system=redact(system, secrets),
                engine=self._run.engine.name,
                model=self.model.id,
                tools=offered.names,
                permission_mode=effective_mode(delegation.permission_mode, agent),
                project=str(delegation.home),
                started_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
                confidence=delegation.confidence,
                resumed=bool(delegation.messages or delegation.follow_up),
            )
        )

    def _notices(self, brief: RunBrief) -> Iterator[Notice]:
        """What is new since the run began, and what is missing."""
        changed = (
            _definition_changed(brief.delegation),
            _engine_changed(brief.delegation, self._run.engine),
        )
        yield from filter(None, changed)
        yield from brief.prompt.notices
        for warning in filter(None, (*brief.access.rules.problems, self.model.warning)):
            yield Notice(warning, "warning")


def _definition_changed(delegation: Delegation) -> Notice | None:
    """Says that a run goes on with another text of its agent; None when it does not."""
    agent, before = delegation.agent, delegation.agent_hash_before
    if not before or before == agent.content_hash:
        return None
    return Notice(
        f"The file of {agent.id} changed since this run began; it goes on with the new text: "
        f"{paths.shown(agent.path)}.",
        "warning",
    )


def _engine_changed(delegation: Delegation, engine: Engine) -> Notice | None:
    """Says that a run goes on with another engine than it began with; None when it does not."""
    before = delegation.engine_before
    if not before or before == engine.name:
        return None
    began = f"This run began with the engine {clean(before)[:60]}"
    return Notice(f"{began}; {engine.label} goes on.", "warning")
