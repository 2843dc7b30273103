"""`sessions`: the stored runs at the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.events import (
    MessageAdded,
    Notice,
    Outcome,
    RunFinished,
    RunStarted,
    TextDelta,
    ToolStarted,
    Usage,
)
from secretary_tui.sessions.run_log import RunLog
from tests.sessions.run_logs import answered, started
from tests.verbs.command_line import cli

RUN_ID = "20261120-093112-a1b2"


@pytest.fixture
def stored(project: Path) -> Path:
    store(project, RUN_ID)
    return project


def store(project: Path, run_id: str, agent: str = "docs-writer") -> None:
    with RunLog.create(project, run_id) as log:
        log.append(
            RunStarted(
                run_id=run_id,
                agent=agent,
                agent_path="/a.md",
                agent_hash="0",
                request="Write the tutorial",
                task="Task: Write the tutorial",
                system="You write.",
                engine="anthropic",
                model="claude-sonnet-5-5",
                tools=("Read",),
                permission_mode="ask",
                project=str(project),
                started_at="2026-11-20T09:31:12+00:00",
            )
        )
        log.append(MessageAdded("user", "Task: Write the tutorial"))
        log.append(TextDelta("Here "))
        log.append(TextDelta("it is.\x1b]0;x\x07"))
        log.append(ToolStarted("t1", "Read", "README.md"))
        log.append(Notice("Careful."))
        log.append(RunFinished(Outcome.DONE, "end_turn", "Here it is.", Usage(10, 5), 0.02, 1, 2.0))


def test_list_shows_this_projects_runs(stored: Path) -> None:
    header, row = cli("sessions", "list", cwd=stored).out.splitlines()
    cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert cells["id"] == RUN_ID
    assert cells["outcome"] == "done"
    assert cells["cost"] == "$0.0200"
    assert cells["tokens"] == "15"
    assert cells["request"] == "Write the tutorial"


def test_list_all_shows_the_other_projects_too(stored: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert cli("sessions", "list", cwd=elsewhere).out == ""
    assert RUN_ID in cli("sessions", "list", "--all", cwd=elsewhere).out


def test_list_as_json(stored: Path) -> None:
    (run,) = cli("sessions", "list", "--json", cwd=stored).json["sessions"]
    assert run["id"] == RUN_ID
    assert run["outcome"] == "done"
    assert run["project"] == str(stored)
    assert run["cost_usd"] == 0.02


def test_show_tells_the_run_again_without_escape_sequences(stored: Path) -> None:
    done = cli("sessions", "show", "20261120", cwd=stored)
    assert done.status == 0
    assert "> Write the tutorial" in done.out
    assert "Here it is.\n[Read README.md]\n[Careful.]" in done.out
    assert "\x1b" not in done.out


def test_show_as_json_holds_every_event(stored: Path) -> None:
    found = cli("sessions", "show", RUN_ID, "--json", cwd=stored).json
    assert [event["type"] for event in found["events"]][:2] == ["run_started", "message_added"]
    assert found["outcome"] == "done"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_follow_shows_a_run_of_another_process_as_it_comes(
    stored: Path, form: tuple[str, ...]
) -> None:
    run_id = "20261121-101500-beef"
    command = [sys.executable, "-m", "secretary_tui", "sessions", "show", "--follow", run_id, *form]
    with RunLog.create(stored, run_id) as log:
        log.append(started(stored, run_id, "Review the login"))
        log.append(TextDelta("It is "))
        with subprocess.Popen(command, cwd=stored, stdout=subprocess.PIPE) as reader:
            assert reader.stdout is not None
            shown = reader.stdout.read(1)  # Before the run has ended.
            log.append(TextDelta("fine."))
            log.append(answered("It is fine.")[-1])
            shown += reader.stdout.read()
            assert reader.wait(20) == 0
    if form:
        events = [json.loads(line) for line in shown.splitlines()]
        assert (events[0]["type"], events[-1]["type"]) == ("run_started", "run_finished")
        assert "".join(e["text"] for e in events if e["type"] == "text_delta") == "It is fine."
    else:
        text = shown.decode()
        assert text.startswith("> Review the login")
        assert "It is fine.\n[done" in text
        assert text.endswith(f"[{run_id}: done]\n")


def test_an_unknown_run_is_1_and_names_the_nearest(stored: Path) -> None:
    done = cli("sessions", "show", "20261120-093112-ffff", cwd=stored)
    assert (done.status, done.out) == (1, "")
    assert RUN_ID in done.err


def test_a_damaged_log_is_shown_with_a_remark(stored: Path) -> None:
    path = Path(cli("sessions", "list", "--json", cwd=stored).json["sessions"][0]["path"])
    with path.open("a") as file:
        file.write("garbage\n")
    done = cli("sessions", "show", RUN_ID, cwd=stored)
    assert done.status == 0
    assert "1 damaged line" in done.err


def test_a_run_is_never_continued_with_another_agent(stored: Path) -> None:
    store(stored, "20261121-000000-aaaa", agent="gone-agent")
    env = {
        "ANTHROPIC_API_KEY": "sk-ant-test-0123456789",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    }
    done = cli("sessions", "resume", "20261121", "go on", cwd=stored, env=env)
    assert (done.status, done.out) == (1, "")
    assert "gone-agent" in done.err


def test_a_run_whose_folder_is_gone_is_not_continued(stored: Path, tmp_path: Path) -> None:
    stored.rename(tmp_path / "moved")
    done = cli("sessions", "resume", RUN_ID, "go on", cwd=tmp_path)
    assert done.status == 1
    assert "is gone" in done.err


def test_an_empty_follow_up_is_2(stored: Path) -> None:
    assert cli("sessions", "resume", RUN_ID, " ", cwd=stored).status == 2


def test_sessions_without_a_verb_lists(stored: Path) -> None:
    assert cli("sessions", cwd=stored).out == cli("sessions", "list", cwd=stored).out


@pytest.mark.parametrize("tools", ["[1, 2]", "[null]", "[[]]", "7", '[{"a": 1}]', "null"])
def test_a_log_with_odd_tools_is_shown(stored: Path, tools: str) -> None:
    (path,) = (path for path in paths.runs_dir().rglob("*.jsonl") if "a1b2" in path.name)
    first, rest = path.read_text().split("\n", 1)
    data = json.loads(first)
    path.write_text(json.dumps({**data, "tools": json.loads(tools)}) + "\n" + rest)
    for more in ((), ("--json",)):
        done = cli("sessions", "show", path.stem, *more, cwd=stored)
        assert done.status == 0
    assert cli("sessions", "list", "--all", cwd=stored).status == 0


def test_list_takes_the_terms_of_the_screen_and_options_that_say_the_same(stored: Path) -> None:
    for fits in (
        ("tutorial",),
        ("agent:docs outcome:done",),
        ("agent:docs", "cost>0.01"),
        ("--agent", "docs", "--cost", "0.02", "--model", "sonnet"),
        ("--outcome", "failed,done", "--since", "2026-11-20"),
    ):
        (run,) = cli("sessions", "list", *fits, "--json", cwd=stored).json["sessions"]
        assert run["id"] == RUN_ID
    for other in (("nothing",), ("outcome:failed",), ("--cost", "<0.02"), ("--agent", "x")):
        done = cli("sessions", "list", *other, cwd=stored)
        assert done.out == ""
        assert "No matching run" in done.err


def test_a_term_that_does_not_fit_is_explained(stored: Path) -> None:
    done = cli("sessions", "list", "outcome:won", cwd=stored)
    assert done.status == 1
    assert "outcome:won is none; it is one of done" in done.err


def test_search_shows_where_the_words_stand(stored: Path) -> None:
    done = cli("sessions", "search", "here", "it", cwd=stored)
    header, row = done.out.splitlines()
    assert header.split("\t") == ["id", "outcome", "agent", "place"]
    assert row.split("\t")[3] == "answer: Here it is."
    (run,) = cli("sessions", "search", "README", "--json", cwd=stored).json["sessions"]
    assert run["excerpt"] == {"place": "Read", "before": "", "match": "README", "after": ".md"}
    assert cli("sessions", "search", "agent:docs", cwd=stored).status == 2


def test_export_prints_a_document_or_writes_a_file_that_is_not_there(
    stored: Path, tmp_path: Path
) -> None:
    done = cli("sessions", "export", RUN_ID[:8], cwd=stored)
    assert done.out.startswith("# Write the tutorial\n")
    assert "\x1b" not in done.out
    assert cli("sessions", "export", RUN_ID, "--format", "json", cwd=stored).json["id"] == RUN_ID
    page = tmp_path / "run.html"
    command = ("sessions", "export", RUN_ID, "--format", "html", "-o", str(page))
    assert cli(*command, cwd=stored).status == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    page.write_text("mine")
    refused = cli(*command, cwd=stored)
    assert refused.status == 2
    assert "is there already and was left as it is" in refused.err
    assert page.read_text() == "mine"
    assert cli(*command, "--force", cwd=stored).status == 0
    assert page.read_text() != "mine"
    assert cli("sessions", "export", RUN_ID, "-o", str(tmp_path), cwd=stored).status == 0
    assert (tmp_path / f"run-{RUN_ID}.md").exists()


def test_fork_prints_the_id_of_a_new_run(stored: Path) -> None:
    forked = cli("sessions", "fork", RUN_ID, cwd=stored).out.strip()
    runs = cli("sessions", "list", "--json", cwd=stored).json["sessions"]
    assert {run["id"] for run in runs} == {RUN_ID, forked}
    refused = cli("sessions", "fork", RUN_ID, "--turn", "7", cwd=stored)
    assert refused.status == 1
    assert "the user spoke once" in refused.err


def test_delete_asks_and_restore_brings_back(stored: Path) -> None:
    refused = cli("sessions", "delete", RUN_ID, cwd=stored)
    assert refused.status == 2
    assert "--yes deletes without asking" in refused.err
    done = cli("sessions", "delete", RUN_ID, "--yes", cwd=stored)
    assert f"sessions restore {RUN_ID}" in done.err
    assert cli("sessions", "list", "--json", cwd=stored).json["sessions"] == []
    assert RUN_ID in cli("sessions", "restore", cwd=stored).out
    assert cli("sessions", "restore", RUN_ID, cwd=stored).out.strip() == RUN_ID
    assert len(cli("sessions", "list", "--json", cwd=stored).json["sessions"]) == 1
    assert "empty" in cli("sessions", "restore", cwd=stored).err


def test_nothing_is_deleted_when_one_of_several_ids_is_wrong(stored: Path) -> None:
    assert cli("sessions", "delete", RUN_ID, "19990101", "--yes", cwd=stored).status == 1
    assert len(cli("sessions", "list", "--json", cwd=stored).json["sessions"]) == 1
