"""`log` and `log forget`: every routing decision, and taking back what was learnt from them."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from secretary_tui.codec import to_json
from secretary_tui.lines.output import amount, note, say, say_json, shorten
from secretary_tui.lines.terminal_lines import is_confirmed, somebody_is_there
from secretary_tui.number_format import duration
from secretary_tui.sessions.decisions import Decision
from secretary_tui.sessions.past import Past, about, became, forget, logs_of, read_decisions
from secretary_tui.sessions.statistics.report import moment
from secretary_tui.spend import Spend, cost_json, said_cost
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError

FOLLOW_S = 0.5
"""How often `--follow` looks for news, in seconds."""


def run(args: argparse.Namespace, options: Options) -> int:
    """Show decisions, follow them, or forget some.

    Raises:
        UsageError: it isn't clear what shall be forgotten.
    """
    project = None if args.all_projects else options.project
    if args.log_verb == "forget":
        return _forget(args, read_decisions(project), project)
    if args.follow:
        _follow(args, project)
    past = read_decisions(project)
    shown = _wanted(past, args.conversation)[-args.number :]
    spent = spent_so_far(past.decisions)
    if args.json:
        say_json({"decisions": [as_json(d, spent[d.id]) for d in shown]}, indent=2)
        return ExitCode.DONE
    if not shown:
        note(_nothing(past, args.conversation, project))
    for decision in shown:
        _say_decision(decision, spent[decision.id])
    return ExitCode.DONE


def spent_so_far(decisions: Iterable[Decision]) -> Mapping[str, Spend]:
    """What routing had cost a decision's conversation by then, by the decision's id."""
    together: dict[str, Spend] = {}
    found: dict[str, Spend] = {}
    for decision in decisions:
        before = together.get(decision.conversation, Spend())
        together[decision.conversation] = before + Spend.of(decision.cost_usd)
        found[decision.id] = together[decision.conversation]
    return found


def as_json(decision: Decision, spent: Spend) -> dict[str, object]:
    """A decision as JSON types, with what its conversation had cost by then."""
    return {**to_json(decision), "conversation_cost": cost_json(spent)}


def _wanted(past: Past, conversation: str | None) -> tuple[Decision, ...]:
    if conversation is None:
        return past.decisions
    return tuple(d for d in past.decisions if d.conversation.startswith(conversation))


def _nothing(past: Past, conversation: str | None, project: Path | None) -> str:
    if conversation is not None and past.decisions:
        return f"No conversation begins with {conversation}. `log` shows them all."
    here = "" if project is None else " in this project"
    said = (
        f"No decisions yet{here}: requests of the screen and of `run` are logged here, "
        "those of `match` are not."
    )
    if project is not None and _elsewhere(project):
        said += (
            " Decisions in other projects count here too: `log --all-projects` shows them, "
            "`log forget --all --all-projects` forgets them."
        )
    return said


def _elsewhere(project: Path) -> bool:
    """Whether another project has decisions."""
    (here,) = logs_of(project)
    return any(log.path != here.path and log.load() for log in logs_of(None))


def _say_decision(decision: Decision, spent: Spend) -> None:
    facts = [
        moment(decision.at),
        decision.id,
        f"{decision.intent} {decision.intent_confidence:.2f}",
        decision.engine,
        duration(decision.latency_ms),
    ]
    if decision.tokens:
        facts.append(amount(decision.tokens, "token"))
    facts.append(said_cost(Spend.of(decision.cost_usd)))
    say("  ".join(facts))
    say(f"    {shorten(' '.join(decision.request.split()), 400)}")
    if decision.reasoning:
        say(f"    why: {' '.join(decision.reasoning.split())}")
    shown = ", ".join(f"{s.agent} {s.confidence}" for s in decision.shown) or "none"
    say(f"    shown: {shown}; {became(decision)}")
    run_id = f"; run {decision.run_id}" if decision.run_id else ""
    say(f"    conversation {decision.conversation}, {said_cost(spent)} so far{run_id}")


def _follow(args: argparse.Namespace, project: Path | None) -> NoReturn:
    """Say the newest, then each decision as it comes, and again when it is answered.

    Goes on until Ctrl-C, or until nobody reads any more.
    """
    known: dict[str, Decision] | None = None
    before: object = None
    while True:
        now = _state(project)
        if now != before:
            before = now
            past = read_decisions(project)
            spent = spent_so_far(past.decisions)
            wanted = _wanted(past, args.conversation)
            news = [d for d in wanted if known is None or known.get(d.id) != d]
            for decision in news if known is not None else news[-args.number :]:
                if args.json:
                    say_json(as_json(decision, spent[decision.id]))
                else:
                    _say_decision(decision, spent[decision.id])
            sys.stdout.flush()
            known = {decision.id: decision for decision in wanted}
        time.sleep(FOLLOW_S)


def _state(project: Path | None) -> object:
    """What changes whenever a log does."""
    found = []
    for log in logs_of(project):
        with contextlib.suppress(OSError):  # Nothing was decided yet.
            stat = log.path.stat()
            found.append((log.path, stat.st_ino, stat.st_size, stat.st_mtime_ns))
    return found


# ------------------------------------------------------------------- forgetting


def _forget(args: argparse.Namespace, past: Past, project: Path | None) -> int:
    chosen = _chosen(args, past)
    if not chosen:
        more = " here; --all-projects includes other projects"
        note(f"Nothing to forget{more if project and _elsewhere(project) else ''}.")
        return ExitCode.DONE
    count = amount(len(chosen), "decision")
    if not args.yes:
        for decision in chosen[-5:]:
            request = shorten(" ".join(decision.request.split()), 60)
            note(f"{moment(decision.at)}  {request}  ({became(decision)})")
        if len(chosen) > 5:
            note(f"… and {len(chosen) - 5:,} earlier")
        if not somebody_is_there():
            note("Nothing was forgotten: there is no terminal to ask. Use --yes.")
            return ExitCode.CANCELLED
        if not is_confirmed(f"Forget {count}, and what was learnt from it? [y/N] "):
            note("Nothing was forgotten.")
            return ExitCode.CANCELLED
    try:
        forget(past, [decision.id for decision in chosen])
    except OSError as error:
        note(f"The log can't be written: {error.strerror}. Nothing more was forgotten.")
        return ExitCode.FAILED
    note(f"{count} forgotten.")
    return ExitCode.DONE


def _chosen(args: argparse.Namespace, past: Past) -> tuple[Decision, ...]:
    ways = (bool(args.ids), args.agent is not None, args.all)
    if sum(ways) != 1:
        raise UsageError("name what to forget: decision IDs, or --agent ID, or --all")
    if args.all:
        return past.decisions
    if args.agent is not None:
        return about(past.decisions, args.agent)
    return tuple(_by_id(past.decisions, wanted) for wanted in dict.fromkeys(args.ids))


def _by_id(decisions: Sequence[Decision], wanted: str) -> Decision:
    found = [d for d in decisions if wanted and d.id.startswith(wanted)]
    exact = [d for d in found if d.id == wanted]
    if not found:
        raise UsageError(f"no decision begins with {wanted!r}; `secretary-tui log` shows their ids")
    if len(found) > 1 and not exact:
        raise UsageError(f"{len(found)} decisions begin with {wanted!r}; type more of the id")
    return (exact or found)[0]
