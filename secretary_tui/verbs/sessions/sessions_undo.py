"""`sessions undo`: what a run changed, and back again."""

from __future__ import annotations

import argparse

from secretary_tui.delegation.undo.restoring import Undo, total_diff
from secretary_tui.delegation.undo.undo_status import UndoError, UndoFile, UndoStatus
from secretary_tui.lines.output import amount, note, say, say_table
from secretary_tui.lines.terminal_lines import is_confirmed, somebody_is_there
from secretary_tui.paths import shown
from secretary_tui.sanitize import reveal
from secretary_tui.sessions.errors import RunNotFoundError
from secretary_tui.sessions.store import find_run
from secretary_tui.verbs.exit_codes import ExitCode

_STATUS_WORDS = {
    UndoStatus.CHANGED: "can be undone",
    UndoStatus.UNDONE: "undone",
    UndoStatus.CONFLICT: "changed since",
    UndoStatus.LOST: "can't be undone",
}


def undo(args: argparse.Namespace) -> int:
    """Show what a run changed, and undo it, or redo what was undone, once that is confirmed.

    Raises:
        SessionError: no run has this id.
    """
    try:
        opened = Undo.of(_run_id(args.id))
        files = (opened.file(args.file),) if args.file else opened.files()
        if args.diff:
            say(reveal(total_diff(opened, files)), end="")
            return ExitCode.DONE
        _show(opened, files)
        wanted = UndoStatus.UNDONE if args.redo else UndoStatus.CHANGED
        ready = [file for file in files if file.status is wanted]
        if args.beside:
            return _beside(opened, files)
        if not ready:
            note("There is nothing to " + ("redo." if args.redo else "undo."))
            return _status(files, wanted)
        if not args.yes and not _confirmed(len(ready), redo=args.redo):
            return ExitCode.CANCELLED
        return _carry_out(opened, ready, files, redo=args.redo)
    except UndoError as error:
        note(str(error))
        return ExitCode.FAILED


def _run_id(wanted: str) -> str:
    """The id of a run; one whose log is gone may still have its originals."""
    try:
        return find_run(wanted).stem
    except RunNotFoundError:
        from secretary_tui.delegation.undo.undo_store import undo_dir

        if wanted and "/" not in wanted and (undo_dir() / wanted).is_dir():
            return wanted
        raise


def _show(opened: Undo, files: tuple[UndoFile, ...]) -> None:
    rows = [
        (file.verb, _STATUS_WORDS[file.status], ", ".join(file.change.by), reveal(file.path))
        for file in files
    ]
    if rows:
        # A working tree of the run's own, where its changes were never applied; another project.
        note(f"In {shown(opened.changes.root)}:")
        say_table(("what", "now", "by", "file"), rows)
    else:
        note("The run changed no files.")
    for sentence in opened.changes.notes:
        note(sentence)


def _confirmed(count: int, *, redo: bool) -> bool:
    if not somebody_is_there():
        note("Nothing was changed: there is no terminal to ask. Give --yes, or --diff to look.")
        return False
    verb = "Redo" if redo else "Undo"
    if is_confirmed(f"{verb} {amount(count, 'file')}? [y/N] "):
        return True
    note("Nothing was changed.")
    return False


def _carry_out(
    opened: Undo, ready: list[UndoFile], files: tuple[UndoFile, ...], *, redo: bool
) -> int:
    if redo:
        for file in ready:
            opened.redo(file.path)
    elif len(ready) == len(files) > 1:
        opened.restore_all()
    else:
        for file in ready:
            opened.restore(file.path)
    after = {file.path: file for file in opened.files()}
    wanted = UndoStatus.CHANGED if redo else UndoStatus.UNDONE
    # A file that is as before the run and was so all along is no longer among the changed.
    done = [f for f in ready if f.path not in after or after[f.path].status is wanted]
    note(f"{'Redone' if redo else 'Undone'}: {amount(len(done), 'file')}.")
    left = [file for file in files if after.get(file.path, file).status is UndoStatus.CONFLICT]
    lost = [file for file in files if after.get(file.path, file).status is UndoStatus.LOST]
    for file in (*left, *lost):
        note(reveal(after[file.path].reason))
    if left:
        note("--beside writes the originals of such files next to them.")
    return ExitCode.DONE if len(done) == len(ready) and not left else ExitCode.FAILED


def _beside(opened: Undo, files: tuple[UndoFile, ...]) -> int:
    written = 0
    for file in files:
        if file.status is UndoStatus.CONFLICT:
            note(f"Wrote {reveal(opened.put_beside(file.path))}.")
            written += 1
    if not written:
        note("No file was changed since the run, so nothing was written.")
    return ExitCode.DONE


def _status(files: tuple[UndoFile, ...], wanted: UndoStatus) -> int:
    stuck = [file for file in files if file.reason and wanted is UndoStatus.CHANGED]
    for file in stuck:
        note(file.reason)
    return ExitCode.FAILED if stuck else ExitCode.DONE
