"""`sessions list` and `sessions search`: the stored runs that a filter line means."""

from __future__ import annotations

import argparse
import dataclasses

from secretary_tui.lines.output import file_size, money, note, say_json, say_table
from secretary_tui.sessions.query import RunQuery, parse_query
from secretary_tui.sessions.run_search import RunHit, search
from secretary_tui.sessions.statistics.spend_file import with_whole_costs
from secretary_tui.sessions.store import RunOutcome, RunSummary, list_runs
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError

_OPERATORS = ("<", ">", "=")


def list_sessions(args: argparse.Namespace, options: Options) -> int:
    """Print the runs that fit, with where the words stand when some are searched for.

    Raises:
        QueryError: a term doesn't fit.
        UsageError: `search` was given no words.
    """
    query = _query(args)
    searching = args.sessions_verb == "search"
    if searching and not query.words:
        raise UsageError(
            "sessions search needs words, such as `sessions search migration agent:schema-smith`"
        )
    project = None if query.everywhere else options.project
    hits = [hit for hit in search(with_whole_costs(list_runs(project)), query) if hit]
    if args.json:
        say_json({"sessions": [_as_json(hit, excerpt=searching) for hit in hits]}, indent=2)
    elif not hits:
        note(_nothing(query, asked=bool(_line(args))))
    elif searching:
        _show_places(hits)
    else:
        _show_table([hit.run for hit in hits])
    return ExitCode.DONE


def _query(args: argparse.Namespace) -> RunQuery:
    query = parse_query(_line(args))
    return dataclasses.replace(query, project="all") if args.all and not query.project else query


def _line(args: argparse.Namespace) -> str:
    """The words and options as one filter line."""
    terms = list(getattr(args, "query", ()))
    for key in ("agent", "outcome", "since", "until", "model"):
        value = getattr(args, key, None)
        if value is not None:
            terms.append(f'{key}:"{value}"')
    cost = getattr(args, "cost", None)
    if cost is not None:
        terms.append(f"cost{cost}" if cost.startswith(_OPERATORS) else f"cost:{cost}")
    return " ".join(terms)


def _nothing(query: RunQuery, *, asked: bool) -> str:
    if asked:
        where = "" if query.everywhere else " --all looks in every project."
        return f"No matching run.{where}"
    if query.everywhere:
        return "No runs are stored yet."
    return "No runs are stored for this project yet. `sessions list --all` shows the others."


def _is_untold(run: RunSummary) -> bool:
    """Whether its log ends, so far, without the sums that a run's end tells."""
    return run.outcome in (RunOutcome.CUT_OFF, RunOutcome.RUNNING)


def _show_table(runs: list[RunSummary]) -> None:
    say_table(
        ("id", "outcome", "agent", "model", "turns", "tokens", "cost", "size", "request"),
        [
            (
                run.id,
                run.outcome,
                run.agent or "?",
                run.model,
                *(("?", "?") if _is_untold(run) else (str(run.turns), str(run.tokens))),
                money(run.cost_usd),
                file_size(run.size),
                run.request,
            )
            for run in runs
        ],
    )


def _show_places(hits: list[RunHit]) -> None:
    say_table(
        ("id", "outcome", "agent", "place"),
        [
            (
                hit.run.id,
                hit.run.outcome,
                hit.run.agent or "?",
                str(hit.excerpt) if hit.excerpt else f"request: {hit.run.request}",
            )
            for hit in hits
        ],
    )


def _as_json(hit: RunHit, *, excerpt: bool) -> dict[str, object]:
    run = hit.run
    found = {**dataclasses.asdict(run), "path": str(run.path), "outcome": str(run.outcome)}
    if excerpt:
        found["excerpt"] = dataclasses.asdict(hit.excerpt) if hit.excerpt else None
    return found
