"""A run that another process writes is read as it grows: whole events, text piece by piece, an end
when the run or its writer ends, and no wait for what never comes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from secretary_tui.events import (
    Notice,
    Outcome,
    RunEvent,
    RunFinished,
    TextDelta,
    ToolFinished,
    ToolStarted,
    Usage,
    to_json,
)
from secretary_tui.sessions.errors import RunNotFoundError, SessionError
from secretary_tui.sessions.follow import FollowedLog, follow
from secretary_tui.sessions.run_log import RunLog, project_runs_dir
from secretary_tui.sessions.trash import delete_run
from tests.sessions.run_logs import started

RUN = "20261120-093112-a1b2"
TOOL = ToolStarted("t1", "Read", "auth.py", {"path": "auth.py"})
END = RunFinished(Outcome.DONE, "end_turn", "All good.", Usage(3, 2), 0.1, 1, 2.0)


def open_files() -> int:
    """How many files this process has open, where the system says so."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


class Watcher:
    """Follows a run in a task of its own, and waits until something was seen."""

    def __init__(self, run_id: str = RUN) -> None:
        self.seen: list[RunEvent] = []
        self._news = asyncio.Event()
        self.task = asyncio.create_task(self._watch(run_id))

    async def _watch(self, run_id: str) -> None:
        async for event in follow(run_id):
            self.seen.append(event)
            self._news.set()

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.seen if isinstance(event, TextDelta))

    async def sees(self, *wanted: RunEvent) -> None:
        await self._until(lambda: all(event in self.seen for event in wanted))

    async def reads(self, text: str) -> None:
        await self._until(lambda: self.text == text)

    async def _until(self, condition) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await self._news.wait()
                self._news.clear()

    async def ends(self) -> list[RunEvent]:
        async with asyncio.timeout(20):
            await self.task
        return self.seen


async def test_events_come_while_the_run_goes_on_and_end_with_it(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, RUN) as log:
        log.append(started(tmp_path, RUN, "review"))
        watcher = Watcher(RUN[:13])
        await watcher.sees(started(tmp_path, RUN, "review"))
        log.append(TOOL)
        await watcher.sees(TOOL)
        log.append(END)
        await watcher.ends()
    assert watcher.seen == [started(tmp_path, RUN, "review"), TOOL, END]


async def test_an_answer_is_read_piece_by_piece_while_its_line_is_open(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, RUN) as log:
        log.append(started(tmp_path, RUN, "review"))
        watcher = Watcher()
        whole = ""
        for piece in ('The "login', "\\\n", "is öpen 🔓", "\ud800", "\t."):
            log.append(TextDelta(piece))
            whole += piece
            await watcher.reads(whole)
        log.append(TOOL)
        await watcher.sees(TOOL)
        assert watcher.text == whole
        log.append(TextDelta("Again."))
        await watcher.reads(f"{whole}Again.")
        log.append(END)
        assert (await watcher.ends())[-1] == END
    assert watcher.text == f"{whole}Again."


async def test_a_run_that_goes_on_after_an_end_is_followed_to_the_last_one(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, RUN) as log:
        for event in (started(tmp_path, RUN, "review"), END, TOOL):
            log.append(event)
        watcher = Watcher()
        await watcher.sees(TOOL)
        assert not watcher.task.done()
        log.append(END)
        log.append(Notice("said after the end"))
        assert (await watcher.ends())[:4] == [started(tmp_path, RUN, "review"), END, TOOL, END]


async def test_it_ends_when_the_writer_was_killed_and_gives_what_it_had_written(
    tmp_path: Path,
) -> None:
    code = f"""
import sys, time
from pathlib import Path
from secretary_tui.events import TextDelta
from secretary_tui.sessions.run_log import RunLog
from tests.sessions.run_logs import started
log = RunLog.create(Path(sys.argv[1]), {RUN!r})
log.append(started(Path(sys.argv[1]), {RUN!r}, "review"))
log.append(TextDelta("half an ans"))
print("written", flush=True)
time.sleep(60)
"""
    root = Path(__file__).parents[2]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, tmp_path), cwd=root, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    watcher = Watcher()
    await watcher.reads("half an ans")
    assert not watcher.task.done()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    seen = await watcher.ends()
    assert seen == [started(tmp_path, RUN, "review"), TextDelta("half an ans")]


async def test_a_run_that_ended_long_ago_is_given_whole(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, RUN) as log:
        for event in (started(tmp_path, RUN, "review"), TextDelta("All good."), END):
            log.append(event)
    assert await Watcher().ends() == [started(tmp_path, RUN, "review"), TextDelta("All good."), END]


async def test_foreign_and_huge_lines_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secretary_tui.sessions.follow.MAX_LINE", 2_000)
    monkeypatch.setattr("secretary_tui.sessions.follow._READ", 700)
    big = ToolFinished("t1", "Read", "x" * 3_000, False, 0.1)
    lines = [started(tmp_path, RUN, "review"), big, TOOL]
    path = project_runs_dir(tmp_path) / f"{RUN}.jsonl"
    path.parent.mkdir(parents=True)
    text = "".join(json.dumps(to_json(event)) + "\n" for event in lines)
    path.write_text(f'{text}{{"type": "mind_read"}}\n[1]\n\x00\n{{"type": "text_del')
    assert await Watcher().ends() == [started(tmp_path, RUN, "review"), TOOL]


async def test_a_log_that_is_moved_away_is_read_to_its_end(tmp_path: Path) -> None:
    log = RunLog.create(tmp_path, RUN)
    log.append(started(tmp_path, RUN, "review"))
    watcher = Watcher()
    await watcher.sees(started(tmp_path, RUN, "review"))
    log.path.unlink()
    log.append(TOOL)
    await watcher.sees(TOOL)
    log.close()
    assert await watcher.ends() == [started(tmp_path, RUN, "review"), TOOL]


async def test_a_log_that_was_only_just_made_is_waited_for(tmp_path: Path) -> None:
    path = project_runs_dir(tmp_path) / f"{RUN}.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    watcher = Watcher()
    await asyncio.sleep(0)
    with RunLog.open(path) as log:
        log.append(TOOL)
        await watcher.sees(TOOL)
    assert await watcher.ends() == [TOOL]


async def test_an_empty_log_is_not_waited_for_long(tmp_path: Path) -> None:
    RunLog.create(tmp_path, RUN).close()
    assert await Watcher().ends() == []


async def test_a_pipe_in_place_of_a_log_holds_nobody(tmp_path: Path) -> None:
    path = project_runs_dir(tmp_path) / f"{RUN}.jsonl"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(SessionError, match="no regular file"):
        await Watcher().ends()


async def test_a_run_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunNotFoundError):
        await Watcher().ends()


async def test_who_stops_following_leaves_no_file_open(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, RUN) as log:
        log.append(started(tmp_path, RUN, "review"))
        before = open_files()
        watcher = Watcher()
        await watcher.sees(started(tmp_path, RUN, "review"))
        watcher.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watcher.task
        assert open_files() <= before
    delete_run(RUN)


def test_looking_at_a_log_lets_its_next_writer_have_it(tmp_path: Path) -> None:
    RunLog.create(tmp_path, RUN).close()
    path = project_runs_dir(tmp_path) / f"{RUN}.jsonl"
    watched = FollowedLog(path)
    assert not watched.is_written()
    with RunLog.open(path):
        assert watched.is_written()
    watched.close()
