"""What kind of work is asked for, and who does it by its name."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.index.arithmetic import PlainArithmetic
from secretary_tui.routing.index.numpy_arithmetic import NumpyArithmetic
from secretary_tui.routing.match.work import (
    ROLES,
    WEIGHTS,
    Work,
    asked_for,
    kind_of_work,
    kinds_of_work,
    roles_of,
)
from secretary_tui.routing.words.word_vectors import DIMENSIONS

EVERYDAY = (
    ("where do we keep the colours of the buttons", Work.FIND),
    ("how does the invoice numbering work", Work.EXPLAIN),
    ("the export button does nothing when I press it", Work.DEBUG),
    ("look over my changes before I push them", Work.REVIEW),
    ("cover the discount rules with tests", Work.TEST),
    ("describe the endpoints in the manual", Work.DOCS),
    ("write a newsletter for our customers about the summer break", Work.WRITE),
    ("add a dark theme to the settings page", Work.BUILD),
    ("rename the variable foo to bar everywhere", Work.CHANGE),
    ("run the linter", Work.RUN),
    ("how many orders were placed last month, by country", Work.DATA),
    ("split this 900 line class into smaller ones", Work.REFACTOR),
    ("which queue libraries are there for Go and which is best", Work.RESEARCH),
    ("sketch the screens for the onboarding", Work.DESIGN),
    ("plan the move to the new database in steps", Work.PLAN),
    ("could someone steal the session cookie", Work.SECURE),
    ("make the page load faster", Work.OPTIMIZE),
    ("set up a cluster with three nodes", Work.OPERATE),
    ("what should we charge for the premium plan", Work.BUSINESS),
    ("teach me recursion with small exercises", Work.TEACH),
    ("why does the build break since Tuesday", Work.DEBUG),
    ("clean up the duplicated parsing code", Work.REFACTOR),
    ("start the dev server", Work.RUN),
    ("check my essay for typos", Work.REVIEW),
)
"""None of these is among the sentences that the model learnt from."""


def test_nine_of_ten_everyday_sentences_are_understood():
    wrong = [request for request, kind in EVERYDAY if kind_of_work(request) is not kind]
    assert len(wrong) <= len(EVERYDAY) // 10, wrong


def test_every_kind_is_asked_for_by_one_of_them():
    assert {kind for _, kind in EVERYDAY} == set(Work)


@given(st.text(max_size=300))
def test_the_kinds_of_any_request_share_a_whole(request_):
    kinds = kinds_of_work(request_)
    assert set(kinds) == set(Work)
    assert sum(kinds.values()) == pytest.approx(1)


@given(st.sampled_from([request for request, _ in EVERYDAY]) | st.text(max_size=200))
def test_both_arithmetics_tell_the_same(request_):
    plain = kinds_of_work(request_, PlainArithmetic())
    assert plain == pytest.approx(kinds_of_work(request_, NumpyArithmetic()), abs=1e-12)


def test_only_the_beginning_says_what_is_to_be_done():
    paste = "\n" + "the server crashed with an error and the tests fail " * 200
    assert kind_of_work("rename the variable foo to bar everywhere") is Work.CHANGE
    assert kinds_of_work("x" * 601 + paste) == kinds_of_work("x" * 601)


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("code-reviewer", {"review"}),
        ("CodeReviewers", {"review"}),
        ("error-detective", {"debug"}),
        ("python-pro", {"craft"}),
        ("test-writer", {"test", "write"}),
        ("docs_writer", {"docs", "write"}),
        ("SEO-expert", {"business", "craft"}),
        ("kubernetes-architect", {"operate", "plan"}),
        ("surveyor", {"survey"}),
        ("worker", {"do"}),
        ("", set()),
        ("django", set()),
    ],
)
def test_a_name_says_what_an_agent_does(name, roles):
    assert roles_of(name) == roles


def test_a_role_is_named_by_stems():
    assert all(ROLES.values())
    assert all(stem == stem.lower() for stems in ROLES.values() for stem in stems)


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        ("a runbook for the payment service", "runbook"),
        ("Please write a test plan about the checkout", "test plan"),
        ("can you review my code, it handles payments", "review my code"),
        ("threat model of the login", "threat model"),
        ("fix the bug\nTraceback (most recent call last):", "fix the bug"),
        ("", ""),
    ],
)
def test_what_is_asked_for_stands_before_what_it_is_about(request_, asked):
    assert asked_for(request_) == asked


def test_the_weights_are_whole_and_of_known_kinds():
    read = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert len(read["direction"]) == DIMENSIONS
    assert {len(row) for row in read["direction"]} == {len(Work)}
    for trait, weights in read["traits"].items():
        assert trait
        assert len(weights) % 2 == 0
        assert set(weights[::2]) <= set(range(len(Work)))
        assert all(isinstance(weight, int) for weight in weights)
