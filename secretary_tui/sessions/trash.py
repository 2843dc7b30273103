"""Deleting a run: all that belongs to it moves to the trash, from where it comes back whole.

    trash/RUN/origin            the name of the project's folder of logs
    trash/RUN/RUN.jsonl         the log
    trash/RUN/RUN.files         its pictures and documents
    trash/RUN/undo              the originals of the files it changed

After `KEPT_DAYS` a deleted run is dropped for good, when another one is deleted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from secretary_tui import paths
from secretary_tui.sessions.attachments import folder_of
from secretary_tui.sessions.errors import SessionError
from secretary_tui.sessions.run_log import is_being_written
from secretary_tui.sessions.store import RunSummary, find_run, summarize

KEPT_DAYS = 30
_ORIGIN = "origin"


def delete_run(run_id: str) -> str:
    """Move a run to the trash; gives its id.

    Raises:
        SessionError: there is no such run, it is still going on, or it can't be moved.
    """
    log = find_run(run_id)
    if is_being_written(log):
        raise SessionError(f"the run {log.stem} is still going on. Delete it when it has ended.")
    drop_old()
    place = paths.trash_dir() / log.stem
    try:
        paths.make_private_folder(place)
        paths.write_atomic(place / _ORIGIN, log.parent.name)
        # The log last: cut off in between, the run is still listed and can be deleted again.
        for source, target in reversed(_moves(log, place)):
            _move(source, target)
    except OSError as error:
        raise _fault(log, error) from None
    return log.stem


def restore_run(run_id: str) -> str:
    """Bring a deleted run back; gives its id.

    Raises:
        SessionError: it isn't in the trash, a run of this id stands in its place, or it can't be
            moved.
    """
    names = [place.name for place in _places()]
    fitting = [n for n in names if n == run_id] or [n for n in names if n.startswith(run_id)]
    if len(fitting) != 1 or not run_id:
        known = ", ".join(names[:5]) or "nothing"
        raise SessionError(f"no one run {run_id!r} was deleted; in the trash: {known}")
    place = paths.trash_dir() / fitting[0]
    try:
        name = Path((place / _ORIGIN).read_text(errors="replace")).name
        if name in ("", ".."):
            raise SessionError(f"{place / _ORIGIN} doesn't say where the run stood.")
        folder = paths.runs_dir() / name
        moves = _moves(folder / f"{fitting[0]}.jsonl", place)
        for target, source in moves:
            if os.path.lexists(target) and os.path.lexists(source):
                raise SessionError(f"{target} is there already. Delete or move that one first.")
        paths.make_private_folder(folder)
        for target, source in moves:
            _move(source, target)
    except OSError as error:
        raise _fault(place, error) from None
    shutil.rmtree(place, ignore_errors=True)
    return fitting[0]


def deleted_runs() -> tuple[RunSummary, ...]:
    """What the trash holds, the newest run first."""
    found = []
    for place in _places():
        with contextlib.suppress(OSError):
            found.append(summarize(place / f"{place.name}.jsonl"))
    return tuple(found)


def drop_old(days: float = KEPT_DAYS) -> None:
    """Drop what was deleted longer ago than that."""
    limit = time.time() - days * 86_400
    for place in _places():
        with contextlib.suppress(OSError):
            if (place / _ORIGIN).stat().st_mtime < limit:
                shutil.rmtree(place, ignore_errors=True)


def _places() -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from sorted((p for p in paths.trash_dir().iterdir() if p.is_dir()), reverse=True)


def _moves(log: Path, place: Path) -> list[tuple[Path, Path]]:
    """Where each part of a run lives, and its place in the trash; the log first."""
    return [
        (log, place / log.name),
        (folder_of(log), place / folder_of(log).name),
        (paths.undo_dir() / log.stem, place / "undo"),
    ]


def _move(source: Path, target: Path) -> None:
    if not os.path.lexists(source):
        return
    if os.path.lexists(target):  # A file would be lost.
        raise FileExistsError(errno.EEXIST, f"{target} is there already")
    source.rename(target)


def _fault(path: Path, error: OSError) -> SessionError:
    return SessionError(f"{path} can't be moved: {error.strerror}. Check the folder.")
