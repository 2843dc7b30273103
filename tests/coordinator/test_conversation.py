"""What was said and answered, gathered from the events of runs; what later messages point at."""

from __future__ import annotations

import pytest

from secretary_tui.coordinator.context import resolve
from secretary_tui.coordinator.conversation import ConversationLog, Exchange
from secretary_tui.coordinator.referents import files_in, listed_items
from secretary_tui.coordinator.resolved import Reference
from secretary_tui.events import (
    Outcome,
    RunEvent,
    RunFinished,
    RunStarted,
    ToolStarted,
    Usage,
    UserMessage,
)


def started(request: str, agent: str = "coder", *, resumed: bool = False) -> RunStarted:
    at = "2026-11-20T09:31:12+00:00"
    return RunStarted(
        *("run-1", agent, "", "", request, "", "", "", "", (), "ask", "/shop", at),
        resumed=resumed,
    )


def finished(answer: str) -> RunFinished:
    return RunFinished(Outcome.DONE, "end_turn", answer, Usage(), 0.0, 1, 30.0)


EVENTS: tuple[RunEvent, ...] = (
    started("write a date parser"),
    ToolStarted("1", "Write", "src/dates.py", {"file_path": "src/dates.py"}),
    finished("Done."),
    started("write a date parser", resumed=True),
    UserMessage("shorter"),
    finished("Shorter now."),
)


def test_a_conversation_is_told_by_the_events_of_its_runs() -> None:
    said = ConversationLog(EVENTS).value
    assert said.exchanges == (
        Exchange("write a date parser", "coder", "Done.", ("src/dates.py",)),
        Exchange("shorter", "coder", "Shorter now.", is_reply=True),
    )
    assert (said.run, said.agent, said.project) == ("run-1", "coder", "/shop")
    assert said.ended_at == 1795167102.0


def test_what_was_said_before_its_run_is_said_once() -> None:
    log = ConversationLog()
    log.say("write a parser")
    log.take(started("write a date parser"))
    assert log.value.exchanges == (Exchange("write a date parser", "coder"),)


def test_a_long_answer_keeps_its_beginning_and_its_end() -> None:
    log = ConversationLog((started("x"), finished("begin" + "." * 20_000 + "end?")))
    [exchange] = log.value.exchanges
    assert exchange.answer.startswith("begin")
    assert exchange.answer.endswith("end?")
    assert len(exchange.answer) < 5_000


LISTS = {
    "1. **One**: a\n   - detail\n2. **Two**: b\n": ("One", "Two"),
    "- [ ] first\n- [x] second": ("first", "second"),
    "| where | ms |\n|---|---|\n| tax | 8 |\n| fraud | 4 |": ("tax", "fraud"),
    "You could use RabbitMQ, NATS JetStream or Redis Streams.": (
        "RabbitMQ",
        "NATS JetStream",
        "Redis Streams",
    ),
    "Failing: `test_a`, `test_b` and `test_c`.": ("test_a", "test_b", "test_c"),
    "Option A: split it\nOption B: leave it": ("split it", "leave it"),
    "Nothing is listed here.": (),
}


@pytest.mark.parametrize(("answer", "items"), LISTS.items())
def test_the_items_of_an_answer_are_those_it_lists(answer: str, items: tuple[str, ...]) -> None:
    assert listed_items(answer) == items


def test_files_are_paths_and_names_with_an_ending() -> None:
    text = "See src/app/login.py:41, README.md and e.g. version 2.4; not and/or."
    assert "src/app/login.py" in files_in(text)
    assert "README.md" in files_in(text)
    assert "e.g" not in files_in(text)


LISTED = Exchange("compare queues", "x", "1. **Celery**: old\n2. **Dramatiq**: small\n3. **RQ**")
WROTE = Exchange("write a parser", "coder", "Added `parse_iso` to the module.", ("src/dates.py",))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("install the second one", "install Dramatiq"),
        ("take option 3", "take RQ"),
        ("compare the first and the last one", "compare Celery and RQ"),
        ("nimm den zweiten", "nimm Dramatiq"),
        ("prends la deuxième", "prends Dramatiq"),
        ("2つ目を使って", "Dramatiqを使って"),
        ("fix the first page of the report", "fix the first page of the report"),
        ("we need version 2.4", "we need version 2.4"),
    ],
)
def test_a_place_in_a_list_is_its_item(said: str, text: str) -> None:
    later = Exchange("shorter", "x", "Dramatiq.", is_reply=True)
    assert resolve(said, (LISTED, later)).text == text


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("rename that file", "src/dates.py"),
        ("add tests for it", "parse_iso"),
        ("write a test for that module", "src/dates.py"),
        ("do the same for times", "write a parser"),
        ("and the tests?", "write a parser"),
    ],
)
def test_a_reference_is_found_in_what_was_said_and_answered(said: str, holds: str) -> None:
    found = resolve(said, (WROTE,))
    assert holds in found.text
    assert found.pointed


@pytest.mark.parametrize("said", ["fix it", "improve that", "the second one", "do the same for X"])
def test_without_anything_said_a_reference_is_open(said: str) -> None:
    found = resolve(said, ())
    assert found.text == said
    assert found.unresolved


@pytest.mark.parametrize("said", ["help", "improve the code", "fix the bug", "make the app better"])
def test_a_vague_request_is_never_glued_to_an_old_one(said: str) -> None:
    assert resolve(said, (WROTE,)).text == said


@pytest.mark.parametrize(
    "said",
    [
        "audit the login and fix it",
        "write a function that compares two dates",
        "my git history has a password in it",
    ],
)
def test_a_pronoun_within_its_sentence_points_at_nothing_else(said: str) -> None:
    assert resolve(said, (WROTE,)).text == said


KEYED = Exchange(
    "how to cache", "x", "a) **Redis**: fast\nb) **SQLite**: simple\nc) **Files**: slow"
)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("b)", "SQLite"),
        ("b, but with a limit", "SQLite, but with a limit"),
        ("2", "SQLite"),
        ("1 or 3?", "Redis or Files?"),
        ("let's go with 2", "let's go with SQLite"),
        ("number three please", "Files please"),
        ("tell me more about c", "tell me more about Files"),
        ("compare a) and c)", "compare Redis and Files"),
        ("drop the last two", "drop SQLite + Files"),
        ("nimm die ersten beiden", "nimm Redis + SQLite"),
        ("compare les deux premiers", "compare Redis + SQLite"),
        ("los dos últimos", "SQLite + Files"),
        ("le premier en anglais", "Redis en anglais"),
        ("选2", "选SQLite"),
        ("2 users report a timeout", "2 users report a timeout"),
        ("upgrade to python 3", "upgrade to python 3"),
        ("9", "9"),
    ],
)
def test_a_key_of_a_list_is_its_item(said: str, text: str) -> None:
    assert resolve(said, (KEYED,)).text == text


@pytest.mark.parametrize("said", ["2", "b)", "go with 1", "the last two"])
def test_a_key_without_a_list_is_none(said: str) -> None:
    assert resolve(said, (WROTE,)).by is not Reference.ITEM


TOUCHED = Exchange(
    "why are mails late",
    "debugger",
    "The export function `write_chunks` waits. `send_all` is fine. Limits are in the config.",
    ("deploy/nginx.conf", "deploy/cron.d/mail", "app/send.py"),
)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("show me the nginx file", "deploy/nginx.conf"),
        ("raise the limit in the nginx config", "deploy/nginx.conf"),
        ("what is in the cron one", "deploy/cron.d/mail"),
        ("rewrite the export function", "write_chunks"),
        ("öffne die nginx-Datei", "deploy/nginx.conf"),
        ("lösche diese Cron-Datei", "deploy/cron.d/mail"),
        ("montre le fichier nginx", "deploy/nginx.conf"),
        ("abre ese archivo de cron", "deploy/cron.d/mail"),
        ("abra o arquivo do cron", "deploy/cron.d/mail"),
        ("apri il file nginx", "deploy/nginx.conf"),
        ("nginxのファイルを見せて", "deploy/nginx.conf"),
        ("打开nginx的文件", "deploy/nginx.conf"),
    ],
)
def test_a_thing_is_found_by_its_kind_and_a_part_of_its_name(said: str, name: str) -> None:
    found = resolve(said, (TOUCHED,))
    assert f"({name})" in found.text
    assert found.follows_up


@pytest.mark.parametrize(
    "said", ["show the apache file", "write the release notes", "sort the list"]
)
def test_what_was_not_spoken_of_is_no_such_thing(said: str) -> None:
    assert resolve(said, (TOUCHED,)).text == said


def test_that_one_is_the_item_that_was_singled_out() -> None:
    advised = Exchange("shorter", "x", "SQLite is enough for you.", is_reply=True)
    assert resolve("use that one", (KEYED, advised)).text == "use SQLite"


def test_the_same_is_the_last_request_that_had_something_done() -> None:
    said = (
        Exchange("write tests for the cart", "test-writer", "Nine tests, two warnings."),
        Exchange("fix the warnings", "test-writer", "Fixed.", is_reply=True),
        Exchange("did you change the code?", "test-writer", "No.", is_reply=True),
    )
    asked = "do the same for the invoices"
    assert resolve(asked, said).text == f"{asked} (the same: write tests for the cart)"
