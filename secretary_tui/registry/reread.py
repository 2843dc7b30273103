"""A definition as its file says it now: what runs is never what a cache remembers."""

from __future__ import annotations

from dataclasses import replace

from secretary_tui import paths
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, SourceKind


def as_in_its_file(spec: AgentSpec, *, known_broken: bool = False) -> AgentSpec:
    """Read an agent's file again; the same agent when it says the same.

    `known_broken`: this program saw the file break, so the agent stays as it was before.

    Raises:
        AgentNotFoundError: the file holds another agent now, or none.
    """
    if spec.source.kind is SourceKind.GIVEN:
        return spec
    now = read_agent(spec.path, spec.source, spec.namespace).spec
    if now is None and known_broken:
        return spec
    if now is None or now.id != spec.id:
        held = f"holds {now.id!r} now" if now else "can't be read or holds no agent now"
        nearest = (now.id,) if now else ()
        raise AgentNotFoundError(
            f"{paths.shown(spec.path)}, the file of {spec.id}, {held}", nearest
        )
    # What only the whole library can tell, such as missing skills, stands in the findings.
    return spec if replace(now, findings=spec.findings) == spec else now
