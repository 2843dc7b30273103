"""`match REQUEST`: which agents fit, for people and for programs."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from secretary_tui import config
from secretary_tui.coordinator.continuation import Cue, cues_of, probability
from secretary_tui.coordinator.conversation import Conversation, ConversationLog
from secretary_tui.coordinator.nodes import first_look
from secretary_tui.lines.description_reading import learn_sentences
from secretary_tui.lines.output import line_width, note, say, say_json
from secretary_tui.people import AgentMatch, Intent, Recommendation, WorkflowMatch
from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.routing.recommend.named import CHOSEN, named_route
from secretary_tui.secretary import Secretary
from secretary_tui.sessions.errors import SessionError
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.library_notes import explain_no_match
from secretary_tui.verbs.options import Options, UsageError
from secretary_tui.verbs.request import read_batch, read_request

if TYPE_CHECKING:
    from secretary_tui.routing.match.explanation import RouteExplanation

LAST = "last"
"""What stands for the newest run of the project."""


def run(args: argparse.Namespace, options: Options) -> int:
    """Rank the agents for one request, or for each line of a file.

    Raises:
        UsageError: neither or both were given, or the request is empty.
    """
    if (args.request is None) == (args.batch is None):
        raise UsageError("match takes a REQUEST (`-` for standard input), or --batch FILE")
    requests: Iterable[str]
    requests = [read_request(args.request)] if args.batch is None else list(read_batch(args.batch))
    before = _conversation(args.after, options)
    secretary = options.secretary(config.load(options.project))
    secretary.load()
    learn_sentences(secretary.library)
    if options.offline:  # Neither an event loop nor an engine: this is the fast way.
        looked = ((request, _look(secretary, request, args, before)) for request in requests)
        return _print_all(looked, args, secretary, before)
    return asyncio.run(_match_online(requests, args, secretary, before))


def _conversation(after: str | None, options: Options) -> Conversation:
    """What the run was about that the requests come after; `last` is the project's last one.

    Raises:
        UsageError: there is no such run, or it can't be read.
    """
    if after is None:
        return Conversation()
    from secretary_tui.sessions.store import iter_runs, load_run

    try:
        if after == LAST:
            last = next(iter_runs(options.project), None)
            if last is None:
                raise UsageError("--after last: no run of this project is stored yet")
            after = last.id
        return ConversationLog(load_run(after).events).value
    except SessionError as error:
        raise UsageError(f"--after: {error}") from None


async def _match_online(
    requests: Iterable[str], args: argparse.Namespace, secretary: Secretary, before: Conversation
) -> int:
    status: int = ExitCode.DONE
    try:
        for request in requests:
            best = await asyncio.to_thread(_look, secretary, request, args, before)
            if best.ranking and best.notice != CHOSEN:
                best = await secretary.routing.refine(best)
            status = _print_all([(request, best)], args, secretary, before)
    finally:
        await secretary.aclose()
    return status


def _look(
    secretary: Secretary, request: str, args: argparse.Namespace, before: Conversation
) -> Recommendation:
    """The agent that the request names, else the ranking of this machine.

    Raises:
        AgentNotFoundError: no agent has that name; in a batch the answer says so instead.
    """
    try:
        named = named_route(secretary.index, request, secretary.project)
    except AgentNotFoundError as error:
        if args.batch is None:
            raise
        return Recommendation(request, request, (), None, (), notice=str(error))
    return named or first_look(secretary.routing, request, before)


def _print_all(
    routed: Iterable[tuple[str, Recommendation]],
    args: argparse.Namespace,
    secretary: Secretary,
    before: Conversation,
) -> int:
    for request, recommendation in routed:
        shown = _shown(recommendation, args.top, secretary)
        explained = _explained(recommendation, secretary) if args.explain else None
        signals = _signals(request, before, secretary) if args.explain else ()
        if args.batch is not None or args.json:
            said = as_json(recommendation, shown)
            if args.explain:
                said["explanation"] = asdict(explained) if explained else None
                said["signals"] = [{"name": cue.name, "score": cue.score} for cue in signals]
            say_json(said, indent=2 if args.batch is None else None)
        else:
            _print(recommendation, shown)
            _print_explanation(explained)
            _print_signals(signals)
        if args.batch is not None:
            continue
        workflow = recommendation.workflow
        if recommendation.intent == Intent.CHAT and not shown:
            continue
        offers = shown or recommendation.continuation or (workflow and workflow.runnable)
        if not offers:
            # What the model says of it was printed with the result.
            note(explain_no_match(replace(recommendation, reasoning=""), secretary))
            return ExitCode.NO_MATCH
    return ExitCode.DONE


def as_json(recommendation: Recommendation, matches: Sequence[AgentMatch]) -> dict[str, object]:
    """Give the stable shape of `match --json`."""
    workflow, going_on = recommendation.workflow, recommendation.continuation
    return {
        "request": recommendation.request,
        "intent": recommendation.task,
        "matches": [
            {
                "agent": match.agent,
                "path": match.path,
                "copies": list(match.copies),
                "confidence": match.confidence,
                "reason": match.reason,
                "fallback": match.fallback,
            }
            for match in matches
        ],
        "continue": {
            "run": going_on.run,
            "agent": going_on.agent,
            "confidence": going_on.confidence,
            "reason": going_on.reason,
        }
        if going_on
        else None,
        "recommendation": recommendation.recommended,
        "workflow_match": workflow.id if workflow else None,
        "workflow": {
            "id": workflow.id,
            "path": workflow.path,
            "confidence": workflow.confidence,
            "reason": workflow.reason,
            "runnable": workflow.runnable,
        }
        if workflow
        else None,
        "close_call": recommendation.close,
        "questions": [
            {
                "question": question.question,
                "header": question.header,
                "options": [
                    {"label": option.label, "description": option.description}
                    for option in question.options
                ],
                "multiSelect": question.multi_select,
                "about": question.about,
            }
            for question in recommendation.questions
        ],
        "engine": recommendation.engine,
        "notice": recommendation.notice,
        "kind": str(recommendation.intent),
        "kind_confidence": recommendation.intent_confidence,
        "reasoning": recommendation.reasoning,
        "tokens": recommendation.tokens,
        "cost_usd": recommendation.cost_usd,
        "elapsed_ms": round(recommendation.elapsed_ms, 1),
    }


def _shown(
    recommendation: Recommendation, top: int | None, secretary: Secretary
) -> Sequence[AgentMatch]:
    """What the panel shows; with `--top` the ranking, continued locally where it is too short."""
    if top is None:
        return recommendation.matches
    ranking = recommendation.ranking[:top]
    if len(ranking) == top or not ranking:
        return ranking
    seen = {match.path for match in ranking}
    more = [
        match
        for match in secretary.library.matcher.rank(
            recommendation.request, limit=top + len(ranking)
        )
        if match.path not in seen
    ]
    last = ranking[-1].confidence
    capped = (replace(match, confidence=min(match.confidence, last)) for match in more)
    return (*ranking, *capped)[:top]


def describe_workflow(workflow: WorkflowMatch) -> str:
    """Say which command or skill fits, and that a bare name can't be run."""
    if not workflow.runnable:
        return f"{workflow.id} (only a name: the library has no command or skill for it)"
    return f"{workflow.reference}  {workflow.confidence} %  {workflow.reason}"


def _explained(recommendation: Recommendation, secretary: Secretary) -> RouteExplanation | None:
    from secretary_tui.routing.match.explanation import explain_route

    return explain_route(recommendation, secretary.library.matcher, secretary.config)


def _print_explanation(explained: RouteExplanation | None) -> None:
    if explained is None:
        return
    from secretary_tui.routing.match.explanation_text import explanation_lines

    say()
    for line in explanation_lines(explained, line_width()):
        say(line)


def _signals(request: str, before: Conversation, secretary: Secretary) -> Sequence[Cue]:
    """What speaks for and against going on, the strongest first; nothing without a run."""
    if not before.run:
        return ()
    typed = secretary.routing.route_local(request).ranking
    cues = cues_of(request, before, typed, time.time())
    return sorted(cues, key=lambda cue: -abs(cue.score))


def _print_signals(signals: Sequence[Cue]) -> None:
    if not signals:
        return
    say()
    say(f"Going on: {round(100 * probability(signals))} %, by its signals (in logits):")
    for cue in signals:
        say(f"  {cue.score:+.2f}  {cue.name}" + (f": {cue.words}" if cue.words else ""))


def _print(recommendation: Recommendation, matches: Sequence[AgentMatch]) -> None:
    workflow, going_on = recommendation.workflow, recommendation.continuation
    named = recommendation.notice == CHOSEN or (workflow is not None and workflow.named)
    if not named and recommendation.task.strip() != recommendation.request.strip():
        say(f"Understood: {recommendation.task}")
    if going_on is not None:
        say(f"{going_on.confidence:3d} %  go on with {going_on.agent}  ({going_on.run})")
        say(f"       {going_on.reason}")
    for match in matches:
        mark = "  recommended" if match.agent == recommendation.recommended else ""
        if match.fallback:
            others = any(not other.fallback for other in matches)
            say("Or a generalist:" if others else "No specialist fits; a generalist can:")
        sure = "     " if match.fallback else f"{match.confidence:3d} %"
        say(f"{sure}  {match.agent}{mark}")
        say(f"       {match.reason}")
    if recommendation.close:
        say(recommendation.close)
    if recommendation.workflow is not None:
        say(f"Command: {describe_workflow(recommendation.workflow)}")
    if not matches and recommendation.engine != "local" and recommendation.reasoning:
        say(f"None fits: {recommendation.reasoning}")
    for question in recommendation.questions:
        options = ", ".join(option.label for option in question.options)
        say(f"Unclear: {question.question} ({options})")
    if recommendation.notice:
        (say if recommendation.intent == Intent.CHAT else note)(recommendation.notice)
