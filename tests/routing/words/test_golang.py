"""Go is a language where it is meant as one, and a verb elsewhere."""

from __future__ import annotations

import pytest

from secretary_tui.routing.match.matcher import LocalMatcher
from secretary_tui.routing.words.terms import go_as_golang, golang_in_name
from tests.routing.library import LIBRARY, make_agent


@pytest.mark.parametrize(
    "text",
    [
        "write a Go microservice",
        "port it to Go",
        "Python, Go and Rust",
        "use Go for the backend",
        "rewrite the parser in go",
        "go test hangs",
        "Go service leaks memory",
    ],
)
def test_the_language_is_read_as_such(text: str) -> None:
    assert "golang" in go_as_golang(text)


@pytest.mark.parametrize(
    "text",
    [
        "Go through the code",
        "we want to go live",
        "a go/no-go decision",
        "it is good to go",
        "First build it. Go slowly.",
        "I go with option 2",
        "look at the logo",
    ],
)
def test_the_verb_stays(text: str) -> None:
    assert go_as_golang(text) == text


def test_names_of_agents_may_say_it_in_small_letters():
    assert golang_in_name("go-build-resolver") == "golang-build-resolver"
    assert golang_in_name("go-to-market-lead") == "go-to-market-lead"
    assert golang_in_name("django-pro") == "django-pro"


def test_an_agent_for_go_is_found():
    agent = make_agent("go-reviewer", "Reads what was written in that language.")
    ranked = LocalMatcher((*LIBRARY, agent)).rank("review our Go code")
    assert ranked[0].agent.endswith("go-reviewer")
