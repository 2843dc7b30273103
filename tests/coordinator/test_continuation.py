"""Whether a message is meant for the agent that answered, and what says so."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.dialogues import DIALOGUES, NOW, fault_of, load
from secretary_tui.coordinator.continuation import (
    WEIGHTS,
    continuation_of,
    cues_of,
    probability,
)
from secretary_tui.coordinator.conversation import Conversation, Exchange
from secretary_tui.coordinator.cue_words import cue, names
from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.routing.match.matcher import LocalMatcher

ANSWER = (
    "I compared them:\n\n1. **Celery**: old and proven\n2. **Dramatiq**: small\n\n"
    "For you Dramatiq is enough. `jobs/mail.py` would be the first to move."
)
SAID = Conversation(
    (Exchange("which job queue fits our django app", "python-pro", ANSWER),),
    "20261120-093112-a1b2",
    "python-pro",
    ended_at=NOW - 40,
)


def confidence(request: str, said: Conversation = SAID) -> int:
    found = continuation_of(request, said, (), NOW)
    return found.confidence if found is not None else 0


@pytest.mark.parametrize(
    "request_",
    [
        "why Dramatiq?",
        "and what about retries?",
        "no, we are on flask",
        "in two sentences please",
        "the first one then",
        "does it need redis",
        "hm, rather without a broker",
        "move jobs/mail.py as well",
        "kürzer bitte",
        "et pour les tâches planifiées ?",
        "¿y los reintentos?",
        "もっと詳しく",
    ],
)
def test_what_reads_so_goes_on(request_: str) -> None:
    assert confidence(request_) >= 50


@pytest.mark.parametrize(
    "request_",
    [
        "write a press release about our new office",
        "set up a VPN between the two data centres",
        "new task: translate the imprint into Dutch",
        "our iOS build fails with a provisioning profile error",
        "erstelle eine Umfrage für die Mitarbeiter",
        "improve the code",
        "help",
    ],
)
def test_a_change_of_topic_does_not(request_: str) -> None:
    assert confidence(request_) == 0


LIBRARY = LocalMatcher(LiveIndex(Path("/nonexistent")).snapshot.active)


@pytest.mark.parametrize(
    "request_", ["2", "b)", "number two", "der zweite", "the last two", "第二个"]
)
def test_what_names_an_item_of_a_list_goes_on_and_is_sure(request_: str) -> None:
    assert confidence(request_) > 70


@pytest.mark.parametrize(
    "request_",
    [
        "now write the release notes for 2.3",
        "ok now, find out which endpoints have no authentication",
        "and rename the column total to amount in the shop schema",
        "jetzt prüfe die Anmeldung auf Sicherheitslücken",
    ],
)
def test_now_with_another_kind_of_work_does_not_go_on(request_: str) -> None:
    assert continuation_of(request_, SAID, LIBRARY.rank(request_), NOW) is None


LOG = """2026-11-02T10:11:09Z GET /feed 200 4120ms
  db: 212ms
  render: 3701ms
  total: 4120ms
"""
FAILED = """Traceback (most recent call last):
  File "jobs/mail.py", line 88, in send
    queue.put(mail)
ValueError: queue is closed"""
FOREIGN = """npm ERR! code ELIFECYCLE
npm ERR! errno 1
npm ERR! storefront@4.1.0 build: `vite build`
npm ERR! Exit status 1"""


def test_a_log_that_was_asked_for_goes_on() -> None:
    asked = Exchange("why is the feed slow", "debugger", "Please paste the log of a slow request.")
    said = Conversation((asked,), "r", "debugger", ended_at=NOW - 40)
    assert confidence(LOG, said) >= 50
    assert confidence(LOG) == 0


def test_a_pasted_error_goes_on_where_it_is_of_the_matter() -> None:
    assert confidence(FAILED) >= 50
    assert confidence(FOREIGN) == 0


def test_nothing_goes_on_without_a_run() -> None:
    assert confidence("shorter please", Conversation(SAID.exchanges)) == 0


def test_the_reason_names_the_signals() -> None:
    found = continuation_of("now also sort them by age", SAID, (), NOW)
    assert found is not None
    assert "“them” refers to its answer" in found.reason or "begins with “now" in found.reason
    assert (found.run, found.agent) == (SAID.run, "python-pro")


def test_later_is_less_sure() -> None:
    def at(seconds: float) -> float:
        return probability(cues_of("use the settings of the app", SAID, (), NOW - 40 + seconds))

    assert at(5) > at(600) > at(86_400)


def test_each_signal_has_a_weight() -> None:
    assert set(names()) - {"vague"} <= set(WEIGHTS)


@pytest.mark.parametrize(
    ("name", "message", "words"),
    [
        ("adding", "great, and the tests?", "and"),
        ("adding", "android is next", None),
        ("objecting", "that doesn't compile", "doesn't compile"),
        ("new task", "something else: the logo", "something else"),
        ("about", "简短一点", "简短"),
    ],
)
def test_a_signal_is_words_at_their_place(name: str, message: str, words: str | None) -> None:
    assert cue(name, message) == words


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_breaks_it(request_: str, answer: str) -> None:
    said = Conversation((Exchange("x", "a", answer),), "r", "a")
    assert 0 <= probability(cues_of(request_, said, (), NOW)) <= 1


@pytest.mark.parametrize(
    "text", ["and " * 20_000, "1. " * 20_000, "a, b, " * 10_000, "`x` " * 9_000]
)
def test_a_long_text_takes_no_longer_than_its_length(text: str) -> None:
    said = Conversation((Exchange(text, "a", text),), "r", "a")
    cpu = time.process_time()
    cues_of(text, said, (), NOW)
    assert time.process_time() - cpu < 1.0


def test_most_of_the_dialogues_are_read_right(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in DIALOGUES.read_text(encoding="utf-8").splitlines()]
    some = tmp_path / "some.jsonl"
    some.write_text("".join(json.dumps(row) + "\n" for row in rows[::8]))
    cases = load(some, None)
    wrong = [case for case in cases if fault_of(case, probability(case.cues))]
    assert len(wrong) <= 0.12 * len(cases)
