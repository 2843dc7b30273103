"""Requests that authors wrote into descriptions."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import Source, SourceKind
from secretary_tui.routing.match.lessons import MOST_WRITTEN, written_requests


@pytest.mark.parametrize(
    ("description", "found"),
    [
        ('<example>\nContext: x\nuser: "Split the table"\nassistant: "ok"\n</example>', "Split"),
        ("<example>\nuser: 'Split the table'\nassistant: 'ok'\n</example>", "Split"),
        ("<example>user: “Split the table” assistant: “ok”</example>", "Split"),
        ("<example>\nuser: Split the table\n</example>", "Split"),
        ('<example>\n**User:** "Split the table"\n</example>', "Split"),
        (r"<example>\nContext: x.\nuser: \"Split the table\"\nassistant: \"ok\"", "Split"),
        (r"<example>\\nuser: \\\"Split the table\\\"\\nassistant: \\\"ok\\\"</example>", "Split"),
        ('<EXAMPLE>Human: "Split the table" <commentary>why</commentary></EXAMPLE>', "Split"),
        ('<example>Context: b user: "Split the table" assistant: "I will"</example>', "Split"),
    ],
)
def test_every_form_of_an_example_gives_what_the_user_says(description: str, found: str) -> None:
    assert written_requests(description) == (f"{found} the table",)


def test_many_backslashes_are_looked_at_once() -> None:
    """In another process, which is ended should each be tried from each: that takes minutes."""
    tried = (
        "from secretary_tui.routing.match import lessons as module; "
        "module._MOST_TEXT = 400_000; "
        "print(module.written_requests('<example>user: x' + chr(92) * 390_000))"
    )
    command = [sys.executable, "-c", tried]
    found = subprocess.check_output(command, timeout=60, text=True)
    assert found.startswith("('x")


def test_apostrophes_in_a_request_stay() -> None:
    (request,) = written_requests("<example>user: \"It doesn't load, what's wrong?\"</example>")
    assert request == "It doesn't load, what's wrong?"


def test_what_others_say_and_what_stands_outside_is_no_request() -> None:
    assert written_requests('Ask the user: "what?"') == ()
    assert written_requests("<example>Context: User is new.\nassistant: hello</example>") == ()


def test_a_description_full_of_examples_gives_only_a_few() -> None:
    many = "".join(f'<example>user: "task {n}"</example>' for n in range(500))
    assert written_requests(many) == tuple(f"task {n}" for n in range(MOST_WRITTEN))
    (long,) = written_requests(f'<example>user: "{"word " * 900}"</example>')
    assert len(long) <= 400


@given(st.text(st.sampled_from("<>/examplusr: \n\\\"'*"), max_size=200))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    for request in written_requests(f"<example>{text}"):
        assert request.strip()


def test_published_descriptions_give_three_requests_each(corpora) -> None:
    folder = corpora / "laywill__awesome-claude-code-subagents"
    source = Source(SourceKind.AGENTS_DIR, folder)
    texts = [path for path in folder.rglob("*.md") if "<example>" in path.read_text("utf-8")]
    specs = [spec for path in texts if (spec := read_agent(path, source).spec) is not None]
    taken = [written_requests(spec.description) for spec in specs if "<example" in spec.description]
    assert len(taken) > 10
    assert all(1 <= len(requests) <= MOST_WRITTEN for requests in taken)
