"""`help [VERB]`: the same text as `--help`, for those who type words."""

from __future__ import annotations

import argparse
import difflib

from secretary_tui.lines.output import say
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.grammar.arguments import VERBS, build_parser, explain_options
from secretary_tui.verbs.options import Options, UsageError


def run(args: argparse.Namespace, options: Options) -> int:
    """Explain the command line, or one verb of it.

    Raises:
        UsageError: there is no such verb.
    """
    parser = build_parser()
    if not args.about:
        say(parser.format_help(), end="")
        return ExitCode.DONE
    first, *_ = args.about
    if args.about == ["options"]:
        say(explain_options(), end="")
        return ExitCode.DONE
    if first not in VERBS:
        near = difflib.get_close_matches(first, (*VERBS, "options"), n=1)
        hint = f"; did you mean `{near[0]}`?" if near else f"; known are {', '.join(VERBS)}"
        raise UsageError(f"unknown verb {first!r}{hint}")
    try:
        parser.parse_args([*args.about, "--help"])
    except SystemExit as left:  # argparse prints a verb's help and leaves.
        return int(left.code or 0)
    return ExitCode.DONE
