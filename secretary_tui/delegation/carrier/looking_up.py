"""Looks up what the request of a run names, for the agent that the user chose and no other."""

from __future__ import annotations

import asyncio
import json

from secretary_tui.delegation.brief.tool_access import ToolAccess, decide_tool_access
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.lookup.looked_up import ExcerptOrigin, LookedUp
from secretary_tui.delegation.lookup.lookup import ProjectLookup
from secretary_tui.delegation.lookup.project_sight import ProjectSight
from secretary_tui.delegation.workspace.workspace import Workspace
from secretary_tui.engines.base import Engine


async def look_up_for(
    delegation: Delegation, workspace: Workspace, access: ToolAccess, budget: int
) -> LookedUp:
    """Look up what the task names, or the message with which a run goes on.

    Nothing is looked up for a command, whose file says what to read. What already stands in the
    conversation isn't repeated.
    """
    if not delegation.looks_up or delegation.agent.metadata.get("workflow"):
        return LookedUp()
    lookup = ProjectLookup(ProjectSight(workspace, access.offered, access.rules.deny))
    if not delegation.messages:
        said = "" if delegation.task.startswith(delegation.request) else delegation.request
        return await lookup.look_up(f"{delegation.task}\n{said}", budget)
    found = await lookup.look_up(delegation.follow_up, budget, shows_all=False)
    shown = json.dumps(delegation.messages, ensure_ascii=False, default=str)
    return LookedUp(
        tuple(
            excerpt
            for excerpt in found.excerpts
            if excerpt.origin is ExcerptOrigin.GIT
            or (
                json.dumps(excerpt.tag)[1:-1] not in shown and json.dumps(excerpt.path) not in shown
            )
        ),
        found.left_out,
    )


async def preview(delegation: Delegation, engine: Engine) -> LookedUp:
    """Look up what a run would be given, before it is begun.

    Raises:
        WorkspaceError: there is no such folder.
    """
    workspace = Workspace.at(delegation.workspace)
    access = await asyncio.to_thread(decide_tool_access, delegation, searches=engine.server_tools)
    return await look_up_for(delegation, workspace, access, engine.lookup_tokens)
