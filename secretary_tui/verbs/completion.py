"""`completion SHELL`: a script for the shell, made from the grammar."""

from __future__ import annotations

import argparse
import sys

from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.grammar.arguments import VERBS, build_parser
from secretary_tui.verbs.grammar.completing import finished, preamble
from secretary_tui.verbs.options import Options


def run(args: argparse.Namespace, options: Options) -> int:
    """Print the completion script."""
    import shtab

    functions = preamble(args.shell, VERBS)
    script = shtab.complete(build_parser(), shell=args.shell, preamble=functions)
    sys.stdout.write(f"{finished(script, args.shell)}\n")
    return ExitCode.DONE
