"""What the match panel says about an agent's powers before anything is delegated."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from secretary_tui.engines.base import Engine
from secretary_tui.people import AgentMatch
from secretary_tui.registry.agent_index import AgentIndex
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.registry.workflow_agent import remarks
from secretary_tui.sanitize import clean_line
from secretary_tui.widgets.panels.match_panel import AgentBrief


def briefs_for(
    matches: Iterable[AgentMatch], index: AgentIndex, permission_mode: str, engine: Engine | None
) -> dict[str, AgentBrief]:
    """Describe each matched agent that is still in the index, by id: what will really happen."""
    briefs = {}
    for match in matches:
        entry = index.get(match.agent)
        if entry is not None:
            briefs[match.agent] = brief_of(entry.spec, permission_mode, engine)
    return briefs


def brief_of(spec: AgentSpec, permission_mode: str, engine: Engine | None) -> AgentBrief:
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


def starts_for(
    matches: Iterable[AgentMatch], task: str, index: AgentIndex, project: Path, engine: Engine
) -> dict[str, str]:
    """Say what a run of each matched agent costs to begin. Reads files: call it in a thread."""
    from secretary_tui.delegation.brief.estimate import estimate_start

    specs = [entry.spec for match in matches if (entry := index.get(match.agent)) is not None]
    others = len(index.active)
    return {
        spec.id: estimate_start(spec, task, project, engine, others=others).sentence
        for spec in specs
    }


def _servers(spec: AgentSpec) -> tuple[str, ...]:
    """Name the MCP servers that a run would ask to start."""
    from secretary_tui.delegation.mcp.mcp_servers import named_servers

    names = ", ".join(clean_line(name) for name in named_servers(spec))
    return (f"MCP servers, each shown before it starts: {names}",) if names else ()


def _verb(permission_mode: str) -> str:
    return {"plan": "refused", "deny": "refused", "accept-edits": "asks (edits pass)"}.get(
        permission_mode, "asks"
    )
