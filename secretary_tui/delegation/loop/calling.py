"""The delegation of an agent that another agent calls: never more than the caller has."""

from __future__ import annotations

from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permissions import effective_mode
from secretary_tui.registry.definition.spec import AgentSpec


def called_delegation(
    caller: Delegation, agent: AgentSpec, task: str, offered: OfferedTools, turns: int, model: str
) -> Delegation:
    """Make it from the caller's: `offered` and `turns` are what the caller has, `model` its model.

    It is a part of the caller's run: the same id, so the same budget, log and undo.
    """
    return Delegation(
        run_id=caller.run_id,
        agent=agent,
        request=task,
        task=task,
        workspace=caller.workspace,
        context=(f"You were called by the agent {caller.agent.id}.",),
        permission_mode=effective_mode(caller.permission_mode, caller.agent),
        model=model if agent.should_inherit_model() else None,
        budget=caller.budget,
        claude_md=caller.claude_md,
        mcp_servers=caller.mcp_servers,
        lineage=caller.lineage.below(caller.agent.id, offered, turns),
    )
