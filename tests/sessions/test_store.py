"""Stored runs: listed fast, found by a part of their id, read whatever happened to the file."""

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from secretary_tui import paths
from secretary_tui.events import (
    MessageAdded,
    Notice,
    Outcome,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    Todo,
    TodosChanged,
    TurnStarted,
    Usage,
    UsageAdded,
    to_json,
)
from secretary_tui.sessions.errors import AmbiguousRunError, RunNotFoundError
from secretary_tui.sessions.run_log import RunLog
from secretary_tui.sessions.store import (
    RunOutcome,
    find_run,
    list_runs,
    load_run,
    new_run_id,
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def started(project: Path, run_id: str, request: str = "Review the auth module") -> RunStarted:
    return RunStarted(
        run_id=run_id,
        agent="security:reviewer",
        agent_path="/agents/reviewer.md",
        agent_hash="00",
        request=request,
        task=f"Task: {request}",
        system="You review.",
        engine="anthropic",
        model="claude-sonnet-5-5",
        tools=("Read", "Grep"),
        permission_mode="ask",
        project=str(project),
        started_at="2026-11-20T09:31:12+00:00",
    )


FINISHED = RunFinished(Outcome.DONE, "end_turn", "Fine.", Usage(100, 20, 3, 4), 0.01, 2, 3.5)
FAILED = RunFailed("The key is not valid.", "Check it.", False, Usage(), None, 0.2)


def whole_run(project: Path, run_id: str) -> tuple[RunEvent, ...]:
    return (
        started(project, run_id),
        MessageAdded("user", "Task: go"),
        TurnStarted(1),
        TextDelta("Fine."),
        MessageAdded("assistant", [{"type": "text", "text": "Fine."}]),
        UsageAdded(Usage(100, 20, 3, 4), 0.01),
        FINISHED,
    )


def store(project: Path, run_id: str, events: tuple[RunEvent, ...]) -> Path:
    with RunLog.create(project, run_id) as log:
        for event in events:
            log.append(event)
    return log.path


def test_new_ids_sort_by_time_and_are_short() -> None:
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", new_run_id())


def test_runs_are_listed_newest_first_with_what_the_history_shows(tmp_path: Path) -> None:
    for run_id in ("20260102-000000-aaaa", "20260103-000000-aaaa", "20260101-000000-aaaa"):
        store(tmp_path, run_id, whole_run(tmp_path, run_id))
    runs = list_runs(tmp_path)
    assert [run.id[:8] for run in runs] == ["20260103", "20260102", "20260101"]
    newest = runs[0]
    assert newest.agent == "security:reviewer"
    assert newest.request == "Review the auth module"
    assert newest.outcome is RunOutcome.DONE
    assert (newest.model, newest.engine) == ("claude-sonnet-5-5", "anthropic")
    assert (newest.cost_usd, newest.turns, newest.tokens) == (0.01, 2, 127)
    assert newest.size == newest.path.stat().st_size
    assert newest.project == str(tmp_path)


def test_a_project_lists_its_own_runs_and_none_lists_all(tmp_path: Path) -> None:
    for name in ("a", "b"):
        store(tmp_path / name, f"2026-{name}", whole_run(tmp_path / name, f"2026-{name}"))
    assert [run.id for run in list_runs(tmp_path / "a")] == ["2026-a"]
    assert [run.id for run in list_runs(None)] == ["2026-b", "2026-a"]


def test_nothing_stored_lists_nothing(tmp_path: Path) -> None:
    assert list_runs(tmp_path) == ()


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        (FINISHED, RunOutcome.DONE),
        (FAILED, RunOutcome.FAILED),
        (
            RunFinished(Outcome.INTERRUPTED, "interrupted", "", Usage(), None, 1, 1),
            RunOutcome.INTERRUPTED,
        ),
        (RunFinished(Outcome.PARTIAL, "max_tokens", "", Usage(), None, 1, 1), RunOutcome.PARTIAL),
        (TextDelta("and th"), RunOutcome.CUT_OFF),
    ],
)
def test_the_last_event_tells_how_a_run_ended(
    tmp_path: Path, last: RunEvent, outcome: RunOutcome
) -> None:
    store(tmp_path, "r1", (started(tmp_path, "r1"), last, Notice("Saved.")))
    assert list_runs(tmp_path)[0].outcome is outcome
    assert load_run("r1").outcome is outcome


def test_a_run_that_goes_on_is_running_and_not_cut_off(tmp_path: Path) -> None:
    with RunLog.create(tmp_path, "r1") as log:
        log.append(started(tmp_path, "r1"))
        assert list_runs(tmp_path)[0].outcome is RunOutcome.RUNNING
    assert list_runs(tmp_path)[0].outcome is RunOutcome.CUT_OFF


def test_a_continued_run_that_died_is_cut_off_though_its_first_part_ended(tmp_path: Path) -> None:
    store(tmp_path, "r1", (*whole_run(tmp_path, "r1"), started(tmp_path, "r1"), TurnStarted(1)))
    assert list_runs(tmp_path)[0].outcome is RunOutcome.CUT_OFF


def test_a_long_last_line_is_still_found(tmp_path: Path) -> None:
    long = RunFinished(Outcome.DONE, "end_turn", "x" * 300_000, Usage(1, 1), 0.5, 3, 1.0)
    store(tmp_path, "r1", (started(tmp_path, "r1"), TextDelta("y" * 300_000), long))
    assert list_runs(tmp_path)[0].turns == 3


def test_a_run_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    for run_id in ("20260101-000000-aaaa", "20260101-000000-bbbb", "20260102-000000-aaaa"):
        store(tmp_path, run_id, whole_run(tmp_path, run_id))
    assert load_run("20260102").id == "20260102-000000-aaaa"
    with pytest.raises(AmbiguousRunError) as ambiguous:
        load_run("20260101")
    assert ambiguous.value.candidates == ("20260101-000000-bbbb", "20260101-000000-aaaa")


def test_an_unknown_run_names_the_nearest(tmp_path: Path) -> None:
    store(tmp_path, "20260101-000000-aaaa", whole_run(tmp_path, "20260101-000000-aaaa"))
    with pytest.raises(RunNotFoundError, match="20260101-000000-aaaa"):
        load_run("20260101-000000-aaab")


@pytest.mark.parametrize("wanted", ["", "../x", "*", "/etc/passwd"])
def test_an_id_is_no_path(tmp_path: Path, wanted: str) -> None:
    store(tmp_path, "20260101-000000-aaaa", whole_run(tmp_path, "20260101-000000-aaaa"))
    with pytest.raises(RunNotFoundError):
        find_run(wanted)


def test_a_whole_run_reads_back(tmp_path: Path) -> None:
    events = whole_run(tmp_path, "r1")
    store(tmp_path, "r1", events)
    record = load_run("r1")
    assert record.events == events
    assert record.started == events[0]
    assert record.messages == (
        {"role": "user", "content": "Task: go"},
        {"role": "assistant", "content": [{"type": "text", "text": "Fine."}]},
    )
    assert (record.usage, record.cost_usd) == (Usage(100, 20, 3, 4), 0.01)
    assert record.problem == ""


def test_a_list_of_steps_reads_back_unless_its_steps_are_none(tmp_path: Path) -> None:
    steps = TodosChanged((Todo("Read", "completed"), Todo("Write")))
    store(tmp_path, "r1", (started(tmp_path, "r1"), steps, FINISHED))
    assert load_run("r1").events[1] == steps
    assert load_run("r1").problem == ""
    foreign = TodosChanged((Todo(7),))  # type: ignore[arg-type]
    store(tmp_path, "r2", (started(tmp_path, "r2"), foreign, FINISHED))
    assert "1 damaged line" in load_run("r2").problem


def test_an_unknown_price_stays_unknown(tmp_path: Path) -> None:
    paid = (UsageAdded(Usage(1), 0.5), UsageAdded(Usage(1), None))
    store(tmp_path, "r1", (started(tmp_path, "r1"), *paid))
    assert load_run("r1").cost_usd is None


def test_foreign_lines_are_counted_and_left_out(tmp_path: Path) -> None:
    path = store(tmp_path, "r1", whole_run(tmp_path, "r1"))
    with path.open("ab") as file:
        file.write(b'garbage\n{"type": "from_the_future", "x": 1}\n\xff\xfe\n[1]\n')
        file.write(b'{"type": "usage_added", "usage": 3, "cost_usd": null}\n')
        file.write(b'{"type": "usage_added", "usage": {"input_tokens": "x"}, "cost_usd": null}\n')
        file.write(b'{"type": "message_added", "role": 7, "content": {}}\n{"type": 5}\n')
        file.write(b"[" * 100_000 + b'\n{"type": "text_delta", "te')
    record = load_run("r1")
    assert record.events == whole_run(tmp_path, "r1")
    assert (record.unreadable_lines, record.unknown_events) == (9, 1)
    assert "9 damaged line(s) and 1 event(s) of another version" in record.problem
    assert list_runs(tmp_path)[0].outcome is RunOutcome.DONE


WHOLE = b"".join(
    json.dumps(to_json(event), ensure_ascii=False).encode() + b"\n"
    for event in (*whole_run(Path("/p"), "torn"), TextDelta("é"))
)
NUMBERS = itertools.count()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, len(WHOLE)), junk=st.binary(max_size=40))
@example(cut=0, junk=b"")
@example(cut=0, junk=b"\n\n")
def test_a_file_torn_at_any_byte_is_read(tmp_path: Path, cut: int, junk: bytes) -> None:
    run_id = f"torn-{next(NUMBERS):06d}"
    folder = paths.runs_dir() / "p"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{run_id}.jsonl"
    path.write_bytes(WHOLE[:cut] + junk)
    record = load_run(run_id)
    assert record.started.run_id in (run_id, "torn")
    assert list_runs(None)[0].id == run_id
    path.unlink()
