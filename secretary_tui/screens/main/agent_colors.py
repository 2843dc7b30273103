"""Which colour an agent has on the screen: the one its file names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secretary_tui.registry.agent_index import AgentIndex


def color_of(index: AgentIndex, agent_id: str) -> str:
    """The colour that an agent's file names; empty for none, or for an agent that is gone."""
    entry = index.get(agent_id)
    return (entry.spec.color or "") if entry is not None else ""
