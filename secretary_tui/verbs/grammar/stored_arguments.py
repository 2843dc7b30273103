"""What the verbs take that look at what is stored: `sessions`, `stats` and `log`."""

from __future__ import annotations

import argparse

from secretary_tui.verbs.grammar.completing import complete_with
from secretary_tui.verbs.grammar.shared_arguments import (
    Verb,
    add_verb,
    count,
    engine_option,
    json_after,
    json_option,
    output_options,
)


def sessions_arguments(verb: Verb) -> None:
    """What `sessions` takes."""
    json_option(verb)
    verb.add_argument("--all", action="store_true", help="include every project")
    verbs = verb.add_subparsers(dest="sessions_verb", metavar="VERB", title="verbs")
    runs = add_verb(verbs, "list", "list the stored runs of this project (the default)")
    found = add_verb(verbs, "search", "search the text of stored runs")
    for one in (runs, found):
        _run_filter(one)
        json_after(one)
    show = add_verb(verbs, "show", "show a stored run")
    show.add_argument("id", metavar="ID", help="run id, or a prefix of it")
    show.add_argument(
        "--follow", action="store_true", help="keep printing events until the run ends"
    )
    json_after(show)
    resume = add_verb(verbs, "resume", "continue a stored run with the same agent")
    resume.add_argument("id", metavar="ID", help="run id, or a prefix of it")
    resume.add_argument("follow_up", metavar="FOLLOW-UP", help="`-` reads standard input")
    engine_option(resume)
    output_options(resume)
    fork = add_verb(verbs, "fork", "start a new run from the conversation of a stored one")
    fork.add_argument("id", metavar="ID", help="run id, or a prefix of it")
    fork.add_argument(
        "--turn",
        type=count,
        metavar="N",
        help="keep it up to the answer to your Nth message (default: all of it)",
    )
    document = add_verb(verbs, "export", "export a stored run as a document")
    document.add_argument("id", metavar="ID", help="run id, or a prefix of it")
    document.add_argument(
        "--format", choices=("markdown", "html", "json"), default="markdown", help="document format"
    )
    document.add_argument("-o", "--output", metavar="FILE", help="write to this file instead")
    document.add_argument("--force", action="store_true", help="overwrite the file")
    delete = add_verb(verbs, "delete", "move runs to the trash; asks first")
    delete.add_argument("ids", nargs="+", metavar="ID", help="run ids, or prefixes of them")
    delete.add_argument("--yes", action="store_true", help="don't ask")
    back = add_verb(verbs, "restore", "restore a deleted run; without an ID, list them")
    back.add_argument("id", nargs="?", metavar="ID", help="run id, or a prefix of it")
    json_after(back)
    undo = add_verb(verbs, "undo", "show what a run changed, and undo it")
    undo.add_argument("id", metavar="ID", help="run id, or a prefix of it")
    undo.add_argument("--file", metavar="FILE", help="only this file, as listed")
    undo.add_argument("--diff", action="store_true", help="only print what the run changed")
    undo.add_argument("--redo", action="store_true", help="redo what was undone")
    undo.add_argument(
        "--beside",
        action="store_true",
        help="write the originals of files that changed since next to them",
    )
    undo.add_argument("--yes", action="store_true", help="don't ask")


def _run_filter(verb: Verb) -> None:
    verb.add_argument(
        "query",
        nargs="*",
        metavar="TERM",
        help="words and filters: agent:x outcome:failed 'cost>0.1' since:7d",
    )
    verb.add_argument(
        "--all", action="store_true", default=argparse.SUPPRESS, help="include every project"
    )
    verb.add_argument("--agent", metavar="ID", help="part of the agent's id")
    verb.add_argument(
        "--outcome",
        metavar="NAME",
        help="done, partial, stopped, failed, cut-off, running, capped or denied; several: a,b",
    )
    verb.add_argument("--cost", metavar="USD", help="at least this much; '<0.1' for less than")
    verb.add_argument("--since", metavar="DAY", help="7d, today or 2026-11-01")
    verb.add_argument("--until", metavar="DAY", help="the same; that day included")
    verb.add_argument("--model", metavar="NAME", help="part of the model's name")


def _all_projects(verb: Verb) -> None:
    verb.add_argument("--all-projects", action="store_true", help="include every project")


def stats_arguments(verb: Verb) -> None:
    """What `stats` takes."""
    json_option(verb)
    complete_with(verb.add_argument("--agent", metavar="ID", help="only this agent"), "agents")
    verb.add_argument("--days", type=count, metavar="N", help="only the last N days")
    _all_projects(verb)


def log_arguments(verb: Verb) -> None:
    """What `log` takes."""
    json_option(verb)
    _all_projects(verb)
    verb.add_argument(
        "-n", "--number", type=count, default=20, metavar="N", help="the newest N (default: 20)"
    )
    verb.add_argument(
        "--conversation", metavar="ID", help="only this conversation, by its id or a prefix of it"
    )
    verb.add_argument(
        "--follow", action="store_true", help="keep printing decisions as they come, until Ctrl+C"
    )
    verbs = verb.add_subparsers(dest="log_verb", metavar="VERB", title="verbs")
    forget = add_verb(verbs, "forget", "forget decisions and what was learnt from them; asks first")
    forget.add_argument("ids", nargs="*", metavar="ID", help="decision ids, or prefixes of them")
    agent = forget.add_argument(
        "--agent", metavar="ID", help="all that chose or recommended this agent"
    )
    complete_with(agent, "agents")
    forget.add_argument("--all", action="store_true", help="all of this project")
    forget.add_argument(
        "--all-projects",
        action="store_true",
        default=argparse.SUPPRESS,  # Given before `forget`, it must not be unset.
        help="include every project",
    )
    forget.add_argument("--yes", action="store_true", help="don't ask")
