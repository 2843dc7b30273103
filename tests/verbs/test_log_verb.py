"""`log` and `log forget`: the decisions, and taking back what was learnt."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from secretary_tui.people import RouteAction, RouteChoice
from secretary_tui.sessions.decisions import DecisionLog
from tests.sessions.stored_decisions import decision, store, three_weeks
from tests.verbs.command_line import cli, environment, obeying_ctrl_c

KEY = "sk-ant-api03-aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"


def ids(project: Path) -> list[str]:
    return [decision.id for decision in DecisionLog.of(project).load()]


def test_each_decision_is_told_whole(project: Path) -> None:
    store(
        project,
        decision(1, cost_usd=0.01, tokens=1200, conversation="talk"),
        decision(
            2, cost_usd=0.02, conversation="talk", action="alternative", agent="code-critic",
            run_id="20260101-1",
        ),
    )  # fmt: skip
    done = cli("log", cwd=project, env={"TZ": "UTC"})
    assert done.status == 0
    assert done.out.splitlines() == [
        "2026-01-02 09:00  0001000000000000  delegate 0.90  local  12 ms  1,200 tokens  $0.0100",
        "    audit the login code for security holes",
        "    why: It audits authentication code.",
        "    shown: security-auditor 92, code-critic 61; accepted security-auditor",
        "    conversation talk, $0.0100 so far",
        "2026-01-03 09:00  0002000000000000  delegate 0.90  local  12 ms  $0.0200",
        "    audit the login code for security holes",
        "    why: It audits authentication code.",
        "    shown: security-auditor 92, code-critic 61; took the alternative code-critic",
        "    conversation talk, $0.0300 so far; run 20260101-1",
    ]


def test_times_are_those_of_the_users_zone(project: Path) -> None:
    store(project, decision(1))
    assert cli("log", cwd=project, env={"TZ": "Asia/Tokyo"}).out.startswith("2026-01-02 18:00 ")
    late = decision(2, at=decision(2).at + 12 * 3600)  # 21:00 UTC: the next day in Tokyo.
    store(project, late)
    days = [
        cli("stats", "--json", cwd=project, env={"TZ": zone}).json["periods"][-1]["start"]
        for zone in ("UTC", "Asia/Tokyo")
    ]
    assert days == ["2026-01-03", "2026-01-04"]


def test_the_newest_are_shown_last_and_their_number_can_be_chosen(project: Path) -> None:
    store(project)
    found = cli("log", "--json", "-n", "2", cwd=project).json["decisions"]
    assert [d["id"] for d in found] == [d.id for d in three_weeks()[-2:]]
    assert len(cli("log", "--json", cwd=project).json["decisions"]) == 20


def test_json_has_every_field_and_what_the_conversation_had_cost(project: Path) -> None:
    store(project, decision(1, cost_usd=0.01), decision(2, cost_usd=None), decision(3))
    first, second, third = cli("log", "--json", cwd=project).json["decisions"]
    assert first["conversation_cost"] == {"usd": 0.01, "unpriced": 0}
    assert second["conversation_cost"] == third["conversation_cost"] == {"usd": 0.01, "unpriced": 1}
    assert first["shown"][0] == {
        "agent": "security-auditor",
        "path": "/a/security-auditor.md",
        "confidence": 92,
    }
    assert (first["action"], first["kind"], first["latency_ms"]) == ("accept", "delegate", 12.0)


def test_one_conversation_by_the_beginning_of_its_id(project: Path) -> None:
    store(project)
    found = cli("log", "--json", "--conversation", "talk-3", cwd=project).json["decisions"]
    assert {d["conversation"] for d in found} == {"talk-3"}
    done = cli("log", "--conversation", "nobody", cwd=project)
    assert (done.status, done.out) == (0, "")
    assert "No conversation begins with nobody" in done.err


def test_an_empty_log_is_told_calmly(project: Path) -> None:
    done = cli("log", cwd=project)
    assert (done.status, done.out) == (0, "")
    assert "No decisions yet" in done.err
    assert "--all-projects" not in done.err
    assert cli("log", "--json", cwd=project).json == {"decisions": []}


def test_an_empty_log_says_that_choices_in_other_projects_count(
    project: Path, tmp_path: Path
) -> None:
    store(tmp_path / "other", decision(1))
    assert "log forget --all --all-projects" in cli("log", cwd=project).err
    assert "--all-projects" in cli("log", "forget", "--all", cwd=project).err


def test_no_key_reaches_the_output(project: Path) -> None:
    asked = decision(
        request=f"use x-api-key: {KEY}\n --settings=evil.json", reasoning=f"Bearer {KEY}",
        engine=KEY, conversation=KEY, run_id=KEY, intent=KEY, agent=KEY,
    )  # fmt: skip
    store(project, asked)
    for more in ((), ("--json",), ("forget", "--all")):
        done = cli("log", *more, cwd=project)
        assert KEY not in done.out + done.err
        assert "[redacted]" in done.out + done.err
    assert "--settings=evil.json" in cli("log", cwd=project).out


def test_what_a_terminal_would_obey_is_taken_out(project: Path) -> None:
    store(project, decision(request="a\x1b]0;title\x07b", reasoning="\x9b31mred"))
    for more in ((), ("--json",)):
        assert not {"\x1b", "\x9b", "\x07"} & set(cli("log", *more, cwd=project).out)


def test_follow_tells_each_decision_as_it_comes_and_again_when_it_is_answered(
    project: Path,
) -> None:
    log = store(project, decision(1), decision(2))
    with obeying_ctrl_c():
        process = subprocess.Popen(
            [sys.executable, "-m", "secretary_tui", "log", "--follow", "--json", "-n", "1"],
            cwd=project,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    with process:
        try:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["id"] == decision(2).id
            log.add(decision(3, action=None, agent=None))
            assert json.loads(process.stdout.readline())["action"] is None
            log.choose(decision(3).id, RouteChoice(RouteAction.OTHER, "code-critic"))
            answered = json.loads(process.stdout.readline())
            assert (answered["id"], answered["agent"]) == (decision(3).id, "code-critic")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()  # Else a failure would wait here for ever.
    assert (process.returncode, out, err) == (130, "", "")


# ------------------------------------------------------------------- forgetting


def test_forget_takes_out_what_is_named(project: Path) -> None:
    store(project, decision(1), decision(2), decision(0x21))
    assert cli("log", "forget", "--yes", "0001", "0002", cwd=project).status == 0
    assert ids(project) == [decision(0x21).id]


def test_forget_an_agent_takes_what_chose_or_passed_it_over(project: Path) -> None:
    other = decision(3, recommended="b", agent="b", shown=())
    store(project, decision(1), decision(2, action="other", agent="b"), other)
    done = cli("log", "forget", "--agent", "security-auditor", "--yes", cwd=project)
    assert "2 decisions forgotten." in done.err
    assert ids(project) == [other.id]


@pytest.mark.parametrize("before", [True, False])
def test_forget_all_of_every_project(project: Path, tmp_path: Path, before: bool) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store(project, decision(1))
    store(elsewhere, decision(2))
    everywhere = ["--all-projects"]
    arguments = [*(everywhere if before else []), "forget", "--all", "--yes"]
    cli("log", *arguments, *([] if before else everywhere), cwd=project)
    assert ids(project) == ids(elsewhere) == []


def test_forget_all_of_this_project_leaves_the_others(project: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store(project, decision(1))
    store(elsewhere, decision(2))
    cli("log", "forget", "--all", "--yes", cwd=project)
    assert (ids(project), ids(elsewhere)) == ([], [decision(2).id])


def test_forget_without_anybody_to_ask_forgets_nothing(project: Path) -> None:
    store(project)
    done = cli("log", "forget", "--all", cwd=project)
    assert done.status == 4
    assert "Use --yes" in done.err
    assert len(ids(project)) == 21


@pytest.mark.parametrize(
    "arguments", [(), ("--all", "0001"), ("--all", "--agent", "a"), ("zz",), ("",), ("000",)]
)
def test_forget_is_told_exactly_what(project: Path, arguments: tuple[str, ...]) -> None:
    store(project)
    done = cli("log", "forget", "--yes", *arguments, cwd=project)
    assert (done.status, done.out) == (2, "")
    assert len(ids(project)) == 21


def test_forgetting_nothing_is_no_fault(project: Path) -> None:
    done = cli("log", "forget", "--all", "--yes", cwd=project)
    assert done.status == 0
    assert "Nothing to forget." in done.err


def test_a_log_that_cannot_be_written_is_told(project: Path) -> None:
    store(project, decision(1), decision(2))
    done = subprocess.run(
        [sys.executable, "-m", "secretary_tui", "log", "forget", "0001", "--yes"],
        cwd=project,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert done.returncode == 1
    assert done.stderr == "The log can't be written: File too large. Nothing more was forgotten.\n"
    assert ids(project) == [decision(1).id, decision(2).id]


@pytest.mark.parametrize(("answer", "status", "left"), [("y", 0, 0), ("", 4, 1), ("no", 4, 1)])
def test_forget_asks_first(project: Path, answer: str, status: int, left: int) -> None:
    store(project, decision(1))
    child = pexpect.spawn(
        sys.executable,
        ["-m", "secretary_tui", "log", "forget", "0001"],
        cwd=str(project),
        env=environment(),  # type: ignore[arg-type]
        dimensions=(24, 80),
        encoding="utf-8",
        timeout=60,
    )
    child.expect("audit the login code")
    child.expect(r"Forget 1 decision, and what was learnt from it\? \[y/N\] ")
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == status
    assert len(ids(project)) == left
