"""`help [VERB]`: the same text as `--help`, for those who type words."""

from __future__ import annotations

import argparse
import contextlib
import difflib

from secretary_tui.verbs.arguments import VERBS, build_parser
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError
from secretary_tui.verbs.output import say


def run(args: argparse.Namespace, options: Options) -> int:
    """Explain the command line, or one verb of it.

    Raises:
        UsageError: there is no such verb.
    """
    parser = build_parser()
    if args.about is None:
        say(parser.format_help(), end="")
        return ExitCode.DONE
    if args.about not in VERBS:
        near = difflib.get_close_matches(args.about, VERBS, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else f"; known are {', '.join(VERBS)}"
        raise UsageError(f"there is no verb {args.about!r}{hint}")
    with contextlib.suppress(SystemExit):  # argparse prints a verb's help and leaves.
        parser.parse_args([args.about, "--help"])
    return ExitCode.DONE
