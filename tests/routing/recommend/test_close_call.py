"""What tells the first two apart."""

from dataclasses import replace

from secretary_tui.people import AgentMatch, Recommendation
from secretary_tui.routing.recommend.close_call import close_call
from tests.routing.library import make_agent

SECURITY = make_agent("security-reviewer", "Reviews code for vulnerabilities and secrets.")
QUALITY = make_agent("code-reviewer", "Reviews code for readability and naming.")
AGENTS = {str(spec.path): spec for spec in (SECURITY, QUALITY)}


def route(request, first=70, second=60, agents=(SECURITY, QUALITY)):
    matches = tuple(
        AgentMatch(spec.id, str(spec.path), confidence, "")
        for spec, confidence in zip(agents, (first, second), strict=False)
    )
    return Recommendation(request, request, matches, None)


def test_each_is_told_apart_by_the_words_of_its_file():
    said = close_call(route("review it", 61, 60), AGENTS)
    assert said == (
        "Close: security-reviewer “Reviews code for vulnerabilities and secrets”, "
        "code-reviewer “Reviews code for readability and naming”."
    )


def test_the_words_of_the_request_come_first():
    painter = make_agent(
        "painter", "Mixes lacquers and glazes for violins. Paints doors. Restores frescos."
    )
    smith = make_agent("smith", "Forges gates and hinges.")
    agents = {str(spec.path): spec for spec in (painter, smith)}
    said = close_call(route("the doors look shabby", agents=(painter, smith)), agents)
    assert "painter “Paints doors”, smith “Forges gates and hinges”" in said


def test_it_is_close_up_to_fifteen_points():
    assert close_call(route("x", 75, 60), AGENTS)
    assert close_call(route("x", 76, 60), AGENTS) == ""
    assert close_call(route("x", 60, 60), AGENTS)


def test_one_match_is_no_close_call_and_neither_are_unknown_files():
    assert close_call(route("x", agents=(SECURITY,)), AGENTS) == ""
    assert close_call(route("x"), {}) == ""


def test_a_generalist_is_no_rival():
    close = route("x", 61, 60)
    first, second = close.matches
    beside = replace(close, matches=(first, replace(second, fallback=True)))
    assert close_call(beside, AGENTS) == ""


def test_two_editions_of_one_agent_are_named_fully():
    one = make_agent("reviewer", "Reviews Rust.", plugin="a")
    two = make_agent("reviewer", "Reviews Python.", plugin="b")
    agents = {str(spec.path): spec for spec in (one, two)}
    said = close_call(route("review rust", agents=(one, two)), agents)
    assert said == "Close: a:reviewer “Reviews Rust”, b:reviewer “Reviews Python”."


def test_nothing_is_said_of_the_same_text_twice():
    one = make_agent("reviewer", "Reviews code.", plugin="a")
    two = make_agent("reviewer", "Reviews code.", plugin="b")
    agents = {str(spec.path): spec for spec in (one, two)}
    assert close_call(route("review", agents=(one, two)), agents) == ""
