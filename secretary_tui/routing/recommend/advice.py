"""What to say when there is no agent to recommend (seed 000, Error Interfaces)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from secretary_tui.people import Recommendation

_NEAREST = 3


class AdviceKind(StrEnum):
    """The seed's error types that routing can end in."""

    NO_AGENTS = "NO_AGENTS"
    NO_MATCH = "NO_MATCH"


@dataclass(frozen=True, slots=True)
class RoutingAdvice:
    """A sentence on what happened, and what to do next."""

    kind: AdviceKind
    message: str
    suggestions: tuple[str, ...]


NO_AGENTS = RoutingAdvice(
    AdviceKind.NO_AGENTS,
    "No agents found. Install plugins with agents first.",
    (
        "Run /plugin install <plugin-name> in Claude Code",
        "Put agent files into .claude/agents/",
        "Name a folder of agents with --agents-dir DIR",
    ),
)
NO_MATCH = RoutingAdvice(
    AdviceKind.NO_MATCH,
    "No suitable agent found for your request.",
    (
        "Describe your task more specifically",
        "Use `secretary-tui help` to see available options",
    ),
)


def advice_for(recommendation: Recommendation, agents: int) -> RoutingAdvice | None:
    """The advice for a recommendation without matches over `agents` agents, None with matches.

    A weak ranking still names whom it came closest to, for a choice by hand.
    """
    if not agents:
        return NO_AGENTS
    workflow = recommendation.workflow
    if recommendation.matches or (workflow is not None and workflow.runnable):
        return None
    none_fits = NO_MATCH.message
    if recommendation.engine != "local" and recommendation.reasoning:
        none_fits = f"{none_fits} {recommendation.reasoning}"
    nearest = [match for match in recommendation.ranking if match.confidence > 0][:_NEAREST]
    if not nearest:
        return RoutingAdvice(NO_MATCH.kind, none_fits, NO_MATCH.suggestions)
    named = ", ".join(f"{match.agent} ({match.confidence} %)" for match in nearest)
    return RoutingAdvice(NO_MATCH.kind, none_fits, (f"Closest: {named}", *NO_MATCH.suggestions))
