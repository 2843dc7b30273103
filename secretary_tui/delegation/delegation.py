"""The value that a face hands to the delegator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from secretary_tui.delegation.call_limits import Lineage
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import effective_mode
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.sessions.recovery import OpenCall


@dataclass(frozen=True, slots=True)
class Delegation:
    """One agent, one task, one workspace: all that a run needs, decided by the user."""

    run_id: str
    agent: AgentSpec
    request: str
    """As the user typed it."""
    task: str
    """The task as accepted, with clarifications folded in."""
    workspace: Path
    """The folder that the tools are confined to."""
    project: Path | None = None
    """The project, where `workspace` is a working tree made for this run; see `home`."""
    context: tuple[str, ...] = ()
    """Lines of context for the prompt: the question and its answer, the plan around it."""
    requirements: tuple[str, ...] = ()
    permission_mode: PermissionMode = PermissionMode.ASK
    model: str | None = None
    """Overrides the agent's own model: an alias or a full id."""
    confidence: int | None = None
    """The match's confidence, None for an agent named by the user."""
    messages: tuple[Mapping[str, Any], ...] = ()
    """The conversation so far, in API form, when a run is continued."""
    follow_up: str = ""
    """The user's new message when a run is continued."""
    agent_hash_before: str = ""
    """`content_hash` of the definition when a continued run began; empty for a new one."""
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)
    """The user's setting of that name: servers, and what each may reach."""
    engine: str = ""
    """Name of the engine that answers; empty for the session's."""
    engine_before: str = ""
    """The engine that a continued run had; empty for a new one."""
    open_calls: tuple[OpenCall, ...] = ()
    """Tool calls of the last of `messages` whose results a killed program never wrote down."""
    budget: Budget = field(default_factory=Budget, compare=False)
    """What it may cost; shared with the runs that it starts."""
    claude_md: bool = True
    """Whether the CLAUDE.md files that hold for the workspace go into the system prompt."""
    english: str = ""
    """The task with foreign words in English, as far as known: for rules that go by words."""
    looks_up: bool = True
    """Whether what the request names is looked up in the project and given to the agent."""
    lineage: Lineage = field(default_factory=Lineage, compare=False)
    """Who called it, and whom it may call."""

    @property
    def home(self) -> Path:
        """The folder that was trusted, and that the run belongs to: the user's own."""
        return self.project or self.workspace

    def below(
        self, agent: AgentSpec, task: str, offered: OfferedTools, turns: int, model: str
    ) -> Delegation:
        """Give the delegation of an agent that this one calls: never more than this one has.

        `offered`, `turns` and `model` are what this one has. It is a part of the same run: the
        same id, so the same budget, log and undo.
        """
        return Delegation(
            run_id=self.run_id,
            agent=agent,
            request=task,
            task=task,
            workspace=self.workspace,
            context=(f"You were called by the agent {self.agent.id}.",),
            permission_mode=effective_mode(self.permission_mode, self.agent),
            model=model if agent.should_inherit_model() else None,
            budget=self.budget,
            claude_md=self.claude_md,
            mcp_servers=self.mcp_servers,
            looks_up=False,
            lineage=self.lineage.below(self.agent.id, offered, turns),
        )
