"""Who called an agent, and what that leaves it: fewer tools, turns and tokens at each step.

Seed 002 leaves open whether agents may call agents; here they may, three deep, never one that is
already at work above them, and only so many in a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.registry.definition.spec import AgentSpec, Skill

MAX_DEPTH = 3
"""How many agents deep a call may lead below the one that the user chose."""
MAX_CALLS = 20
"""How many agents may be called in a run, on all levels together."""
CALLED_TOKENS = 400_000
"""Tokens that an agent called by the user's agent may use; half of it on each level below."""
_MIN_TURNS = 4


def _as_it_is(agent: AgentSpec) -> AgentSpec:
    return agent


@dataclass(frozen=True, slots=True)
class CallableLibrary:
    """The agents and skills around a run, which its agent may call upon."""

    agents: tuple[AgentSpec, ...] = ()
    skills: tuple[Skill, ...] = ()
    read_again: Callable[[AgentSpec], AgentSpec] = _as_it_is
    """Gives an agent as its file says it now; raises LookupError when it holds it no longer."""


@dataclass(slots=True)
class Quota:
    """How many agents a run has called so far, on all levels."""

    calls: int = 0

    def take(self) -> bool:
        """Count one more call; False when there may be none."""
        if self.calls >= MAX_CALLS:
            return False
        self.calls += 1
        return True


@dataclass(frozen=True, slots=True)
class Lineage:
    """The callers of an agent; none for the one that the user chose."""

    callers: tuple[str, ...] = ()
    """Ids, the user's agent first."""
    tools: OfferedTools | None = None
    """What the caller has: more can't be passed on. None for no limit."""
    max_turns: int | None = None
    max_tokens: int | None = None
    quota: Quota = field(default_factory=Quota)
    library: CallableLibrary = field(default_factory=CallableLibrary)
    """Whom all of them may call."""

    @property
    def may_call(self) -> bool:
        """Whether an agent here may call others."""
        return len(self.callers) < MAX_DEPTH

    def name(self, agent: str) -> str:
        """Name an agent as prompts do: `tester (called by coder)`."""
        return (
            f"{agent} (called by {', by '.join(reversed(self.callers))})" if self.callers else agent
        )

    def turns(self, own: int) -> int:
        """Give the turns that an agent gets which would have `own`."""
        return own if self.max_turns is None else min(own, self.max_turns)

    def below(self, agent: str, tools: OfferedTools, turns: int) -> Lineage:
        """Give the lineage of whom `agent` calls, which itself has these tools and turns."""
        tokens = CALLED_TOKENS if self.max_tokens is None else self.max_tokens // 2
        return replace(
            self,
            callers=(*self.callers, agent),
            tools=tools,
            max_turns=max(turns // 2, _MIN_TURNS),
            max_tokens=tokens,
        )

    def callable(self, agent: str) -> tuple[AgentSpec, ...]:
        """Give the agents that `agent` may call: all but itself and its callers."""
        at_work = {*self.callers, agent}
        return tuple(spec for spec in self.library.agents if spec.id not in at_work)
