"""Deleting runs: all that belongs to one goes, and all of it comes back."""

import os
import time
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.sessions.attachments import folder_of
from secretary_tui.sessions.errors import RunNotFoundError, SessionError
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import list_runs, load_run
from secretary_tui.sessions.trash import (
    KEPT_DAYS,
    delete_run,
    deleted_runs,
    drop_old,
    restore_run,
)
from tests.sessions.run_logs import answered, started, write

RUN = "20261120-093112-a1b2"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = write(tmp_path, RUN, "first", answered("Fine."))
    folder_of(path).mkdir()
    (folder_of(path) / "picture").write_text("p")
    originals = paths.undo_dir() / RUN
    originals.mkdir(parents=True)
    (originals / "journal.jsonl").write_text("{}\n")
    return path


def test_the_log_its_pictures_and_its_originals_go_and_come_back(tmp_path: Path, log: Path) -> None:
    before = log.read_bytes()
    assert delete_run("20261120") == RUN
    assert list_runs(tmp_path) == ()
    assert not folder_of(log).exists()
    assert not (paths.undo_dir() / RUN).exists()
    with pytest.raises(RunNotFoundError):
        load_run(RUN)
    assert [run.request for run in deleted_runs()] == ["first"]
    assert restore_run(RUN) == RUN
    assert log.read_bytes() == before
    assert (folder_of(log) / "picture").read_text() == "p"
    assert (paths.undo_dir() / RUN / "journal.jsonl").exists()
    assert deleted_runs() == ()


def test_the_trash_is_its_users_alone(log: Path) -> None:
    delete_run(RUN)
    for path in (paths.trash_dir(), paths.trash_dir() / RUN):
        assert path.stat().st_mode & 0o077 == 0


def test_a_run_that_goes_on_is_not_deleted(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, RUN) as log:
        log.append(started(tmp_path, RUN, "first"))
        with pytest.raises(SessionError, match="still going on"):
            delete_run(RUN)
    assert len(list_runs(tmp_path)) == 1


def test_what_lies_in_the_trash_for_long_is_dropped(log: Path) -> None:
    delete_run(RUN)
    drop_old()
    assert deleted_runs()
    old = time.time() - (KEPT_DAYS + 1) * 86_400
    os.utime(paths.trash_dir() / RUN / "origin", (old, old))
    drop_old()
    assert deleted_runs() == ()


def test_what_was_not_deleted_can_not_be_restored(log: Path) -> None:
    for wanted in (RUN, "", ".."):
        with pytest.raises(SessionError, match="was deleted; in the trash: nothing"):
            restore_run(wanted)


def test_a_deletion_that_was_cut_off_is_finished_by_the_next(log: Path) -> None:
    place = paths.trash_dir() / RUN
    place.mkdir(parents=True)
    (paths.undo_dir() / RUN).rename(place / "undo")
    delete_run(RUN)
    restore_run(RUN)
    assert log.exists()
    assert (paths.undo_dir() / RUN / "journal.jsonl").exists()


def test_a_run_that_stands_in_its_place_is_not_overwritten(tmp_path: Path, log: Path) -> None:
    delete_run(RUN)
    write(tmp_path, RUN, "second", answered("Fine."))
    with pytest.raises(SessionError, match="is there already"):
        restore_run(RUN)
    with pytest.raises(SessionError, match="is there already"):
        delete_run(RUN)
    assert [run.request for run in list_runs(tmp_path)] == ["second"]
    assert [run.request for run in deleted_runs()] == ["first"]


@pytest.mark.parametrize("origin", ["..", "", "../..", "\xff/"])
def test_a_run_comes_back_among_the_logs_or_not_at_all(log: Path, origin: str) -> None:
    delete_run(RUN)
    (paths.trash_dir() / RUN / "origin").write_text(origin, encoding="latin-1")
    try:
        restore_run(RUN)
    except SessionError as error:
        assert "doesn't say where" in str(error)
    found = list(paths.state_dir().rglob(f"{RUN}.jsonl"))
    assert len(found) == 1
    assert found[0].parent.parent in (paths.runs_dir(), paths.trash_dir().parent / "trash")
