"""Agents named in a request: `@name …`, and `@"a name with blanks" …`.

Where an agent is named on its own (*Other*), `/name` means a command or skill.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secretary_tui.registry.agent_index import AgentIndex
    from secretary_tui.registry.definition.spec import AgentSpec

_WORD = re.compile(r"\S+")
_MOST_WORDS = 6
"""Words that the name of an agent may have."""
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


def find_mentioned(index: AgentIndex, request: str) -> tuple[AgentSpec, str] | None:
    """The agent that a request begins with, and the task behind its name; None without an `@`.

    A name with blanks is also found without quotes: the fewest words that name an agent count.

    Raises:
        AgentNotFoundError: there is none of that name, or it is switched off; names the nearest.
    """
    reference, task = split_named(request)
    if not reference:
        return None
    from secretary_tui.registry.agent_index import AgentNotFoundError  # Not before the first paint.

    try:
        return index.choose(reference), task.strip()
    except AgentNotFoundError:
        words = [*_WORD.finditer(request)][: _MOST_WORDS if request[1] != '"' else 0]
        for word in words[1:]:
            name, rest = request[1 : word.end()].rstrip(",:"), request[word.end() :]
            if index.is_named(name):
                return index.choose(name), rest.strip()
        raise


def complete_reference(index: AgentIndex, prefix: str, limit: int) -> tuple[str, ...]:
    """Ids for what was typed so far: of agents, and behind a `/` of commands and skills."""
    if not prefix.startswith("/"):
        return index.complete(prefix, limit)
    from secretary_tui.registry.workflow_agent import complete_workflow

    return complete_workflow(index, prefix, limit)


def resolve_reference(index: AgentIndex, reference: str) -> str:
    """The id that is meant, as `LibraryService.definition` takes it.

    Raises:
        AgentNotFoundError: none or several fit; names the nearest.
    """
    if not reference.startswith("/"):
        return index.find(reference).id
    from secretary_tui.registry.workflow_agent import find_workflow

    return f"/{find_workflow(index, reference).id}"
