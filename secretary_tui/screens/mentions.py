"""Agents named in a request: `@name …`, and `@"a name with blanks" …`.

Where an agent is named on its own (*Other*), `/name` means a command or skill.
"""

from __future__ import annotations

import re

from secretary_tui.registry.index import AgentIndex

_NAMED = re.compile(r"""@(?:"([^"]*)"|(\S+))\s*""")


def mention(agent: str) -> str:
    """How an agent is named at the beginning of a request."""
    return f'@"{agent}"' if re.search(r"\s", agent) else f"@{agent}"


def split_named(text: str) -> tuple[str, str]:
    """The name at the beginning of a request (empty without one), and the rest."""
    found = _NAMED.match(text)
    if found is None:
        return "", text
    return (found[1] or found[2] or "").rstrip(",:"), text[found.end() :]


def complete_reference(index: AgentIndex, prefix: str, limit: int) -> tuple[str, ...]:
    """Ids for what was typed so far: of agents, and behind a `/` of commands and skills."""
    if not prefix.startswith("/"):
        return index.complete(prefix, limit)
    from secretary_tui.registry.workflow_agent import complete_workflow

    return complete_workflow(index, prefix, limit)


def resolve_reference(index: AgentIndex, reference: str) -> str:
    """The id that is meant, as `Secretary.definition` takes it.

    Raises:
        AgentNotFoundError: none or several fit; names the nearest.
    """
    if not reference.startswith("/"):
        return index.find(reference).id
    from secretary_tui.registry.workflow_agent import find_workflow

    return f"/{find_workflow(index, reference).id}"
