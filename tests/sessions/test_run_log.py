"""The log of a run as it is written."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui import paths
from secretary_tui.events import (
    ModelStarting,
    Notice,
    PromptRead,
    RunStarted,
    TextDelta,
    ThinkingDelta,
    TurnStarted,
)
from secretary_tui.sessions.errors import RunNotFoundError, SessionError
from secretary_tui.sessions.run_log import RunLog, is_being_written, project_runs_dir
from secretary_tui.sessions.store import find_run, load_run


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def lines(log: RunLog) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.path.read_bytes().splitlines()]


def test_every_event_is_a_line_with_type_first_and_the_time_in_utc(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, "r1") as log:
        log.append(TurnStarted(1))
        log.append(Notice("Careful."))
    first, second = lines(log)
    assert list(first) == ["type", "turn", "at"]
    assert second["text"] == "Careful."
    assert str(first["at"]).endswith("+00:00")


def test_a_passing_state_is_not_kept_and_breaks_no_text(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, "r1") as log:
        for event in (
            *(ModelStarting("tiny"), TextDelta("one ")),
            *(PromptRead(1, 2, 0.5), TextDelta("text")),
        ):
            log.append(event)
    (line,) = lines(log)
    assert line["text"] == "one text"


def test_the_log_is_readable_by_its_user_alone(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        with RunLog.create(tmp_path, "r1") as log:
            assert log.path.stat().st_mode & 0o777 == 0o600
            assert log.path.parent.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(previous)


def test_projects_of_one_name_have_folders_of_their_own(tmp_path: Path) -> None:
    one, other = project_runs_dir(tmp_path / "a" / "app"), project_runs_dir(tmp_path / "b" / "app")
    assert one != other
    assert one.name.startswith("app-")
    assert one.parent == paths.runs_dir()


async def test_neighbouring_deltas_become_one_line_and_kinds_stay_apart(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, "r1") as log:
        for piece in ("Hel", "lo ", "there"):
            log.append(TextDelta(piece))
        log.append(ThinkingDelta("hm"))
        log.append(TextDelta("."))
        log.append(TurnStarted(2))
        found = [(line["type"], line.get("text")) for line in lines(log)]
    assert found == [
        ("text_delta", "Hello there"),
        ("thinking_delta", "hm"),
        ("text_delta", "."),
        ("turn_started", None),
    ]


def test_a_delta_is_on_the_disk_at_once_though_its_line_is_open(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, "r1") as log:
        for said in ("half", " a", " sen"):
            log.append(TextDelta(said))
        assert load_run("r1").events == (TextDelta("half a sen"),)
        assert load_run("r1").unreadable_lines == 0


def test_very_long_text_is_spread_over_lines(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, "r1") as log:
        for _ in range(10):
            log.append(TextDelta("x" * 3_000))
    events = load_run("r1").events
    assert len(events) > 1
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "x" * 30_000


@given(
    st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from('\\"}, \n\ud800')), min_size=1),
    st.data(),
)
def test_text_cut_anywhere_reads_back_as_its_beginning(
    pieces: list[str], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", folder)
        with RunLog.create(Path(folder), "r1") as log:
            log.append(TurnStarted(1))
            whole = log.path.stat().st_size
            for piece in pieces:
                log.append(TextDelta(piece))
        line = log.path.read_bytes()
        head = whole + len('{"type": "text_delta", "text": "')
        cut = data.draw(st.integers(head, len(line)))
        log.path.write_bytes(line[:cut])
        with RunLog.open(find_run("r1")) as again:
            again.append(TurnStarted(2))
        first, text, last = load_run("r1").events
    assert (first, last) == (TurnStarted(1), TurnStarted(2))
    assert isinstance(text, TextDelta)
    assert "".join(pieces).startswith(text.text)


def test_text_that_is_no_valid_unicode_reads_back_as_it_was(tmp_path: Path) -> None:
    odd = "é\ud800\u2028\x00 \U0001f600"
    with RunLog.create(tmp_path, "r1") as log:
        log.append(TextDelta(odd))
    assert load_run("r1").events == (TextDelta(odd),)


def test_a_run_id_is_used_once(tmp_path: Path) -> None:
    RunLog.create(tmp_path, "r1").close()
    with pytest.raises(SessionError, match="exists already"):
        RunLog.create(tmp_path, "r1")


def test_a_log_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    log = RunLog.create(tmp_path, "r1")
    log.append(TurnStarted(1))
    log.close()
    with log.path.open("ab") as file:
        file.write(b'{"type": "text_del')
    with RunLog.open(find_run("r1")) as again:
        again.append(TurnStarted(2))
    record = load_run("r1")
    assert record.events == (TurnStarted(1), TurnStarted(2))
    assert record.unreadable_lines == 1


def test_a_run_that_does_not_exist_can_not_be_opened() -> None:
    with pytest.raises(RunNotFoundError):
        RunLog.open(find_run("20200101"))


def test_two_writers_do_not_share_a_log(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, "r1") as log:
        assert is_being_written(log.path)
        with pytest.raises(SessionError, match="another window"):
            RunLog.open(find_run("r1"))
    assert not is_being_written(log.path)


def test_a_full_disk_is_a_clear_sentence_and_the_log_recovers(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, "r1") as log:
        log.append(TurnStarted(1))
        size = log.path.stat().st_size
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limits[1]))
        try:
            with pytest.raises(SessionError, match="can't be logged"):
                log.append(Notice("x" * 500))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, previous)
        log.append(TurnStarted(2))
    record = load_run("r1")
    assert record.events == (TurnStarted(1), TurnStarted(2))
    assert record.unreadable_lines == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full (Linux)")
def test_no_space_left_names_the_disk() -> None:
    log = RunLog(Path("/dev/full"), os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(SessionError, match="the disk is full"):
        log.append(TurnStarted(1))
    log.close()


def test_a_folder_that_can_not_be_made_is_a_clear_sentence(tmp_path: Path, state: Path) -> None:
    state.write_text("a file where a folder should be")
    with pytest.raises(SessionError, match="can't be logged"):
        RunLog.create(tmp_path, "r1")


KILLED = """
import asyncio, sys
from pathlib import Path
from secretary_tui.events import TextDelta, Notice
from secretary_tui.sessions.run_log import RunLog

async def main():
    log = RunLog.create(Path(sys.argv[1]), "killed")
    log.append(Notice("before"))
    log.append(TextDelta("streamed "))
    log.append(TextDelta("to the end"))
    print(log.path, flush=True)
    sys.stdin.read()

asyncio.run(main())
"""


def test_a_killed_process_loses_nothing_that_it_was_given(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    record = load_run("killed")
    assert record.events == (Notice("before"), TextDelta("streamed to the end"))
    assert record.unreadable_lines == 0


def test_a_start_can_hold_everything(tmp_path: Path) -> None:
    started = RunStarted(
        run_id="r1",
        agent="a:b",
        agent_path="/a.md",
        agent_hash="0",
        request="do",
        task="Task: do",
        system="You are.",
        engine="local",
        model="m",
        tools=("Read",),
        permission_mode="ask",
        project=str(tmp_path),
        started_at="2026-11-20T09:31:12+00:00",
        confidence=80,
    )
    with RunLog.create(tmp_path, "r1") as log:
        log.append(started)
    assert load_run("r1").started == started
