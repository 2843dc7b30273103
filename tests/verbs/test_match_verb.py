"""`match`: which agents fit, in shapes that programs rely on."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.events import Outcome, RunFinished, RunStarted, Usage
from secretary_tui.sessions.run_log import RunLog
from tests.verbs.command_line import CLEAR_REQUEST, cli

KEYS = {
    "request",
    "intent",
    "matches",
    "recommendation",
    "workflow_match",
    "questions",
    "engine",
    "elapsed_ms",
}


def test_the_json_has_the_stable_shape(project: Path) -> None:
    found = cli("match", CLEAR_REQUEST, "--json", "--offline", cwd=project).json
    assert set(found) >= KEYS
    assert found["request"] == CLEAR_REQUEST
    assert found["recommendation"] == "security-reviewer"
    assert found["engine"] == "local"
    (best,) = found["matches"]
    assert set(best) >= {"agent", "path", "copies", "confidence", "reason"}
    assert best["agent"] == "security-reviewer"
    assert best["path"] == str(project / ".claude/agents/security-reviewer.md")
    assert best["copies"] == []
    assert 70 < best["confidence"] <= 100
    assert found["elapsed_ms"] >= 0


def test_top_gives_the_ranking_whatever_the_confidence(project: Path) -> None:
    found = cli("match", CLEAR_REQUEST, "--json", "--offline", "--top", "2", cwd=project).json
    best, other = found["matches"]
    assert best["agent"] == "security-reviewer"
    assert other["confidence"] < 50


def test_top_reaches_beyond_the_ranking_that_is_shown(project: Path) -> None:
    for number in range(30):
        name = f"reviewer-{number}"
        path = project / ".claude" / "agents" / f"{name}.md"
        path.write_text(f"---\nname: {name}\ndescription: Security {number}\n---\nText {number}.\n")
    found = cli("match", "security", "--json", "--offline", "--top", "28", cwd=project).json
    agents = [match["agent"] for match in found["matches"]]
    confidences = [match["confidence"] for match in found["matches"]]
    assert len(set(agents)) == 28
    assert confidences == sorted(confidences, reverse=True)


def test_text_shows_confidence_agent_and_reason(project: Path) -> None:
    done = cli("match", CLEAR_REQUEST, "--offline", cwd=project)
    assert done.status == 0
    assert "%  security-reviewer  recommended" in done.out
    assert "security" in done.out.splitlines()[-1]


def test_no_match_is_3_with_the_suggestions_of_the_seed(project: Path) -> None:
    done = cli("match", "knit a woollen scarf for aunt xyzzy", "--offline", cwd=project)
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith("No suitable agent found for your request.")


def test_no_match_as_json_is_3_with_an_empty_list(project: Path) -> None:
    done = cli("match", "xyzzy plugh", "--offline", "--json", cwd=project)
    assert done.status == 3
    assert (done.json["matches"], done.json["recommendation"]) == ([], None)


def test_without_agents_the_error_of_the_seed_is_said(tmp_path: Path) -> None:
    done = cli("match", "anything", "--offline", cwd=tmp_path)
    assert done.status == 3
    assert "No agents found. Install plugins with agents first" in done.err


def test_a_generalist_is_called_one_and_has_no_number(project: Path) -> None:
    bundled = {"SECRETARY_TUI_BUNDLED_AGENTS": "true"}
    done = cli("match", "commit my changes", "--offline", cwd=project, env=bundled)
    heading, named, _ = done.out.splitlines()
    assert heading == "No specialist fits; a generalist can:"
    assert named.split() == ["worker"]
    assert done.status == 0


def test_a_batch_gives_one_object_a_line_in_order(project: Path) -> None:
    batch = project / "requests.txt"
    batch.write_text(f"{CLEAR_REQUEST}\n\n   \nxyzzy\r\ndebug the helm chart\n", newline="")
    done = cli("match", "--batch", batch, "--offline", cwd=project)
    assert done.status == 0
    requests = [found["request"] for found in done.json_lines]
    assert requests == [CLEAR_REQUEST, "xyzzy", "debug the helm chart"]
    assert all(set(found) >= KEYS for found in done.json_lines)
    assert done.json_lines[1]["matches"] == []


def test_a_batch_from_standard_input_takes_top(project: Path) -> None:
    done = cli("match", "--batch", "-", "--top", "1", "--offline", cwd=project, stdin="a\nb\n")
    assert [len(found["matches"]) for found in done.json_lines] == [1, 1]


def test_a_request_comes_from_standard_input(project: Path) -> None:
    done = cli("match", "-", "--json", "--offline", cwd=project, stdin=f"\ufeff{CLEAR_REQUEST}\n")
    assert done.json["request"] == CLEAR_REQUEST


def test_input_that_is_no_text_is_no_crash(project: Path) -> None:
    done = cli("match", "-", "--json", "--offline", cwd=project, stdin=b"\xff\xfe security \x1b[2J")
    assert "\x1b" not in done.json["request"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["match"],
        ["match", ""],
        ["match", "  "],
        ["match", "x", "--batch", "y"],
        ["match", "x", "--top", "0"],
        ["match", "x", "--top", "many"],
        ["match", "--batch", "missing.txt"],
    ],
)
def test_misuse_is_2(project: Path, arguments: list[str]) -> None:
    done = cli(*arguments, cwd=project)
    assert (done.status, done.out) == (2, "")
    assert done.err


def test_without_an_engine_the_local_ranking_answers_online_too(project: Path) -> None:
    done = cli("match", CLEAR_REQUEST, "--json", cwd=project)
    assert done.json["recommendation"] == "security-reviewer"


def write_command(project: Path) -> Path:
    path = project / ".claude" / "commands" / "deploy.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("---\ndescription: Deploy the shop to a staging or live system\n---\nGo $1.\n")
    return path


def test_a_fitting_command_is_named_beside_the_agents(project: Path) -> None:
    path = write_command(project)
    done = cli("match", "deploy the shop to staging", "--offline", cwd=project)
    assert done.status == 0
    assert "Command: /deploy" in done.out
    found = cli("match", "deploy the shop to staging", "--offline", "--json", cwd=project)
    assert found.status == 0
    assert found.json["workflow_match"] == "deploy"
    workflow = found.json["workflow"]
    assert (workflow["path"], workflow["runnable"]) == (str(path), True)
    assert workflow["confidence"] >= 50


def test_a_named_command_is_no_failure_though_no_agent_matches(project: Path) -> None:
    write_command(project)
    done = cli("match", "/deploy staging", "--offline", cwd=project)
    assert done.status == 0
    assert "Command: /deploy  100 %  you named it" in done.out


def test_a_workflow_that_nobody_installed_is_a_name_only(project: Path) -> None:
    done = cli("match", "orchestrate build login", "--offline", cwd=project)
    assert "Command: implement (only a name" in done.out


def test_explain_says_in_words_and_numbers_what_earned_each_place(project: Path) -> None:
    done = cli("match", CLEAR_REQUEST, "--offline", "--explain", cwd=project)
    assert "security-reviewer is recommended" in done.out
    assert "closest in meaning: " in done.out
    assert "hidden: " in done.out
    found = cli("match", CLEAR_REQUEST, "--offline", "--explain", "--json", cwd=project).json
    best = found["explanation"]["ranking"][0]
    assert best["agent"] == "security-reviewer"
    assert {"word", "found", "fields", "idf", "score"} == set(best["words"][0])
    assert sum(part["score"] for part in best["parts"]) == pytest.approx(best["score"])


def test_explain_says_why_none_fits(project: Path) -> None:
    done = cli("match", "vegan lasagna recipe", "--offline", "--explain", cwd=project)
    assert done.status == 3
    assert "None fits" in done.out


def test_a_close_call_is_said(project: Path) -> None:
    agents = project / ".claude" / "agents"
    for name, paint in (("left-painter", "oil"), ("right-painter", "chalk")):
        about = f"Paints walls in {paint}. Use to paint a wall or a ceiling."
        text = f"---\nname: {name}\ndescription: {about}\n---\nYou paint houses.\n"
        (agents / f"{name}.md").write_text(text)
    done = cli("match", "paint the walls of the house", "--offline", cwd=project)
    said = " ".join(done.out.split())
    assert "left-painter “Paints walls in oil”" in said
    assert "right-painter “Paints walls in chalk”" in said


def test_a_named_agent_is_the_answer_whatever_the_words_say(project: Path) -> None:
    done = cli("match", "@docs-writer review security", "--json", "--offline", cwd=project).json
    assert done["recommendation"] == "docs-writer"
    assert [match["reason"] for match in done["matches"]] == ["you named it"]


def test_a_name_that_nobody_has_stops_and_names_the_nearest(project: Path) -> None:
    done = cli("match", "@docs-riter say hi", "--offline", cwd=project)
    assert done.status == 1
    assert "docs-riter" in done.err
    assert "nearest: docs-writer" in done.err
    assert done.out == ""


def test_a_file_at_the_beginning_is_no_name_of_an_agent(project: Path) -> None:
    (project / "login.py").write_text("pass\n")
    done = cli("match", "@login.py review it for security", "--offline", cwd=project)
    assert done.status == 0
    assert "security-reviewer" in done.out


RUN = "20261120-093112-a1b2"
ANSWER = "Two holes:\n\n1. **SQL injection** in search.py\n2. **No lockout** after failed logins"


@pytest.fixture
def run_before(project: Path) -> str:
    """A run of the security-reviewer that ended a moment ago."""
    now = datetime.now(UTC).isoformat()
    agent = project / ".claude/agents/security-reviewer.md"
    started = RunStarted(
        *(RUN, "security-reviewer", str(agent), "hash", CLEAR_REQUEST, f"Task: {CLEAR_REQUEST}"),
        *("", "anthropic", "sonnet", ("Read",), "ask", str(project), now),
    )
    with RunLog.create(project, RUN) as log:
        log.append(started)
        log.append(RunFinished(Outcome.DONE, "end_turn", ANSWER, Usage(), 0.0, 1, 1.0))
    return RUN


@pytest.mark.parametrize("named", [RUN, RUN[:10], "last"])
def test_a_message_after_a_run_is_said_to_go_on_with_it(
    project: Path, run_before: str, named: str
) -> None:
    done = cli("match", "shorter please", "--after", named, "--json", "--offline", cwd=project)
    going_on = done.json["continue"]
    assert done.status == 0
    assert (going_on["run"], going_on["agent"]) == (run_before, "security-reviewer")
    assert going_on["confidence"] > 70
    assert "shorter" in going_on["reason"]


def test_a_new_topic_after_a_run_is_none(project: Path, run_before: str) -> None:
    request = "write the release notes from the commits"
    found = cli("match", request, "--after", run_before, "--json", "--offline", cwd=project).json
    assert found["continue"] is None


def test_the_text_says_which_run_goes_on_and_the_signals(project: Path, run_before: str) -> None:
    words = ("match", "explain the second one", "--after", "last", "--offline", "--explain")
    out = cli(*words, cwd=project).out
    assert f"go on with security-reviewer  ({run_before})" in out
    assert "item: “the second one” refers to what was said" in out


@pytest.mark.parametrize("named", ["20990101", "last"])
def test_a_run_that_is_not_there_is_a_usage_error(project: Path, named: str) -> None:
    done = cli("match", "shorter", "--after", named, "--offline", cwd=project)
    assert done.status == 2
    assert "--after" in done.err


def test_words_of_ones_own_that_can_not_be_read_are_one_sentence_and_no_trouble(
    project: Path,
) -> None:
    own = paths.config_dir() / "knowledge.txt"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("shop = php\nno row at all\n")
    done = cli("match", CLEAR_REQUEST, "--offline", cwd=project)
    assert done.status == 0
    assert "security-reviewer" in done.out
    (said,) = done.err.splitlines()
    assert f"{own}:2: a row is `key, other spelling = words`" in said
