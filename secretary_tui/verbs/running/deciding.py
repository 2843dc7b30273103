"""From a request to a delegation at the command line: the coordinator's steps as questions."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from secretary_tui.coordinator.dispatch_values import Asking, Confirming, Replied, Step
from secretary_tui.people import Answer, People, Recommendation, RouteAction, RouteChoice
from secretary_tui.routing.recommend.named import named_route
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.output import note, say
from secretary_tui.verbs.running.no_match import explain_no_match
from secretary_tui.verbs.running.running import permission_mode

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
    coordinator = secretary.coordinator
    answers: tuple[Answer, ...] = ()
    try:
        named = named_route(secretary.index, request, secretary.project)
        step: Step = await coordinator.begin(request, named)
        while True:
            match step:
                case Replied(text=text):
                    say(text)
                    return ExitCode.DONE
                case Asking(questions=questions):
                    answers = () if args.yes else await people.ask_questions(questions)
                    if not answers:
                        asked = " ".join(question.question for question in questions)
                        note(f"Not clear: {asked} Going on with a best effort.")
                    step = await coordinator.answer(answers)
                case Confirming(refining=True):
                    step = await coordinator.refine()
                case _:
                    return await _confirm(step.recommendation, answers, args, secretary, people)
    finally:
        coordinator.abandon()  # The next start of the screen has nothing to do with it.


async def _confirm(
    found: Recommendation,
    answers: tuple[Answer, ...],
    args: argparse.Namespace,
    secretary: Secretary,
    people: People,
) -> Chosen | ExitCode:
    if found.notice:
        note(found.notice)
    choice = await (_unseen(found) if args.yes else _asked(found, secretary, people))
    await secretary.coordinator.choose(choice)
    if choice.agent is None:
        note(_not_recommended(found, secretary) if args.yes else "Cancelled. Nothing was run.")
        return ExitCode.NO_MATCH if args.yes else ExitCode.CANCELLED
    confidences = {match.agent: match.confidence for match in found.ranking}
    if found.workflow is not None:
        confidences[found.workflow.reference] = found.workflow.confidence
    delegation = secretary.delegation(
        choice.agent,
        found.request,
        choice.task,
        context=[f"{answer.question} {answer.text}" for answer in answers if not answer.skipped],
        confidence=confidences.get(choice.agent),
        permission_mode=permission_mode(args.permission_mode),
        model=args.model,
    )
    return Chosen(delegation, choice)


async def _unseen(found: Recommendation) -> RouteChoice:
    """What `--yes` accepts: a workflow that was named, else the recommended agent."""
    workflow = found.workflow
    if workflow is not None and workflow.runnable and workflow.named:
        return RouteChoice(RouteAction.WORKFLOW, workflow.reference, found.intent)
    if found.recommended is None:
        return RouteChoice(RouteAction.CANCEL)
    return RouteChoice(RouteAction.ACCEPT, found.recommended, found.intent)


async def _asked(found: Recommendation, secretary: Secretary, people: People) -> RouteChoice:
    runnable = found.workflow is not None and found.workflow.runnable
    if not found.matches and not runnable:
        note(explain_no_match(secretary))
    return await people.confirm_route(found)


def _not_recommended(found: Recommendation, secretary: Secretary) -> str:
    if not found.matches:
        return explain_no_match(secretary)
    names = ", ".join(f"{match.agent} ({match.confidence} %)" for match in found.matches)
    return f"No agent fits well enough to accept it unseen. Nearest: {names}. Use --agent ID."
