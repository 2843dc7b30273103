"""`sessions export`, `fork`, `delete` and `restore`: what is done with a stored run as a whole."""

from __future__ import annotations

import argparse

from secretary_tui import paths
from secretary_tui.lines.output import note, say, say_json, say_table
from secretary_tui.lines.terminal_lines import is_confirmed, somebody_is_there
from secretary_tui.sanitize import clean_line
from secretary_tui.sessions.errors import ExportExistsError
from secretary_tui.sessions.export.export import ExportFormat, export, file_name, write_export
from secretary_tui.sessions.fork import fork_run
from secretary_tui.sessions.store import load_run, summarize
from secretary_tui.sessions.trash import KEPT_DAYS, delete_run, deleted_runs, restore_run
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import UsageError


def export_session(args: argparse.Namespace) -> int:
    """Print a run as a document, or write it to a file that isn't there yet.

    Raises:
        SessionError: there is no such run, or the file can't be written.
        UsageError: the file is there already, and nothing said that it may be overwritten.
    """
    record = load_run(args.id)
    form = ExportFormat(args.format)
    text = export(record, form)
    if args.output is None:
        say(text, end="")
        return ExitCode.DONE
    path = paths.with_home(args.output)
    if path.is_dir():
        path /= file_name(record, form)
    try:
        write_export(path, text, overwrite=args.force)
    except ExportExistsError as error:
        raise UsageError(f"{error} --force overwrites it") from None
    note(f"Wrote {path}.")
    return ExitCode.DONE


def fork_session(args: argparse.Namespace) -> int:
    """Write the new run and print its id.

    Raises:
        SessionError: there is no such run or turn.
    """
    forked = fork_run(load_run(args.id), args.turn)
    say(forked)
    note(f"To continue: secretary-tui sessions resume {forked} FOLLOW-UP")
    return ExitCode.DONE


def delete_sessions(args: argparse.Namespace) -> int:
    """Move runs to the trash, after a question.

    Raises:
        SessionError: there is no such run, or it is still going on.
        UsageError: nobody is there to be asked, and `--yes` wasn't said.
    """
    records = [summarize(load_run(wanted).path) for wanted in args.ids]
    if not args.yes:
        if not somebody_is_there():
            raise UsageError("there is no terminal to ask: --yes deletes without asking")
        for run in records:
            note(f"{run.id}  {clean_line(run.agent)}: {clean_line(run.request)[:100]}")
        runs = "this run" if len(records) == 1 else f"these {len(records)} runs"
        asked = f"Delete {runs}, and the originals of the files changed? [y/N] "
        if not is_confirmed(asked):
            note("Nothing was deleted.")
            return ExitCode.DONE
    for run in records:
        delete_run(run.id)
        note(
            f"{run.id} is in the trash. `sessions restore {run.id}` brings it back; after "
            f"{KEPT_DAYS} days it is gone for good."
        )
    return ExitCode.DONE


def restore_session(args: argparse.Namespace) -> int:
    """Bring a deleted run back, or list what can be.

    Raises:
        SessionError: it isn't in the trash.
    """
    if args.id is not None:
        say(restore_run(args.id))
        return ExitCode.DONE
    runs = deleted_runs()
    if args.json:
        say_json({"deleted": [{"id": r.id, "agent": r.agent, "request": r.request} for r in runs]})
    elif runs:
        say_table(("id", "agent", "request"), [(r.id, r.agent, r.request) for r in runs])
    else:
        note("The trash is empty.")
    return ExitCode.DONE
