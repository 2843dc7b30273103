"""Decisions read back: masked, cleaned, and forgotten when asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from secretary_tui.people import AgentMatch, Recommendation
from secretary_tui.sessions.decisions import Decision, DecisionLog, Shown, new_decision
from secretary_tui.sessions.past import about, became, forget, read_decisions, read_past
from secretary_tui.sessions.statistics.statistics import summarize
from tests.sessions.stored_decisions import decision, store
from tests.snapshots.stored_runs import store_runs

KEY = "sk-ant-api03-aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"


def everything(one: Decision) -> str:
    return f"{one}"


def test_a_key_in_a_request_is_not_written_down(project: Path) -> None:
    asked = Recommendation(f"use {KEY}\n and go", "", (AgentMatch("a", "/a", 90, ""),), "a")
    log = DecisionLog.of(project)
    log.add(new_decision(asked, conversation="c", reasoning=f"Bearer {KEY}"))
    assert KEY not in log.path.read_text()
    (found,) = read_decisions(project).decisions
    assert found.request == "use [redacted]\n and go"


def test_a_secret_of_the_environment_is_masked_whatever_it_looks_like(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_TOKEN", "plainwords")
    log = DecisionLog.of(project)
    log.add(new_decision(Recommendation("say plainwords", "", (), None), conversation="c"))
    assert "plainwords" not in log.path.read_text()


def test_what_another_hand_wrote_unmasked_is_masked_when_read(project: Path) -> None:
    store(
        project,
        decision(
            request=f"x-api-key: {KEY}\n",
            reasoning=KEY,
            conversation=KEY,
            engine=KEY,
            agent=KEY,
            recommended=KEY,
            shown=(Shown(KEY, f"/{KEY}", 90),),
        ),
    )
    (found,) = read_past(project).decisions
    assert KEY not in everything(found)


def test_escape_sequences_are_taken_out(project: Path) -> None:
    store(project, decision(request="a\x1b]0;b\x07c", agent="x\x1b[31my", reasoning="\x9b1mq"))
    (found,) = read_past(project).decisions
    assert (found.request, found.agent, found.reasoning) == ("ac", "xy", "q")


@pytest.mark.parametrize("field", ["at", "latency_ms", "kind_confidence", "tokens", "cost_usd"])
@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_left_out(project: Path, field: str, value: str) -> None:
    log = store(project, decision(1), decision(2))
    first, second = log.path.read_text().splitlines()
    data = json.loads(first)
    data["decision"][field] = 0.123456
    log.path.write_text(json.dumps(data).replace("0.123456", value) + "\n" + second + "\n")
    past = read_past(project)
    assert [d.id for d in past.decisions] == [decision(2).id]
    assert summarize(past.decisions, past.runs).requests == 1


def test_decisions_come_in_the_order_of_time_and_know_their_log(project: Path) -> None:
    log = store(project, decision(2), decision(1))
    past = read_decisions(project)
    assert [d.id for d in past.decisions] == [decision(1).id, decision(2).id]
    assert past.logs[decision(1).id].path == log.path


def test_all_projects_are_read_together_and_forgotten_where_they_stand(
    project: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    store(project, decision(1), decision(2))
    store(elsewhere, decision(3))
    past = read_decisions(None)
    assert len(past.decisions) == 3
    forget(past, [decision(1).id, decision(3).id])
    assert [d.id for d in read_decisions(None).decisions] == [decision(2).id]


def test_what_was_forgotten_is_not_in_the_file(project: Path) -> None:
    log = store(project, decision(1, request="the secret plan"), decision(2))
    forget(read_decisions(project), [decision(1).id])
    assert "secret plan" not in log.path.read_text()


def test_about_an_agent_is_what_chose_it_or_passed_it_over() -> None:
    mine = decision(1)
    passed = decision(2, action="alternative", agent="code-critic")
    close = decision(3, recommended=None, action="other", agent="b")
    other = decision(4, recommended="b", agent="b", shown=())
    decisions = (mine, passed, close, other)
    assert about(decisions, "security-auditor") == (mine, passed, close)
    assert about(decisions, "code-critic") == (passed,)


def test_each_choice_is_said_in_words() -> None:
    assert became(decision()) == "accepted security-auditor"
    assert became(decision(action="alternative", agent="b")) == "took the alternative b"
    assert became(decision(action="other", agent="b")) == "named b"
    assert became(decision(action="cancel", agent=None)) == "cancelled"
    assert became(decision(action=None, agent=None)) == "nothing was chosen"


def test_runs_tell_how_long_they_took(project: Path) -> None:
    store_runs(project)
    past = read_past(project)
    times = {run.agent: run.elapsed_s for run in past.runs}
    assert times["security-auditor"] == 8.4
    assert times["code-critic"] is None
    assert "release-scribe" in past.agents
