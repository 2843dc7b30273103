"""What is to be run, as a value of JSON types: it can be stored, and carried out elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from secretary_tui import codec
from secretary_tui.delegation.permissions.permission_mode import PermissionMode


@dataclass(frozen=True, slots=True)
class RunOrder:
    """One run that a user decided on: a new one, or with `follow_up` a stored one that goes on.

    What a stored run began with (agent, request, task, project) stands in its log, not here.
    """

    run_id: str
    """The id of the new run (`sessions.store.new_run_id`), or of the stored one."""
    agent: str = ""
    """Id of an agent, or `/id` of a command or skill, which gets `task` as its arguments."""
    request: str = ""
    """As the user typed it."""
    task: str = ""
    project: str = ""
    """The folder to work in, absolute."""
    context: tuple[str, ...] = ()
    """Lines of context for the prompt: the questions and their answers."""
    confidence: int | None = None
    """The match's confidence, 0–100; None for an agent that the user named."""
    follow_up: str = ""
    """The message with which a stored run goes on; empty for a new run."""
    permission_mode: PermissionMode | None = None
    """None for what the setting says; for a run that goes on the tighter of it and the run's."""
    engine: str = ""
    """Name of the engine that answers; empty for the session's, or the one the run had."""
    model: str | None = None
    """Overrides the agent's own model."""
    max_cost_usd: float | None = None
    """None for what the setting says."""
    own_tree: bool | None = None
    """Whether it gets a working tree of its own; None for what the agent's file asks for."""
    looks_up: bool = True
    """Whether what the task names is looked up and goes along with it."""

    def to_json(self) -> dict[str, Any]:
        """Give the order as a JSON object."""
        order: dict[str, Any] = codec.to_json(self)
        return order

    @classmethod
    def from_json(cls, data: object) -> RunOrder:
        """Rebuild an order. Each field must be there: one that is missing could be a limit.

        Raises:
            ValueError: a field is missing, unknown, or has another type.
        """
        return codec.from_json(cls, data, exact=True)
