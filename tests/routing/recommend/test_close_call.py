"""What tells the first two apart."""

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


def test_the_words_of_the_request_that_only_one_has_come_first():
    said = close_call(route("review the naming in this code"), AGENTS)
    assert said.startswith("Close: 10 points between the first two.")
    assert "Of your words only code-reviewer speaks of naming." in said


def test_where_both_have_the_words_the_descriptions_tell_them_apart():
    said = close_call(route("review it", 61, 60), AGENTS)
    assert said.startswith("Close: 1 point ")
    assert "security-reviewer speaks of" in said
    assert "vulnerabilities" in said
    assert "only code-reviewer speaks of" in said
    assert "readability" in said


def test_it_is_close_up_to_fifteen_points():
    assert close_call(route("x", 75, 60), AGENTS)
    assert close_call(route("x", 76, 60), AGENTS) == ""
    assert close_call(route("x", 60, 60), AGENTS).startswith("Close: no point ")


def test_one_match_is_no_close_call_and_neither_are_unknown_files():
    assert close_call(route("x", agents=(SECURITY,)), AGENTS) == ""
    assert close_call(route("x"), {}) == ""


def test_two_editions_of_one_agent_are_named_fully():
    one = make_agent("reviewer", "Reviews Rust.", plugin="a")
    two = make_agent("reviewer", "Reviews Python.", plugin="b")
    agents = {str(spec.path): spec for spec in (one, two)}
    said = close_call(route("review rust", agents=(one, two)), agents)
    assert "only a:reviewer speaks of rust" in said


def test_the_same_text_twice_says_so():
    one = make_agent("reviewer", "Reviews code.", plugin="a")
    two = make_agent("reviewer", "Reviews code.", plugin="b")
    agents = {str(spec.path): spec for spec in (one, two)}
    assert close_call(route("review", agents=(one, two)), agents).endswith("Both say the same.")
