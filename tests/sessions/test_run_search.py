"""Searching the runs in their own words: what is found, where, and what is not text."""

import json
from pathlib import Path

import pytest

from secretary_tui.events import (
    MessageAdded,
    PermissionAnswered,
    RunFailed,
    SubagentEvent,
    TextDelta,
    ToolFinished,
    ToolStarted,
    Usage,
    UserMessage,
    to_json,
)
from secretary_tui.sessions.query import parse_query
from secretary_tui.sessions.run_search import RunHit, find_in_log, search
from secretary_tui.sessions.store import list_runs
from tests.sessions.run_logs import answered, write

RUN = "20261120-093112-a1b2"


def found(project: Path, line: str) -> list[RunHit]:
    return [hit for hit in search(list_runs(project), parse_query(line)) if hit is not None]


@pytest.mark.parametrize(
    ("word", "place"),
    [
        ("invoices", ""),
        ("customer_id", "answer"),
        ("reporting", "reply"),
        ("ledger.sql", "Read"),
        ("varchar", "Write"),
        ("permission denied", "Bash, its result"),
        ("overloaded", "error"),
        ("nested finding", "answer"),
    ],
)
def test_a_word_is_found_wherever_it_was_said_or_done(
    tmp_path: Path, word: str, place: str
) -> None:
    write(
        tmp_path,
        RUN,
        "add a table for invoices",
        [
            TextDelta("An index on Customer_ID is needed."),
            UserMessage("and for reporting?"),
            ToolStarted("t1", "Read", "db/ledger.sql", {"file_path": "db/ledger.sql"}),
            ToolStarted("t2", "Write", "new.sql", {"edits": [{"content": "name VARCHAR(20)"}]}),
            ToolFinished("t3", "Bash", "psql: Permission denied", True, 0.1),
            SubagentEvent("t4", "critic", to_json(TextDelta("a nested finding"))),
            RunFailed("The service is overloaded.", "Wait.", True, Usage(), None, 1.0),
        ],
    )
    (hit,) = found(tmp_path, f'"{word}"')
    assert (hit.excerpt.place if hit.excerpt else "") == place
    if hit.excerpt is not None:
        assert hit.excerpt.match.lower() == word


def test_all_words_must_occur_but_in_any_place(tmp_path: Path) -> None:
    write(tmp_path, RUN, "add a table", [TextDelta("The index is there.")])
    assert found(tmp_path, "table index")
    assert not found(tmp_path, "table absent")


def test_neither_the_system_prompt_nor_the_plumbing_of_the_log_is_text(tmp_path: Path) -> None:
    write(tmp_path, RUN, "add a table", [MessageAdded("user", "hidden-in-api-form")])
    for word in ("systemonly", "run_started", "tool_use_id", "hidden-in-api-form"):
        assert not found(tmp_path, word), word


def test_the_words_around_are_shown_on_one_clean_line(tmp_path: Path) -> None:
    text = "a" * 100 + "\n\nthe \x1b[31mmagic\x1b[0m\tword\n" + "b" * 500
    write(tmp_path, RUN, "x", [TextDelta(text)])
    (hit,) = found(tmp_path, "magic")
    assert hit.excerpt is not None
    shown = str(hit.excerpt)
    assert "\n" not in shown
    assert "\x1b" not in shown
    assert "magic" in shown
    assert len(shown) < 260


@pytest.mark.parametrize("word", ['say "hi"', "c:\\temp", "müller", "naïve é", "日本"])
def test_quotes_backslashes_and_letters_beyond_ascii_are_found(tmp_path: Path, word: str) -> None:
    path = write(tmp_path, RUN, "x", [TextDelta(f"before {word.upper()} after")])
    assert find_in_log(path, [word]) is not None
    escaped = path.with_name("20261120-093113-a1b3.jsonl")
    escaped.write_text(json.dumps(to_json(TextDelta(f"before {word} after"))) + "\n")
    assert find_in_log(escaped, [word]) is not None, "another hand wrote it as ASCII"


def test_a_torn_last_line_is_searched_too(tmp_path: Path) -> None:
    path = write(tmp_path, RUN, "x", [TextDelta("half a sent")])
    path.write_bytes(path.read_bytes()[:-45])
    assert find_in_log(path, ["half"]) is not None


def test_a_word_behind_the_first_megabyte_is_found(tmp_path: Path) -> None:
    long = [ToolFinished("t", "Read", "x" * 700_000, False, 0.1) for _ in range(3)]
    path = write(tmp_path, RUN, "x", [*long, TextDelta("needle")])
    assert find_in_log(path, ["needle"]) is not None


def test_denied_runs_are_told_by_their_logs(tmp_path: Path) -> None:
    said = [TextDelta('I read "decision": "deny" somewhere.'), *answered("Fine.")]
    write(tmp_path, "20261120-093112-a1b2", "talk about it", said)
    denied = [PermissionAnswered("t1", "deny", "user"), *answered("Then not.")]
    write(tmp_path, "20261120-093113-a1b3", "do it", denied)
    assert [hit.run.id for hit in found(tmp_path, "outcome:denied")] == ["20261120-093113-a1b3"]
    assert len(found(tmp_path, "outcome:denied,done")) == 2


def test_the_newest_run_comes_first_and_each_run_gets_one_answer(tmp_path: Path) -> None:
    for second in range(3):
        write(tmp_path, f"20261120-09311{second}-a1b2", f"number {second}")
    answers = list(search(list_runs(tmp_path), parse_query("number")))
    assert [hit.run.request for hit in answers if hit] == ["number 2", "number 1", "number 0"]
    assert len(list(search(list_runs(tmp_path), parse_query("agent:none")))) == 3
