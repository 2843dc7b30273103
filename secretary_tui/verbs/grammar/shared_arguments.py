"""What several verbs of the command line take: `--json`, the options of a run, those of every verb.

Imported by `--help` and `--version`, so it must stay light.
"""

from __future__ import annotations

import argparse

from secretary_tui.verbs.grammar.completing import complete_with
from secretary_tui.verbs.grammar.help_examples import VerbHelp, epilog
from secretary_tui.verbs.grammar.parser import CalmParser

PERMISSION_MODES = ("ask", "accept-edits", "plan", "deny")
Verb = CalmParser


def add_verb(verbs: argparse._SubParsersAction[Verb], name: str, summary: str) -> Verb:
    """Add a verb, or a verb of one, with what every verb has."""
    verb = verbs.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        formatter_class=VerbHelp,
        allow_abbrev=False,
    )
    verb.epilog = epilog(verb.prog.partition(" ")[2])
    # A name of its own: a verb's list would replace the one from before the verb.
    add_global_options(verb, "agents_dir_after")
    return verb


def add_global_options(parser: argparse.ArgumentParser, agents_dir: str) -> None:
    """Add the options for every verb; `agents_dir` is the name under which its list is kept."""
    group = parser.add_argument_group("options for every verb")
    project = group.add_argument(
        "--project",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help="the project folder (default: the working directory)",
    )
    folder = group.add_argument(
        "--agents-dir",
        metavar="DIR",
        dest=agents_dir,
        action="append",
        default=argparse.SUPPRESS,
        help="a folder of agents to add, searched recursively; repeatable",
    )
    given = group.add_argument(
        "--agents",
        metavar="JSON|FILE",
        dest="agents_json",
        default=argparse.SUPPRESS,
        help='agents as JSON, \'{"name": {"description": …, "prompt": …}}\', or a file of that',
    )
    complete_with(project, "dirs")
    complete_with(folder, "dirs")
    complete_with(given, "files")
    group.add_argument(
        "--offline",
        action="store_true",
        default=argparse.SUPPRESS,
        help="no network: rank without a model, and run agents on this machine's only",
    )


def json_option(verb: Verb) -> None:
    """Add `--json`."""
    verb.add_argument("--json", action="store_true", help="print JSON")


def json_after(verb: Verb) -> None:
    """`--json` after a sub-verb: suppressed, else it would undo a --json before it."""
    verb.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def output_options(verb: Verb) -> None:
    """Add what a run is printed as, what its tools may do, and what it may cost."""
    verb.add_argument(
        "--output-format",
        choices=("text", "json", "stream-json"),
        default="text",
        help="text: the answer on stdout, tools on stderr; json: one object at the end; "
        "stream-json: one event per line",
    )
    verb.add_argument(
        "--permission-mode",
        choices=PERMISSION_MODES,
        help="what Write, Edit and Bash do (default: the setting); without a terminal, ask denies",
    )
    verb.add_argument(
        "--max-cost",
        type=dollars,
        metavar="USD",
        help="pause and ask once the run has cost this much; without a terminal, stop "
        "(default: the setting max_cost_usd)",
    )


def engine_option(verb: Verb) -> None:
    """Add where the model answers."""
    verb.add_argument(
        "--engine",
        metavar="NAME",
        help="where the model answers: anthropic, local, deepseek, ollama, lmstudio, or a name of "
        "the setting engines (default: the setting engine)",
    )


def dollars(text: str) -> float:
    """An amount of US dollars above 0."""
    try:
        amount = float(text.removeprefix("$"))
    except ValueError:
        amount = 0.0
    if not 0 < amount <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no amount of dollars above 0")
    return amount


def count(text: str) -> int:
    """A number from 1 to 10,000."""
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 10000")
    return int(text)
