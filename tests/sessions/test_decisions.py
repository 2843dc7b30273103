"""The log of decisions: what survives a crash, a stranger's line and a second window."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.people import AgentMatch, Recommendation, RouteAction, RouteChoice
from secretary_tui.sessions import decisions
from secretary_tui.sessions.decisions import (
    Decision,
    DecisionLog,
    DecisionReader,
    all_projects,
    new_decision,
)
from tests.sessions.stored_decisions import decision

ASKED = Recommendation(
    "review the login",
    "review the login",
    (
        AgentMatch("reviewer", "/a/reviewer.md", 88, ""),
        AgentMatch("auditor", "/a/auditor.md", 61, ""),
    ),
    "reviewer",
)


@pytest.fixture
def log(tmp_path: Path) -> DecisionLog:
    return DecisionLog(tmp_path / "decisions.jsonl")


def asked() -> Decision:
    return new_decision(ASKED, conversation="c1")


def test_a_decision_is_read_as_it_was_written_and_the_choice_with_it(log: DecisionLog) -> None:
    made = asked()
    log.add(made)
    assert log.load() == (made,)
    log.choose(made.id, RouteChoice(RouteAction.ALTERNATIVE, "auditor", "go"), run_id="r1")
    (found,) = log.load()
    assert (found.action, found.agent, found.run_id) == ("alternative", "auditor", "r1")
    assert [shown.confidence for shown in found.shown] == [88, 61]


def test_the_file_is_its_users_alone(log: DecisionLog) -> None:
    log.add(asked())
    assert log.path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[1]",
        "{",
        '{"decision": 3}',
        '{"decision": {"id": "x"}}',
        '{"chosen": {"id": ["x"], "action": "accept"}}',
        '{"chosen": {"id": "unknown", "action": "accept", "agent": "a"}}',
        '{"chosen": "x"}',
        "[" * 20_000,
        "\udcff".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_damaged_and_foreign_lines_are_left_out(log: DecisionLog, line: str) -> None:
    first, last = asked(), asked()
    log.add(first)
    with log.path.open("a", encoding="latin-1") as file:
        file.write(line + "\n")
    log.add(last)
    assert log.load() == (first, last)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "3"),
        ("at", "NaN"),
        ("at", "1e999"),
        ("at", "9" * 400),
        ("at", '"now"'),
        ("latency_ms", "-Infinity"),
        ("cost_usd", "NaN"),
        ("request", "null"),
        ("shown", '"abc"'),
        ("shown", '[{"agent": "a", "path": "/a", "confidence": 1e999}]'),
        ("action", '"adopt"'),
        ("agent", "7"),
    ],
)
def test_a_decision_with_an_impossible_value_is_left_out(
    log: DecisionLog, name: str, value: str
) -> None:
    log.add(asked())
    line = json.loads(log.path.read_text())
    fields = [json.dumps(key) + ":" + json.dumps(v) for key, v in line["decision"].items()]
    replaced = [f'"{name}":{value}' if text.startswith(f'"{name}":') else text for text in fields]
    log.path.write_text('{"decision":{' + ",".join(replaced) + "}}\n")
    assert log.load() == ()


def test_a_choice_that_is_none_leaves_the_decision_open(log: DecisionLog) -> None:
    made = asked()
    log.add(made)
    with log.path.open("a") as file:
        file.write(json.dumps({"chosen": {"id": made.id, "action": "adopt", "agent": "a"}}) + "\n")
    assert log.load() == (made,)


@given(cut=st.integers(min_value=0))
def test_a_log_cut_anywhere_keeps_what_came_before_and_takes_more(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    log = DecisionLog(tmp_path_factory.mktemp("log") / "decisions.jsonl")
    first, torn, last = asked(), asked(), asked()
    log.add(first)
    whole = log.path.stat().st_size
    log.add(torn)
    # Cut before the brace that ends it: a line that lacks its newline alone is whole.
    os.truncate(log.path, whole + cut % (log.path.stat().st_size - whole - 1))
    log.add(last)
    assert log.load() == (first, last)


def test_of_a_long_file_the_end_is_read(log: DecisionLog, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [asked() for _ in range(20)]
    for each in made:
        log.add(each)
    found = DecisionReader(log, most_bytes=log.path.stat().st_size // 2).read()
    assert 0 < len(found) < 20
    assert found == tuple(made[-len(found) :])


def test_a_reader_parses_only_what_was_added(
    log: DecisionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.add(asked())
    reader = DecisionReader(log)
    before = reader.read()
    assert reader.read() is before
    parsed: list[bytes] = []
    loads = json.loads
    monkeypatch.setattr(decisions.json, "loads", lambda text: (parsed.append(text), loads(text))[1])
    log.add(made := asked())
    assert reader.read() == (*before, made)
    assert len([text for text in parsed if text]) == 1


def test_a_reader_waits_for_the_end_of_a_line(log: DecisionLog) -> None:
    log.add(made := asked())
    text = log.path.read_text()
    log.path.write_text(text[:40])
    reader = DecisionReader(log)
    assert reader.read() == ()
    with log.path.open("a") as file:
        file.write(text[40:])
    assert reader.read() == (made,)


def test_a_reader_notices_what_was_forgotten_and_a_file_that_went(log: DecisionLog) -> None:
    gone, kept = asked(), asked()
    for each in (gone, kept):
        log.add(each)
        log.choose(each.id, RouteChoice(RouteAction.ACCEPT, "reviewer"))
    reader = DecisionReader(log)
    assert len(reader.read()) == 2
    log.forget([gone.id])
    assert [found.id for found in reader.read()] == [kept.id]
    assert gone.id not in log.path.read_text()
    log.path.unlink()
    assert reader.read() == ()


def test_forgetting_what_is_not_there_writes_nothing(log: DecisionLog) -> None:
    log.forget(["x"])
    log.clear()
    assert not log.path.exists()
    log.add(asked())
    before = log.path.stat().st_ino
    log.forget(["x"])
    assert log.path.stat().st_ino == before


def test_clearing_takes_all_out(log: DecisionLog) -> None:
    log.add(asked())
    log.clear()
    assert log.path.read_text() == ""
    log.add(made := asked())
    assert log.load() == (made,)


def _add_many(path: Path, start: int) -> None:
    log = DecisionLog(path)
    for number in range(start, start + 50):
        log.add(decision(number))
        log.choose(decision(number).id, RouteChoice(RouteAction.ACCEPT, "auditor"))


def test_windows_that_write_at_once_lose_nothing(log: DecisionLog) -> None:
    spawn = multiprocessing.get_context("spawn")
    windows = [spawn.Process(target=_add_many, args=(log.path, n * 50)) for n in range(2)]
    for window in windows:
        window.start()
    for window in windows:
        window.join(60)
    found = log.load()
    assert {each.id for each in found} == {decision(number).id for number in range(100)}
    assert all(each.agent == "auditor" for each in found)


def test_forgetting_while_another_writes_loses_nothing_of_the_others(log: DecisionLog) -> None:
    doomed = [decision(number) for number in range(1000, 1040)]
    for each in doomed:
        log.add(each)
    writer = threading.Thread(target=_add_many, args=(log.path, 0))
    writer.start()
    for each in doomed:
        log.forget([each.id])
    writer.join(60)
    assert {each.id for each in log.load()} == {decision(number).id for number in range(50)}


def test_what_cannot_be_written_costs_the_memory_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = DecisionLog(tmp_path / "file" / "decisions.jsonl")
    log.add(asked())
    assert log.load() == ()


def test_a_pipe_in_the_place_of_the_log_holds_nobody_up(log: DecisionLog) -> None:
    os.mkfifo(log.path)
    log.add(asked())
    assert log.load() == ()


def test_each_project_has_a_log_of_its_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for project in (one, other):
        project.mkdir()
        DecisionLog.of(project).add(asked())
    assert {log.path for log in all_projects()} == {
        DecisionLog.of(project).path for project in (one, other)
    }
