"""The grammar of the command line: every verb, its options and their help, and no behaviour.

`--help`, `help`, the completion scripts and the parser itself are all made from this. Imported by
`--help` and `--version`, so it must stay light.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection

from secretary_tui import __version__
from secretary_tui.verbs.completing import complete_with
from secretary_tui.verbs.examples import VerbHelp, epilog
from secretary_tui.verbs.exit_codes import EXIT_CODES_HELP

DESCRIPTION = """A keyboard-driven terminal secretary for a library of agents: see them all,
find the right one for a request, run it with exactly its tools. Without a verb
the screen opens."""
EPILOG = f"""examples:
  secretary-tui                              open the screen here
  secretary-tui match "review the login"     which agents fit
  secretary-tui run "review the login"       choose one and watch it work
  secretary-tui help run                     more about a verb

{EXIT_CODES_HELP}
"""
PERMISSION_MODES = ("ask", "accept-edits", "plan", "deny")
Verb = argparse.ArgumentParser


def build_parser(names: Collection[str] | None = None) -> argparse.ArgumentParser:
    """Make the parser of the whole command line, or of these verbs alone."""
    parser = argparse.ArgumentParser(
        prog="secretary-tui",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"secretary-tui {__version__}")
    parser.add_argument(
        "--plain",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="lines of text in place of the screen, for screen readers and dumb terminals",
    )
    _add_global_options(parser, "agents_dir")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for name, (summary, add_arguments) in VERBS.items():
        if names is not None and name not in names:
            continue
        verb = _add_verb(verbs, name, summary)
        if add_arguments is not None:
            add_arguments(verb)
    return parser


def _add_verb(
    verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str
) -> Verb:
    verb = verbs.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        formatter_class=VerbHelp,
        allow_abbrev=False,
    )
    verb.epilog = epilog(verb.prog.partition(" ")[2])
    # A name of its own: a verb's list would replace the one from before the verb.
    _add_global_options(verb, "agents_dir_after")
    return verb


def explain_options() -> str:
    """What `help options` says: the options of every verb, the exit status, and where JSON is."""
    parser = argparse.ArgumentParser(
        prog="secretary-tui",
        usage="secretary-tui [OPTIONS] VERB …, or secretary-tui VERB … [OPTIONS]",
        epilog=f"{EXIT_CODES_HELP}\n\nThe shapes of --json: docs/command-line.md",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    _add_global_options(parser, "agents_dir")
    return parser.format_help()


def _add_global_options(parser: argparse.ArgumentParser, agents_dir: str) -> None:
    group = parser.add_argument_group("options for every verb")
    group.add_argument(
        "--project",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help="the project folder (default: the working directory)",
    )
    group.add_argument(
        "--agents-dir",
        metavar="DIR",
        dest=agents_dir,
        action="append",
        default=argparse.SUPPRESS,
        help="a folder of agents to add, searched recursively; repeatable",
    )
    group.add_argument(
        "--agents",
        metavar="JSON|FILE",
        dest="agents_json",
        default=argparse.SUPPRESS,
        help='agents as JSON, \'{"name": {"description": …, "prompt": …}}\', or a file of that',
    )
    group.add_argument(
        "--offline",
        action="store_true",
        default=argparse.SUPPRESS,
        help="rank on this machine alone, without a model",
    )


def _json_option(verb: Verb) -> None:
    verb.add_argument("--json", action="store_true", help="print JSON")


def _json_after(verb: Verb) -> None:
    """`--json` after a sub-verb: suppressed, else it would undo a --json before it."""
    verb.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def _help(verb: Verb) -> None:
    about = verb.add_argument(
        "about", nargs="*", metavar="VERB", help="the verb to explain, or `options`"
    )
    complete_with(about, "verbs")


def _mode(verb: Verb) -> None:
    verb.add_argument(
        "mode",
        nargs="?",
        choices=("manual", "aware", "proactive"),
        help="manual: nothing unasked; aware: new sessions are told about the secretary and the "
        "best match shows while you type; proactive: aware, and a strong match is named for each "
        "prompt",
    )


def _agents(verb: Verb) -> None:
    _json_option(verb)
    verbs = verb.add_subparsers(dest="agents_verb", metavar="VERB", title="verbs")
    validate = _add_verb(
        verbs, "validate", "check agent files; exit 1 when one gives no agent or is skipped"
    )
    validate.add_argument(
        "paths", nargs="*", metavar="PATH", help="agent files or folders (default: all agents)"
    )
    validate.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="text: a line for each finding; github: annotations for a workflow",
    )
    validate.add_argument(
        "--json",
        action="store_const",
        dest="format",
        const="json",
        help="the same as --format json",
    )
    validate.add_argument(
        "--fix", action="store_true", help="mend quotes and line ends; shows the diff and asks"
    )
    validate.add_argument("--yes", action="store_true", help="with --fix: don't ask")
    validate.add_argument("--dry-run", action="store_true", help="with --fix: only show the diff")
    new = _add_verb(verbs, "new", "write a new agent from a template and print its path")
    new.add_argument("name", metavar="NAME", help="lower case, words joined by hyphens")
    new.add_argument("--description", metavar="TEXT", help="what it does and when to use it")
    new.add_argument("--tools", metavar="NAMES", help="default: Read, Glob, Grep; `*` for all")
    new.add_argument("--model", help="default: the session's")
    new.add_argument("--user", action="store_true", help="for all projects, in ~/.claude/agents")
    new.add_argument("--edit", action="store_true", help="open it in $VISUAL or $EDITOR")
    every = _add_verb(verbs, "list", "list every agent, as `agents` alone does")
    sources = _add_verb(verbs, "sources", "list where agents come from, with what to call it")
    show = _add_verb(verbs, "show", "print all that is known of an agent")
    complete_with(show.add_argument("id", metavar="ID", help="its id"), "agents")
    for one in (every, sources, show):
        _json_after(one)
    sources.add_argument("--names", action="store_true", help="the names alone, one a line")
    for name, summary in (
        ("path", "print the file of an agent"),
        ("shadows", "say which agents of one name hide each other"),
        ("disable", "switch agents or a source off in this project"),
        ("enable", "switch agents or a source on again"),
    ):
        one = _add_verb(verbs, name, summary)
        switch = name in ("disable", "enable")
        nargs = {"path": None, "shadows": "?"}.get(name, "*")
        kept = "ids" if switch else "id"
        agent = one.add_argument(kept, nargs=nargs, metavar="ID", help="its id")
        complete_with(agent, "agents")
        if switch:
            source = one.add_argument(
                "--source",
                metavar="NAME",
                help="a whole source instead: project, user, copilot, a plugin's name or a folder",
            )
            complete_with(source, "sources")
            one.add_argument("--user", action="store_true", help="in all projects")


def _match(verb: Verb) -> None:
    verb.add_argument("request", nargs="?", metavar="REQUEST", help="`-` reads standard input")
    _json_option(verb)
    verb.add_argument(
        "--top", type=_count, metavar="N", help="the first N of the ranking, whatever they reach"
    )
    verb.add_argument(
        "--batch", metavar="FILE", help="one request a line, one JSON object a line; `-` for stdin"
    )
    verb.add_argument(
        "--explain", action="store_true", help="what earned each match its place, in numbers"
    )


def _output_format(verb: Verb) -> None:
    verb.add_argument(
        "--output-format",
        choices=("text", "json", "stream-json"),
        default="text",
        help="text: the answer, with tools on the error output; json: one object at the end; "
        "stream-json: one event a line",
    )
    verb.add_argument(
        "--permission-mode",
        choices=PERMISSION_MODES,
        help="what Write, Edit and Bash do (default: the setting); without a terminal, ask denies",
    )
    verb.add_argument(
        "--max-cost",
        type=_dollars,
        metavar="USD",
        help="pause and ask before the turn after so many dollars; without a terminal, stop "
        "(default: the setting max_cost_usd)",
    )


def _engine_option(verb: Verb) -> None:
    verb.add_argument(
        "--engine",
        metavar="NAME",
        help="where the model answers: anthropic, local, deepseek, ollama, lmstudio, or a name of "
        "the setting engines (default: the setting engine)",
    )


def _trust(verb: Verb) -> None:
    verb.add_argument("path", nargs="?", metavar="PATH", help="the folder (default: the project)")
    which = verb.add_mutually_exclusive_group()
    which.add_argument("--remove", action="store_true", help="trust it no more")
    which.add_argument("--list", action="store_true", help="list the trusted folders")
    verb.add_argument("--json", action="store_true", help="with --list: print JSON")


def _run(verb: Verb) -> None:
    verb.add_argument("request", metavar="REQUEST", help="`-` reads standard input")
    agent = verb.add_argument(
        "--agent",
        metavar="ID",
        help="the agent to run, without routing; `/ID` for a command or skill",
    )
    complete_with(agent, "agents")
    verb.add_argument(
        "--yes",
        action="store_true",
        help="accept the recommended agent; tools still follow --permission-mode",
    )
    verb.add_argument("--model", help="a model or alias, instead of the agent's own")
    _engine_option(verb)
    verb.add_argument(
        "--trust", action="store_true", help="trust the project's folder for this run, as in CI"
    )
    verb.add_argument(
        "--worktree",
        action=argparse.BooleanOptionalAction,
        help="work on a copy of the last commit; at the end its diff is applied, kept or dropped "
        "(default: what the agent's file asks for)",
    )
    _output_format(verb)


def _hook(verb: Verb) -> None:
    verb.add_argument("event", choices=("session-start", "user-prompt-submit"))


def _doctor(verb: Verb) -> None:
    _json_option(verb)
    verb.add_argument("--online", action="store_true", help="also ask whether the model answers")


def _model(verb: Verb) -> None:
    _json_option(verb)
    verbs = verb.add_subparsers(dest="model_verb", metavar="VERB", title="verbs")
    get = _add_verb(verbs, "get", "download a local model; interrupted, it goes on where it was")
    get.add_argument("name", nargs="?", metavar="NAME", help="see `model list` (default: first)")
    _json_after(_add_verb(verbs, "list", "list the local models, as `model` alone does"))
    use = _add_verb(verbs, "use", "use a downloaded model, or a GGUF file of your own")
    use.add_argument("path", metavar="NAME|PATH", help="see `model list`, or a file")
    _json_after(_add_verb(verbs, "status", "say which local model is ready"))


def _sessions(verb: Verb) -> None:
    _json_option(verb)
    verb.add_argument("--all", action="store_true", help="the runs of every project")
    verbs = verb.add_subparsers(dest="sessions_verb", metavar="VERB", title="verbs")
    runs = _add_verb(
        verbs, "list", "list the stored runs of this project, as `sessions` alone does"
    )
    found = _add_verb(verbs, "search", "find runs by what was asked, answered and done in them")
    for one in (runs, found):
        _run_filter(one)
        _json_after(one)
    show = _add_verb(verbs, "show", "show a stored run")
    show.add_argument("id", metavar="ID", help="the run's id or its beginning")
    _json_after(show)
    resume = _add_verb(verbs, "resume", "go on with a stored run and the same agent")
    resume.add_argument("id", metavar="ID", help="the run's id or its beginning")
    resume.add_argument("follow_up", metavar="FOLLOW-UP", help="`-` reads standard input")
    _engine_option(resume)
    _output_format(resume)
    fork = _add_verb(verbs, "fork", "begin a new run with the conversation of a stored one")
    fork.add_argument("id", metavar="ID", help="the run's id or its beginning")
    fork.add_argument(
        "--turn",
        type=_count,
        metavar="N",
        help="keep it up to the answer to your Nth message (default: all of it)",
    )
    document = _add_verb(verbs, "export", "print a stored run as a document")
    document.add_argument("id", metavar="ID", help="the run's id or its beginning")
    document.add_argument(
        "--format", choices=("markdown", "html", "json"), default="markdown", help="of the document"
    )
    document.add_argument("-o", "--output", metavar="FILE", help="write it there instead")
    document.add_argument("--force", action="store_true", help="overwrite the file")
    delete = _add_verb(verbs, "delete", "move runs to the trash; asks first")
    delete.add_argument("ids", nargs="+", metavar="ID", help="runs, or beginnings of their ids")
    delete.add_argument("--yes", action="store_true", help="don't ask")
    back = _add_verb(verbs, "restore", "bring a deleted run back; without an ID list them")
    back.add_argument("id", nargs="?", metavar="ID", help="the run's id or its beginning")
    _json_after(back)
    undo = _add_verb(verbs, "undo", "show what a run changed, and undo it")
    undo.add_argument("id", metavar="ID", help="the run's id or its beginning")
    undo.add_argument("--file", metavar="FILE", help="this file only, as the list names it")
    undo.add_argument("--diff", action="store_true", help="only print what the run changed")
    undo.add_argument("--redo", action="store_true", help="take back what was undone")
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
        help="words, and terms as on the screen: agent:x outcome:failed 'cost>0.1' since:7d",
    )
    verb.add_argument(
        "--all", action="store_true", default=argparse.SUPPRESS, help="of every project"
    )
    verb.add_argument("--agent", metavar="ID", help="a part of the agent's id")
    verb.add_argument(
        "--outcome",
        metavar="NAME",
        help="done, partial, stopped, failed, cut-off, running, capped or denied; several: a,b",
    )
    verb.add_argument("--cost", metavar="USD", help="at least this much; '<0.1' for less than")
    verb.add_argument("--since", metavar="DAY", help="7d, today or 2026-11-01")
    verb.add_argument("--until", metavar="DAY", help="the same; that day included")
    verb.add_argument("--model", metavar="NAME", help="a part of the model's name")


def _all_projects(verb: Verb) -> None:
    verb.add_argument("--all-projects", action="store_true", help="of every project, not only this")


def _stats(verb: Verb) -> None:
    _json_option(verb)
    complete_with(verb.add_argument("--agent", metavar="ID", help="of one agent"), "agents")
    verb.add_argument("--days", type=_count, metavar="N", help="of the last N days, today included")
    _all_projects(verb)


def _log(verb: Verb) -> None:
    _json_option(verb)
    _all_projects(verb)
    verb.add_argument(
        "-n", "--number", type=_count, default=20, metavar="N", help="the newest N (default: 20)"
    )
    verb.add_argument(
        "--conversation", metavar="ID", help="of one conversation, by the beginning of its id"
    )
    verb.add_argument(
        "--follow", action="store_true", help="go on with each decision as it comes, until Ctrl-C"
    )
    verbs = verb.add_subparsers(dest="log_verb", metavar="VERB", title="verbs")
    forget = _add_verb(verbs, "forget", "take back what was learnt from decisions; asks first")
    forget.add_argument(
        "ids", nargs="*", metavar="ID", help="decisions, or beginnings of their ids"
    )
    agent = forget.add_argument(
        "--agent", metavar="ID", help="all that chose or recommended this agent"
    )
    complete_with(agent, "agents")
    forget.add_argument("--all", action="store_true", help="all of this project")
    forget.add_argument(
        "--all-projects",
        action="store_true",
        default=argparse.SUPPRESS,  # Given before `forget`, it must not be unset.
        help="of every project, not only this",
    )
    forget.add_argument("--yes", action="store_true", help="don't ask")


def _config(verb: Verb) -> None:
    _json_option(verb)
    verbs = verb.add_subparsers(dest="config_verb", metavar="VERB", title="verbs")
    where = _add_verb(verbs, "path", "print where settings, data and the Claude Code plugin are")
    where.add_argument("name", nargs="?", metavar="NAME", help="print this one alone")
    _json_after(_add_verb(verbs, "list", "list the settings in force, as `config` alone does"))
    get = _add_verb(verbs, "get", "print the value of one setting")
    change = _add_verb(verbs, "set", "write one setting to your file, or to the project's")
    reset = _add_verb(verbs, "unset", "take one setting out of the file: what is below it holds")
    for one in (get, change, reset):
        complete_with(one.add_argument("key", metavar="KEY", help="see `config list`"), "settings")
    _json_after(get)
    change.add_argument("value", metavar="VALUE", help="lists: a,b; tables: YAML or JSON")
    for one in (change, reset):
        one.add_argument(
            "--in-project",
            action="store_true",
            help="in the project's file, .claude/secretary.local.md",
        )


def _completion(verb: Verb) -> None:
    verb.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh"))


def _serve(verb: Verb) -> None:
    verb.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="HOST",
        help="where to listen (default: %(default)s, which this machine alone reaches)",
    )
    verb.add_argument(
        "--port", type=_port, default=0, metavar="N", help="the port (default: 0, a free one)"
    )
    verb.add_argument(
        "--public-url",
        metavar="URL",
        help="what browsers call it behind a proxy with TLS, such as https://my.host",
    )
    verb.add_argument("--open", action="store_true", help="open it in the browser of this machine")


def _dollars(text: str) -> float:
    try:
        amount = float(text.removeprefix("$"))
    except ValueError:
        amount = 0.0
    if not 0 < amount <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no amount of dollars above 0")
    return amount


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 10000")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, a number from 0 to 65535")
    return int(text)


VERBS: dict[str, tuple[str, Callable[[Verb], None] | None]] = {
    "help": ("explain the command line or one verb", _help),
    "mode": ("show or change how much the secretary does unasked", _mode),
    "agents": ("list, check and create agents, or switch them off", _agents),
    "match": ("rank the agents for a request", _match),
    "run": ("route a request, choose an agent and run it", _run),
    "trust": ("trust a folder, so that agents may run in it, or take that back", _trust),
    "hook": ("answer a Claude Code hook (JSON on standard input)", _hook),
    "doctor": ("report what the program sees on this machine", _doctor),
    "model": ("get and choose the local model", _model),
    "sessions": ("find, show, continue, fork, export, delete and undo stored runs", _sessions),
    "stats": ("show how good the recommendations were, and what all of it cost", _stats),
    "log": ("show every routing decision, or forget some", _log),
    "config": ("show and change settings, and where they live", _config),
    "serve": ("show the screen in a browser, for whoever holds the token", _serve),
    "completion": ("print a completion script for a shell", _completion),
}
"""Every verb in the order of the help: what it does, and what it takes."""
