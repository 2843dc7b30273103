"""The command line: parse, call the verb, turn what went wrong into one calm sentence.

`--help` and `--version` come through here and must answer at once, so nothing heavy is imported
at the top: each verb's module, and the screen, is imported when it is called.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from argparse import Namespace
from collections.abc import Collection, Sequence
from pathlib import Path

from secretary_tui.lines.plain_mode import IN_LINES, plain_mode
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.grammar.arguments import VERBS, build_parser, load_verb
from secretary_tui.verbs.options import Options, UsageError

_TAKES_A_VALUE = ("--project", "--agents-dir", "--agents")
_TAKES_NONE = ("--plain", "--no-plain", "--json", "--offline", "--version", "--help", "-h", "--")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and give the exit status (see `ExitCode`)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # Replaced by something that isn't a file.
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = _main(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes once more when it ends; that must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = ExitCode.READER_GONE
    return int(status)


def _main(arguments: list[str]) -> int:
    try:
        word = _first_word(arguments)
        if word is not None and word not in VERBS:
            raise UsageError(_unknown_option(arguments, word) or _unknown_verb(word))
        args = build_parser(_verbs_needed(word, arguments)).parse_args(arguments)
        return _call(args)
    except UsageError as error:
        _complain(f"{error}")
        return ExitCode.USAGE
    except (KeyboardInterrupt, BrokenPipeError, SystemExit):
        raise
    except Exception as error:
        from secretary_tui.fault_log import explain

        _complain(explain(error, " ".join(arguments[:1])))
        return ExitCode.FAILED


def _call(args: Namespace) -> int:
    if args.verb != "hook":  # Which is silent whatever is wrong.
        _require_home()
    options = Options.parse(args)
    if args.plain:
        IN_LINES.set(True)
    if args.verb is not None and args.json_lines:
        raise UsageError(
            f"--json before the verb goes with --plain; of {args.verb} it goes after it"
        )
    if args.verb is None:
        on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        mode = plain_mode(args.plain, on_terminal=on_terminal)
        if mode.is_wanted:
            from secretary_tui.plain.face import run_plain

            return run_plain(options, mode.hint, in_json=args.json_lines)
        if args.json_lines:
            raise UsageError("--json without a verb needs --plain: secretary-tui --plain --json")
        if not on_terminal:
            raise UsageError(
                "the screen needs a terminal. Without one use `secretary-tui match`, "
                "`secretary-tui run` or --plain; see `secretary-tui help`"
            )
        gc.disable()  # Until the first paint: a collection there costs a tenth of the start.
        from secretary_tui.app import AppOptions, run_app

        given = AppOptions(
            options.project, options.agents_dirs, options.offline, agents=options.agents
        )
        return run_app(given)
    verb = load_verb(args.verb)
    status: int = verb.run(args, options)
    return status


def _require_home() -> None:
    try:
        Path.home()
    except RuntimeError:
        raise UsageError(
            "there is no home folder for settings and runs: HOME is not set. "
            "Set it: HOME=/some/folder secretary-tui"
        ) from None


def _verbs_needed(word: str | None, arguments: list[str]) -> Collection[str]:
    """The verbs whose grammar this call needs: making all of them takes longer than the rest."""
    if word is not None:
        return (word,)
    asks_for_help = any(a in ("-h", "--help") for a in arguments)
    return VERBS if asks_for_help else ()


def _first_word(arguments: list[str]) -> str | None:
    """The first argument that is neither an option nor an option's value."""
    rest = iter(arguments)
    for argument in rest:
        if argument in _TAKES_A_VALUE:
            next(rest, None)
        elif argument == "--":
            return next(rest, None)
        elif not argument.startswith("-") or " " in argument:
            return argument
    return None


def _unknown_option(arguments: list[str], word: str) -> str:
    """What to say of an option before `word` that makes it look like a verb; empty without one."""
    from secretary_tui.verbs.grammar.parser import near_to

    known = {*_TAKES_A_VALUE, *_TAKES_NONE}
    for argument in arguments[: arguments.index(word)]:
        name = argument.partition("=")[0]
        if name.startswith("-") and len(name) > 1 and name not in known:
            return f"unknown option {name} before the verb{near_to(name, known)}"
    return ""


def _unknown_verb(word: str) -> str:
    import difflib
    import shlex

    if " " in word.strip():
        quoted = shlex.quote(word)
        return (
            f"a request needs a verb. To see which agents fit: secretary-tui match {quoted}. "
            f"To run one: secretary-tui run {quoted}"
        )
    near = difflib.get_close_matches(word, VERBS, n=1)
    hint = f"Did you mean `{near[0]}`? " if near else ""
    return f"unknown verb {word!r}. {hint}See `secretary-tui help`"


def _complain(sentence: str) -> None:
    from secretary_tui.sanitize import clean

    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
        said = clean(sentence).rstrip(".")
        end = "" if said.endswith(("?", "!")) else "."
        sys.stderr.write(f"secretary-tui: {said}{end}\n")
        sys.stderr.flush()
