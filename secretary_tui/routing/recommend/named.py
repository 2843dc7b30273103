"""A request that begins with `@name`: that agent and no other, whatever the ranking says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from secretary_tui.people import AgentMatch, Recommendation
from secretary_tui.registry.agent_index import AgentIndex, AgentNotFoundError
from secretary_tui.registry.mentions import find_mentioned, split_named

CHOSEN = "Chosen by you."
"""The notice of such a recommendation: no model needs to look at it."""


def named_route(index: AgentIndex, request: str, project: Path) -> Recommendation | None:
    """The recommendation for the agent that a request names; None where it names none.

    A request may begin with a file of the project, such as `@src/login.py`, which is no name.

    Raises:
        AgentNotFoundError: there is none of that name, or it is switched off; names the nearest.
    """
    if not request.startswith("@"):
        return None
    try:
        found = find_mentioned(index, request)
    except AgentNotFoundError:
        if (project / split_named(request)[0]).exists():
            return None
        raise
    if found is None:
        return None
    spec, task = found
    return replace(named_agent(spec.id, str(spec.path), task or request), request=request)


def named_agent(agent: str, path: str, request: str) -> Recommendation:
    """The recommendation for an agent that the user chose."""
    match = AgentMatch(agent, path, 100, "you named it")
    return Recommendation(request, request, (match,), agent, (match,), notice=CHOSEN)
