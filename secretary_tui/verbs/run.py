"""`run REQUEST`: route, let the person choose, run the agent and show what it does."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from secretary_tui import config
from secretary_tui.delegation.trust import untrusted
from secretary_tui.people import Answer, People, Recommendation, RouteAction
from secretary_tui.secretary import Secretary
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.no_match import explain_no_match
from secretary_tui.verbs.options import Options
from secretary_tui.verbs.output import note
from secretary_tui.verbs.people import people_for
from secretary_tui.verbs.request import read_request
from secretary_tui.verbs.running import carry_out, permission_mode, require_engine
from secretary_tui.verbs.terminal import somebody_is_there

if TYPE_CHECKING:
    from secretary_tui.delegation.values import Delegation

_NOBODY_TO_ASK = (
    "Nothing was run: there is no terminal to ask who shall do it. Give --yes to accept the "
    "recommended agent, or --agent ID to name one."
)


def run(args: argparse.Namespace, options: Options) -> int:
    """Route the request, ask, delegate.

    Raises:
        UsageError: the request is empty.
        NoEngineError: there is no model to run an agent.
    """
    request = read_request(args.request)
    if args.agent is None and not args.yes and not somebody_is_there():
        note(_NOBODY_TO_ASK)
        return ExitCode.CANCELLED
    secretary = Secretary(
        options.project,
        config.load(options.project),
        agents_dirs=options.agents_dirs,
        agents=options.agents,
        offline=options.offline,
    )
    secretary.trusts_this_session = args.trust
    if not somebody_is_there() and not secretary.is_trusted:
        # Before a model is asked about anything.
        note(str(untrusted(options.project)))
        return ExitCode.UNTRUSTED
    secretary.load()
    return asyncio.run(_run(request, args, secretary))


async def _run(request: str, args: argparse.Namespace, secretary: Secretary) -> int:
    try:
        require_engine(secretary)
        people = people_for(secretary, args.permission_mode)
        if args.agent is not None:
            delegation = secretary.delegation(
                args.agent,
                request,
                request,
                permission_mode=permission_mode(args.permission_mode),
                model=args.model,
            )
        else:
            decided = await _decide(request, args, secretary, people)
            if isinstance(decided, ExitCode):
                return decided
            delegation = decided
        return await carry_out(
            secretary, delegation, people, args.output_format, max_cost=args.max_cost
        )
    finally:
        await secretary.aclose()


async def _decide(
    request: str, args: argparse.Namespace, secretary: Secretary, people: People
) -> Delegation | ExitCode:
    """Find the agent with the person, or without one by `--yes`."""
    answers: tuple[Answer, ...] = ()
    found = await _route(secretary, request, answers)
    if found.questions:
        answers = () if args.yes else await people.ask_questions(found.questions)
        if answers:
            found = await _route(secretary, request, answers)
        else:
            open_questions = " ".join(question.question for question in found.questions)
            note(f"Not clear: {open_questions} Going on with a best effort.")
    if found.notice:
        note(found.notice)
    workflow = found.workflow if found.workflow and found.workflow.runnable else None
    if args.yes and workflow is not None and workflow.named:
        agent, task = workflow.reference, found.intent
    elif args.yes:
        if found.recommended is None:
            note(_not_recommended(found, secretary))
            return ExitCode.NO_MATCH
        agent, task = found.recommended, found.intent
    else:
        if not found.matches and workflow is None:
            note(explain_no_match(secretary))
        choice = await people.confirm_route(found)
        if choice.action is RouteAction.CANCEL or choice.agent is None:
            note("Cancelled. Nothing was run.")
            return ExitCode.CANCELLED
        agent, task = choice.agent, choice.task
    confidences = {match.agent: match.confidence for match in found.ranking}
    if workflow is not None:
        confidences[workflow.reference] = workflow.confidence
    return secretary.delegation(
        agent,
        request,
        task,
        context=[f"{answer.question} {answer.text}" for answer in answers if not answer.skipped],
        confidence=confidences.get(agent),
        permission_mode=permission_mode(args.permission_mode),
        model=args.model,
    )


async def _route(secretary: Secretary, request: str, answers: tuple[Answer, ...]) -> Recommendation:
    async for recommendation in secretary.route(request, answers):
        found = recommendation
    return found


def _not_recommended(found: Recommendation, secretary: Secretary) -> str:
    if not found.matches:
        return explain_no_match(secretary)
    names = ", ".join(f"{match.agent} ({match.confidence} %)" for match in found.matches)
    return f"No agent fits well enough to accept it unseen. Nearest: {names}. Use --agent ID."
