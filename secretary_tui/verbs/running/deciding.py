"""From a request to a delegation at the command line: whom the walk of a request asks there."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from secretary_tui.coordinator.dispatch_values import Replied
from secretary_tui.flow.routed import Routed
from secretary_tui.flow.routing_controller import RoutingController
from secretary_tui.lines.output import note, say
from secretary_tui.lines.route_question import FinalRanking
from secretary_tui.people import (
    AgentMatch,
    Answer,
    People,
    Question,
    Recommendation,
    RouteAction,
    RouteChoice,
)
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.library_notes import explain_no_match
from secretary_tui.verbs.running.running import permission_mode, tell_too_much

if TYPE_CHECKING:
    from secretary_tui.delegation.delegation import Delegation


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be run, and the choice that it carries out."""

    delegation: Delegation
    choice: RouteChoice


async def decide(
    request: str, args: argparse.Namespace, secretary: Secretary, people: People
) -> Chosen | ExitCode:
    """Find the agent with the user, or without one by `--yes`; or end with an exit code.

    Raises:
        AgentNotFoundError: the request begins with `@` and a name that no agent has.
    """
    try:
        outcome = await RoutingController(_CommandLine(secretary, people, args.yes)).decide(request)
    finally:
        secretary.coordinator.abandon()  # The next start of the screen has nothing to do with it.
    if isinstance(outcome, Replied):
        say(outcome.text)
        return ExitCode.DONE
    if not isinstance(outcome, Routed):
        return ExitCode.NO_MATCH if args.yes else ExitCode.CANCELLED
    delegation = outcome.delegation(
        secretary,
        request,
        permission_mode=permission_mode(args.permission_mode),
        model=args.model,
    )
    return Chosen(delegation, outcome.choice)


class _CommandLine:
    """Asks the user, or with `--yes` nobody (`frontend.RouteAsker`)."""

    def __init__(self, secretary: Secretary, people: People, yes: bool) -> None:
        self._secretary = secretary
        self._people = people
        self._yes = yes
        self._ranking = FinalRanking()

    @property
    def secretary(self) -> Secretary:
        """The service."""
        return self._secretary

    async def ask_questions(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Ask; without an answer the request is taken as it is, and that is said."""
        answers = () if self._yes else await self._people.ask_questions(questions)
        if not answers:
            asked = " ".join(question.question for question in questions)
            note(f"Not clear: {asked} Continuing anyway.")
        return answers

    def present(self, recommendation: Recommendation, *, refining: bool) -> None:
        """Take the ranking."""
        self._ranking.present(recommendation, refining=refining)

    def refine(self, recommendation: Recommendation) -> None:
        """Take the model's ranking."""
        self._ranking.refine(recommendation)

    async def confirm_route(self, recommendation: Recommendation) -> RouteChoice:
        """Ask about the last ranking, or accept what it recommends."""
        found = await self._ranking.wait(recommendation)
        return self._unseen(found) if self._yes else await self._people.confirm_route(found)

    def paid(self, tokens: int, cost_usd: float | None) -> None:
        """Pass over what routing cost: the verb `stats` has it."""

    def _unseen(self, found: Recommendation) -> RouteChoice:
        """What `--yes` accepts: a workflow that was named, else the recommended agent."""
        if found.notice:
            note(found.notice)
        workflow = found.workflow
        if workflow is not None and workflow.runnable and workflow.named:
            return RouteChoice(RouteAction.WORKFLOW, workflow.reference, found.task)
        if found.recommended is None:
            note(_not_recommended(found, self._secretary))
            return RouteChoice(RouteAction.CANCEL)
        if entry := self._secretary.index.get(found.recommended):
            tell_too_much(self._secretary, entry.spec, found.task)
        return RouteChoice(RouteAction.ACCEPT, found.recommended, found.task)


def _not_recommended(found: Recommendation, secretary: Secretary) -> str:
    if not found.matches:
        return explain_no_match(found, secretary)
    names = ", ".join(_with_its_number(match) for match in found.matches)
    return f"No agent fits well enough for --yes. Closest: {names}. Use --agent ID."


def _with_its_number(match: AgentMatch) -> str:
    """A generalist has none: how well it fits the topic says nothing."""
    note = "a generalist" if match.fallback else f"{match.confidence} %"
    return f"{match.agent} ({note})"
