"""What the tools of one run have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permissions import Permissions
from secretary_tui.delegation.tools.memory import Memory
from secretary_tui.delegation.workspace.workspace import Workspace
from secretary_tui.events import RunEvent
from secretary_tui.people import People


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The workspace, the powers and the people of a run."""

    agent_id: str
    agent: str
    """The agent as prompts name it: with its callers."""
    workspace: Workspace
    offered: OfferedTools
    permissions: Permissions
    people: People
    emit: Callable[[RunEvent], None]
    settled: Callable[[], Awaitable[object]] | None = None
    """Waits until all that was told is logged: nothing has an effect before."""
    memory: Memory | None = None
    """The agent's own notes."""
    takes_media: bool = True
    """Whether the model reads pictures and PDFs."""
    skill_folder: Path | None = None
    """The folder of the skill that is carried out: readable, though not of the workspace."""
