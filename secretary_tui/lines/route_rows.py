"""The rows of a recommendation: what can be chosen, each with its key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from secretary_tui.lines.line_query import CANCEL_OPTION, LineOption, OptionAction
from secretary_tui.lines.output import amount
from secretary_tui.people import (
    AgentMatch,
    Continuation,
    Recommendation,
    RouteAction,
    RouteChoice,
    WorkflowMatch,
)
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.definition.spec import AgentSpec
from secretary_tui.registry.workflow_agent import remarks
from secretary_tui.sanitize import clean_line
from secretary_tui.secretary import Secretary

UNFOLDED = 3
"""Agents below the threshold that are listed at a time."""
COMMAND_KEY = "w"


@dataclass(frozen=True, slots=True)
class RouteRow:
    """One row, and what choosing it means."""

    option: LineOption
    choice: RouteChoice


class RouteRows:
    """The run that goes on, the matches, the command; those below the threshold once asked for.

    Args:
        found: Whom they are from.
        secretary: Knows the agents in it.
        spoken: Whether they are read aloud.
        permission_mode: The mode of the run that is chosen; empty for that of the settings.
    """

    def __init__(
        self, found: Recommendation, secretary: Secretary, *, spoken: bool, permission_mode: str
    ) -> None:
        self._found = found
        self._secretary = secretary
        self._spoken = spoken
        self._permission_mode = permission_mode or secretary.config.permission_mode
        self._numbered: list[RouteRow] = []
        if found.continuation is not None:
            self._numbered.append(self._going_on(found.continuation))
        for match in found.matches:
            self._numbered.append(self._match(match))
        shown = {match.agent for match in found.matches}
        self._below = [m for m in found.ranking if m.agent not in shown]
        workflow = found.workflow
        is_offered = workflow is not None and workflow.runnable
        self.command = self._command(workflow) if workflow is not None and is_offered else None
        """The command or skill that can be run."""

    @property
    def options(self) -> tuple[LineOption, ...]:
        """All that can be chosen now; cancelling comes last."""
        rows = [*self._numbered, *([self.command] if self.command else [])]
        return (*(row.option for row in rows), CANCEL_OPTION)

    @property
    def are_numbered(self) -> bool:
        """Whether a number chooses something."""
        return bool(self._numbered)

    @property
    def has_more(self) -> bool:
        """Whether there are agents below the threshold that are not listed yet."""
        return bool(self._below)

    @property
    def accepted(self) -> RouteRow | None:
        """The row that is recommended: the run that goes on, else the recommended agent."""
        for row in self._numbered:
            if row.choice.action in (RouteAction.CONTINUE, RouteAction.ACCEPT):
                return row
        return None

    @property
    def first(self) -> AgentSpec | None:
        """The agent of the first row that begins a run; None where there is none."""
        for row in self._numbered:
            entry = self._secretary.index.get(row.choice.agent or "")
            if entry is not None and row.choice.action is not RouteAction.CONTINUE:
                return entry.spec
        return None

    def by_key(self, key: str) -> RouteChoice | None:
        """What a key chooses; None for one that there is not."""
        if self.command is not None and key == COMMAND_KEY:
            return self.command.choice
        numbers = {row.option.key: row.choice for row in self._numbered}
        return numbers.get(key.lstrip("0"))

    def unfold(self) -> tuple[LineOption, ...]:
        """List the next agents of the ranking, too; gives their options."""
        more, self._below = self._below[:UNFOLDED], self._below[UNFOLDED:]
        listed = len(self._numbered)
        for match in more:
            self._numbered.append(self._match(match))
        return tuple(row.option for row in self._numbered[listed:])

    # -------------------------------------------------------------------- rows

    def _going_on(self, run: Continuation) -> RouteRow:
        option = LineOption(
            self._next_key(),
            self._label(f"go on with {clean_line(run.agent)}", run.confidence),
            OptionAction.CONTINUE,
            self._facts([self._why(run.reason)]),
            agent=run.agent,
            run=run.run,
            confidence=run.confidence,
            fallback=False,
        )
        return RouteRow(option, RouteChoice(RouteAction.CONTINUE, run.agent))

    def _match(self, match: AgentMatch) -> RouteRow:
        is_recommended = match.agent == self._found.recommended
        facts = [self._why(match.reason)]
        entry = self._secretary.index.get(match.agent)
        if entry is not None:
            facts += [self._powers(entry.spec), f"from {clean_line(entry.spec.source.label)}"]
        if match.copies:
            facts.append(f"{amount(len(match.copies), 'copy', 'copies')} elsewhere")
        option = LineOption(
            self._next_key(),
            self._generalist(match) if match.fallback else self._matching(match),
            OptionAction.RUN,
            self._facts(facts),
            agent=match.agent,
            confidence=match.confidence,
            fallback=match.fallback,
        )
        action = RouteAction.ACCEPT if is_recommended else RouteAction.ALTERNATIVE
        return RouteRow(option, RouteChoice(action, match.agent))

    def _matching(self, match: AgentMatch) -> str:
        going_on, name = self._found.continuation, clean_line(match.agent)
        if going_on is not None:  # Which is what is recommended then.
            new = f"{name} in a new run" if going_on.agent == match.agent else name
            return self._label(new, match.confidence)
        mark = ", recommended" if match.agent == self._found.recommended else ""
        return self._label(name, match.confidence) + mark

    def _generalist(self, match: AgentMatch) -> str:
        """Say a generalist without a number: how well it fits the topic says nothing."""
        entry = self._secretary.index.get(match.agent)
        note = " (read only)" if entry is not None and reads_only(entry.spec) else ""
        specialists = any(not other.fallback for other in self._found.matches)
        why = "a generalist can, too" if specialists else "no specialist fits; a generalist can"
        return f"{why}: {clean_line(match.agent)}{note}"

    def _command(self, workflow: WorkflowMatch) -> RouteRow:
        option = LineOption(
            COMMAND_KEY,
            self._label(clean_line(workflow.reference), workflow.confidence),
            OptionAction.RUN,
            self._facts([clean_line(workflow.reason), *self._command_facts(workflow.reference)]),
            agent=workflow.reference,
            confidence=workflow.confidence,
            fallback=False,
        )
        return RouteRow(option, RouteChoice(RouteAction.WORKFLOW, workflow.reference))

    def _command_facts(self, reference: str) -> Iterator[str]:
        try:
            spec = self._secretary.library.definition(reference)
        except AgentNotFoundError as error:
            yield str(error)
            return
        yield self._powers(spec)
        yield from map(clean_line, remarks(spec))

    def _next_key(self) -> str:
        return str(len(self._numbered) + 1)

    def _label(self, name: str, confidence: int) -> str:
        return f"{name}, {confidence} percent" if self._spoken else f"{name}  {confidence} %"

    def _why(self, reason: str) -> str:
        said = clean_line(reason).rstrip(".")
        return f"Why: {said}" if self._spoken and said else said

    def _facts(self, facts: list[str]) -> tuple[str, ...]:
        return tuple(fact.rstrip(".") for fact in facts if fact)

    def _powers(self, spec: AgentSpec) -> str:
        return clean_line(powers(spec, self._permission_mode))


def offered_names(spec: AgentSpec) -> tuple[str, ...]:
    """The canonical names of the tools that an agent gets."""
    from secretary_tui.delegation.permissions.offered_tools import offered_tools

    return offered_tools(spec).names


def reads_only(spec: AgentSpec) -> bool:
    """Whether an agent gets no tool that changes something or must ask."""
    from secretary_tui.tool_table import ASKING_TOOLS

    return not any(name in ASKING_TOOLS for name in offered_names(spec))


def powers(spec: AgentSpec, permission_mode: str) -> str:
    """Say in a line which tools an agent will get and what happens to the risky ones."""
    from secretary_tui.tool_table import ASKING_TOOLS

    names = offered_names(spec)
    risky = [name for name in names if name in ASKING_TOOLS]
    parts = [", ".join(name for name in names if name not in ASKING_TOOLS)]
    if risky:
        verb = {
            "ask": "asks before",
            "accept-edits": "asks before (edits in the project are allowed)",
        }.get(permission_mode, "refused:")
        parts.append(f"{verb} {', '.join(risky)}")
    return "tools: " + ("; ".join(filter(None, parts)) or "none")
