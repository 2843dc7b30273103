"""The tools that work on neither files nor commands, made for one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from secretary_tui.delegation.permissions import Permissions
from secretary_tui.delegation.todos import TodoTool
from secretary_tui.delegation.tool_calls import Tool
from secretary_tui.delegation.tool_names import ASK_USER, TODO_WRITE, OfferedTools
from secretary_tui.delegation.user_questions import AskUserTool
from secretary_tui.delegation.workspace import Workspace
from secretary_tui.events import RunEvent
from secretary_tui.people import People


@dataclass(frozen=True, slots=True)
class RunParts:
    """What the tools of a run work with."""

    workspace: Workspace
    offered: OfferedTools
    permissions: Permissions
    people: People
    agent: str
    """As permission prompts name it."""
    emit: Callable[[RunEvent], None]


def more_tools(parts: RunParts) -> Mapping[str, Tool]:
    """Make the tools that work on neither files nor commands, as far as they are offered."""
    made: dict[str, Tool] = {
        TODO_WRITE: TodoTool(parts.emit),
        ASK_USER: AskUserTool(parts.people, parts.agent),
    }
    return {name: tool for name, tool in made.items() if name in parts.offered.names}
