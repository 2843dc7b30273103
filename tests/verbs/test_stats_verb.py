"""`stats`: what choices and runs add up to, at the command line."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path

import pexpect

from tests.sessions.stored_decisions import decision, store
from tests.snapshots.stored_runs import store_runs
from tests.verbs.command_line import cli, environment

KEY = "sk-ant-api03-aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"


def test_the_figures_stand_beside_their_bars(project: Path) -> None:
    store(project)
    store_runs(project)
    done = cli("stats", cwd=project, env={"TZ": "UTC"})
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0] == "21 requests · 19 answered · 1 cancelled · 4 runs · $0.0492 + ?"
    accepted = next(line for line in lines if "recommendation accepted" in line)
    assert "▆▆▆" in accepted
    assert accepted.endswith("74 % of 19")
    assert any(line.split()[:4] == ["security-auditor", "21", "19", "14"] for line in lines)
    assert "\x1b" not in done.out
    assert max(map(len, lines)) <= 80


def test_an_empty_project_is_told_calmly(project: Path) -> None:
    done = cli("stats", cwd=project)
    assert (done.status, done.out) == (0, "")
    assert "No statistics for this project yet" in done.err
    found = cli("stats", "--json", cwd=project).json
    assert (found["requests"], found["agents"], found["accepted"]["share"]) == (0, [], None)


def test_json_holds_everything(project: Path) -> None:
    store(project)
    store_runs(project)
    found = cli("stats", "--json", cwd=project, env={"TZ": "UTC"}).json
    assert found["since"] is None
    assert found["accepted"] == {"hits": 14, "of": 19, "share": 14 / 19}
    assert found["right"]["of"] == 19
    assert found["kinds"] == {"delegate": 21}
    assert found["cost"]["unpriced"] == 2
    best = found["bands"][-1]
    assert (best["low"], best["high"], best["chosen"]["of"]) == (90, 100, 19)
    assert [period["start"] for period in found["periods"]][:2] == ["2026-01-01", "2026-01-02"]
    auditor = found["agents"][0]
    assert (auditor["agent"], auditor["accepted"], auditor["outcomes"]) == (
        "security-auditor",
        14,
        {"done": 1},
    )
    assert [use["engine"] for use in found["routing"]] == ["local", "Claude API · claude-haiku-4-5"]
    assert found["conversations"][0]["id"] == "talk-5"


def test_days_begin_with_today(project: Path) -> None:
    now = datetime.now()
    store(
        project,
        decision(1, at=now.timestamp()),
        decision(2, at=(now - timedelta(days=1)).timestamp()),
    )
    assert cli("stats", "--json", "--days", "1", cwd=project).json["requests"] == 1
    assert cli("stats", "--json", "--days", "2", cwd=project).json["requests"] == 2


def test_days_without_anything_say_so(project: Path) -> None:
    store(project)
    done = cli("stats", "--days", "2", cwd=project)
    assert (done.status, done.out) == (0, "")
    assert "Nothing happened in the last 2 days" in done.err


def test_one_agent_and_an_unknown_one(project: Path) -> None:
    store(project)
    assert [a["agent"] for a in agents(project, "--agent", "code-critic")] == ["code-critic"]
    done = cli("stats", "--agent", "cod-critc", cwd=project)
    assert done.status == 0
    assert "Did you mean code-critic?" in done.err


def agents(project: Path, *arguments: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = cli("stats", "--json", *arguments, cwd=project).json["agents"]
    return found


def test_all_projects_are_counted_together(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store(project, decision(1))
    store(elsewhere, decision(2))
    assert cli("stats", "--json", cwd=project).json["requests"] == 1
    assert cli("stats", "--json", "--all-projects", cwd=project).json["requests"] == 2


def test_no_key_reaches_the_statistics(project: Path) -> None:
    store(project, decision(request=KEY, agent=KEY, recommended=KEY, conversation=KEY, engine=KEY))
    for more in ((), ("--json",)):
        done = cli("stats", *more, cwd=project)
        assert "[redacted]" in done.out
        assert KEY not in done.out + done.err


def test_a_terminal_gives_the_width(project: Path) -> None:
    store(project)
    child = pexpect.spawn(
        sys.executable,
        ["-m", "secretary_tui", "stats"],
        cwd=str(project),
        env=environment(),  # type: ignore[arg-type]
        dimensions=(24, 72),
        encoding="utf-8",
        timeout=60,
    )
    lines = child.read().splitlines()
    assert max(map(len, lines)) in range(66, 73)


def test_a_pipe_without_blocks_gets_plain_bars(project: Path) -> None:
    store(project)
    done = cli("stats", cwd=project, env={"PYTHONIOENCODING": "ascii"})
    assert done.status == 0
    assert "####" in done.out
    assert "\\u25" not in done.out


def test_days_must_be_a_number_of_days(project: Path) -> None:
    for wrong in ("0", "-1", "many", "1e9"):
        assert cli("stats", f"--days={wrong}", cwd=project).status == 2
