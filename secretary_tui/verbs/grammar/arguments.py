"""The grammar of the command line: every verb, its options and their help, and no behaviour.

`--help`, `help`, the completion scripts and the parser itself are all made from this. Imported by
`--help` and `--version`, so it must stay light.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from importlib import import_module
from types import ModuleType

from secretary_tui import __version__
from secretary_tui.verbs.exit_codes import EXIT_CODES_HELP
from secretary_tui.verbs.grammar.completing import complete_with
from secretary_tui.verbs.grammar.parser import CalmParser
from secretary_tui.verbs.grammar.shared_arguments import (
    Verb,
    add_global_options,
    add_verb,
    count,
    engine_option,
    json_after,
    json_option,
    output_options,
)
from secretary_tui.verbs.grammar.stored_arguments import (
    log_arguments,
    sessions_arguments,
    stats_arguments,
)

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


def load_verb(name: str) -> ModuleType:
    """The module that carries a verb out: its `run(args, options)` gives the exit status."""
    return import_module(f"secretary_tui.verbs.{_FILES.get(name, name)}")


def build_parser(names: Collection[str] | None = None) -> CalmParser:
    """Make the parser of the whole command line, or of these verbs alone."""
    parser = CalmParser(
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
    parser.add_argument(
        "--json",
        action="store_true",
        dest="json_lines",  # A verb's own would undo it.
        help="with --plain: a JSON object for each line that is said or asked, for programs",
    )
    add_global_options(parser, "agents_dir")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for name, (summary, add_arguments) in VERBS.items():
        if names is not None and name not in names:
            continue
        verb = add_verb(verbs, name, summary)
        if add_arguments is not None:
            add_arguments(verb)
    return parser


def explain_options() -> str:
    """What `help options` says: the options of every verb, the exit status, and where JSON is."""
    parser = argparse.ArgumentParser(
        prog="secretary-tui",
        usage="secretary-tui [OPTIONS] VERB …, or secretary-tui VERB … [OPTIONS]",
        epilog=f"{EXIT_CODES_HELP}\n\nThe shapes of --json: docs/command-line.md",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    add_global_options(parser, "agents_dir")
    return parser.format_help()


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
        help="manual: nothing on its own; aware: Claude Code sessions know of the secretary, and "
        "the best match shows while you type; proactive: aware, and each prompt gets its strong "
        "match named",
    )


def _agents(verb: Verb) -> None:
    json_option(verb)
    verbs = verb.add_subparsers(dest="agents_verb", metavar="VERB", title="verbs")
    validate = add_verb(
        verbs, "validate", "check agent files; exit 1 when one gives no agent or is skipped"
    )
    files = validate.add_argument(
        "paths", nargs="*", metavar="PATH", help="agent files or folders (default: all agents)"
    )
    complete_with(files, "files")
    shape = validate.add_mutually_exclusive_group()
    shape.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="text: one line per finding; github: annotations for a workflow",
    )
    shape.add_argument(
        "--json",
        action="store_const",
        dest="format",
        const="json",
        help="the same as --format json",
    )
    validate.add_argument(
        "--fix", action="store_true", help="fix quotes and line ends; shows the diff and asks"
    )
    validate.add_argument("--yes", action="store_true", help="with --fix: don't ask")
    validate.add_argument("--dry-run", action="store_true", help="with --fix: only show the diff")
    new = add_verb(verbs, "new", "write a new agent from a template and print its path")
    new.add_argument("name", metavar="NAME", help="lower case, words joined by hyphens")
    new.add_argument("--description", metavar="TEXT", help="what it does and when to use it")
    new.add_argument("--tools", metavar="NAMES", help="default: Read, Glob, Grep; `*` for all")
    new.add_argument("--model", help="default: the session's")
    new.add_argument("--user", action="store_true", help="for all projects, in ~/.claude/agents")
    new.add_argument("--edit", action="store_true", help="open it in $VISUAL or $EDITOR")
    every = add_verb(verbs, "list", "list every agent (the default)")
    sources = add_verb(verbs, "sources", "list the sources of agents")
    show = add_verb(verbs, "show", "show an agent in full")
    complete_with(show.add_argument("id", metavar="ID", help="its id"), "agents")
    for one in (every, sources, show):
        json_after(one)
    which = sources.add_mutually_exclusive_group()
    which.add_argument("--names", action="store_true", help="only the names, one per line")
    which.add_argument(
        "--offered",
        action="store_true",
        help="plugins in marketplaces that are not installed, and how to install them",
    )
    for name, summary in (
        ("path", "print the file of an agent"),
        ("shadows", "list agents that hide each other by name"),
        ("disable", "disable agents or a source in this project"),
        ("enable", "enable agents or a source again"),
    ):
        one = add_verb(verbs, name, summary)
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
    json_option(verb)
    verb.add_argument(
        "--top", type=count, metavar="N", help="the first N of the ranking, whatever their score"
    )
    batch = verb.add_argument(
        "--batch",
        metavar="FILE",
        help="a request per line, printed as a JSON object each; `-` for stdin",
    )
    complete_with(batch, "files")
    verb.add_argument("--explain", action="store_true", help="show how each match was scored")
    verb.add_argument(
        "--after",
        metavar="RUN",
        help="say whether REQUEST goes on with that run: an id, its beginning, or `last`",
    )


def _trust(verb: Verb) -> None:
    folder = verb.add_argument(
        "path", nargs="?", metavar="PATH", help="the folder (default: the project)"
    )
    complete_with(folder, "dirs")
    which = verb.add_mutually_exclusive_group()
    which.add_argument("--remove", action="store_true", help="stop trusting it")
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
    engine_option(verb)
    verb.add_argument(
        "--trust", action="store_true", help="trust the project folder for this run only, as in CI"
    )
    verb.add_argument(
        "--worktree",
        action=argparse.BooleanOptionalAction,
        help="work on a copy of the last commit; at the end its diff is applied, kept or dropped "
        "(default: what the agent's file asks for)",
    )
    output_options(verb)


def _hook(verb: Verb) -> None:
    verb.add_argument("event", choices=("session-start", "user-prompt-submit"))


def _doctor(verb: Verb) -> None:
    json_option(verb)
    verb.add_argument("--online", action="store_true", help="also ask whether the model answers")


def _model(verb: Verb) -> None:
    json_option(verb)
    verbs = verb.add_subparsers(dest="model_verb", metavar="VERB", title="verbs")
    get = add_verb(verbs, "get", "download a local model; resumes if interrupted")
    name = get.add_argument(
        "name", nargs="?", metavar="NAME", help="see `model list` (default: first)"
    )
    complete_with(name, "models")
    json_after(add_verb(verbs, "list", "list the local models (the default)"))
    use = add_verb(verbs, "use", "use a downloaded model, or a GGUF file of your own")
    file = use.add_argument("path", metavar="NAME|PATH", help="see `model list`, or a file")
    complete_with(file, "models_or_files")
    json_after(add_verb(verbs, "status", "show which local models are ready"))


def _config(verb: Verb) -> None:
    json_option(verb)
    verbs = verb.add_subparsers(dest="config_verb", metavar="VERB", title="verbs")
    where = add_verb(verbs, "path", "print where settings, data and the Claude Code plugin are")
    where.add_argument("name", nargs="?", metavar="NAME", help="print this one alone")
    json_after(add_verb(verbs, "list", "list all settings and their sources (the default)"))
    get = add_verb(verbs, "get", "print the value of one setting")
    change = add_verb(verbs, "set", "change a setting, for you or for this project")
    reset = add_verb(verbs, "unset", "remove a setting from the file")
    for one in (get, change, reset):
        complete_with(one.add_argument("key", metavar="KEY", help="see `config list`"), "settings")
    json_after(get)
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
        help="where to listen (default: %(default)s, this machine only)",
    )
    verb.add_argument(
        "--port", type=_port, default=0, metavar="N", help="the port (default: 0, a free one)"
    )
    verb.add_argument(
        "--public-url",
        metavar="URL",
        help="the URL browsers use behind a TLS proxy, such as https://my.host",
    )
    verb.add_argument("--open", action="store_true", help="open it in this machine's browser")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, a number from 0 to 65535")
    return int(text)


_FILES = {
    "agents": "agents.agents_verb",
    "config": "config_verb",
    "sessions": "sessions.sessions_verb",
}
"""Where a verb stands whose file has another name than the verb."""

VERBS: dict[str, tuple[str, Callable[[Verb], None] | None]] = {
    "help": ("explain the command line or one verb", _help),
    "mode": ("show or change how much the secretary does on its own", _mode),
    "agents": ("list, check, create, disable and enable agents", _agents),
    "match": ("rank the agents for a request", _match),
    "run": ("route a request, choose an agent and run it", _run),
    "trust": ("trust a folder so that agents may run in it, or revoke that", _trust),
    "hook": ("answer a Claude Code hook (JSON on standard input)", _hook),
    "doctor": ("check settings, agents, engine and sandbox of this machine", _doctor),
    "model": ("download and choose local models", _model),
    "sessions": (
        "find, show, continue, fork, export, delete and undo stored runs",
        sessions_arguments,
    ),
    "stats": ("show routing quality, outcomes and cost", stats_arguments),
    "log": ("show every routing decision, or forget some", log_arguments),
    "config": ("show and change settings, and where they live", _config),
    "serve": ("show the screen in a browser, protected by a token", _serve),
    "completion": ("print a completion script for a shell", _completion),
}
"""Every verb in the order of the help: what it does, and what it takes."""
