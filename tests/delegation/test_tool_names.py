"""An agent gets the tools that its definition lists, under whatever name, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.delegation.tool_names import ALL_TOOLS, canonical_names, offered_tools
from tests.delegation.conftest import make_agent

HERE = Path("/project")


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        (None, ALL_TOOLS),
        (("*",), ALL_TOOLS),
        (("Read", "*"), ALL_TOOLS),
        ((), ()),
        (("Grep", "Read"), ("Read", "Grep")),
        (("read_file", "MultiEdit", "LS", "run_in_terminal"), ("Read", "Edit", "Glob", "Bash")),
        (("editFiles",), ("Write", "Edit")),
        (("search",), ("Glob", "Grep")),
        (("edit/editFiles", "read/readFile"), ("Read", "Write", "Edit")),
        (("WebSearch", "vscode/runCommand", "read/problems"), ()),
    ],
)
def test_the_list_decides(listed: tuple[str, ...] | None, names: tuple[str, ...]) -> None:
    assert offered_tools(make_agent(HERE, tools=listed)).names == names


def test_what_is_disallowed_goes_first() -> None:
    offered = offered_tools(make_agent(HERE, disallowed_tools=("Bash", "write_file")))
    assert offered.names == ("Read", "Edit", "Glob", "Grep")
    same = offered_tools(make_agent(HERE, tools=("Read", "Bash"), disallowed_tools=("Bash",)))
    assert same.names == ("Read",)


def test_a_pattern_limits_a_tool_and_a_bare_name_lifts_the_limit() -> None:
    limited = offered_tools(make_agent(HERE, tools=("Bash(git diff:*)", "Bash(git log:*)")))
    assert limited.names == ("Bash",)
    assert limited.restrictions == {"Bash": ("git diff:*", "git log:*")}
    assert offered_tools(make_agent(HERE, tools=("Bash(x:*)", "Bash"))).restrictions == {}


def test_a_disallowed_pattern_is_a_rule_and_keeps_the_tool() -> None:
    offered = offered_tools(make_agent(HERE, disallowed_tools=("Bash(rm:*)",)))
    assert offered.names == ALL_TOOLS
    assert offered.denied == ("Bash(rm:*)",)


def test_unknown_tools_are_named_once_and_cleaned() -> None:
    names = ("Read", "mcp__db__query", "Web\x1b[2JSearch", "mcp__db__query", "Agent(a, b)")
    notice = offered_tools(make_agent(HERE, tools=names)).notice
    assert notice is not None
    assert notice.severity == "warning"
    assert notice.text == (
        "mcp__db__query, WebSearch, Agent(a, b) are not available here; the agent runs without."
    )
    assert offered_tools(make_agent(HERE, tools=("Read",))).notice is None


@given(st.lists(st.text(max_size=20), max_size=6))
def test_no_spelling_gives_a_tool_that_it_does_not_mean(names: list[str]) -> None:
    offered = offered_tools(make_agent(HERE, tools=tuple(names)))
    if any(name.strip().lower() in ("*", "all") for name in names):
        return
    meant = {tool for name in names for tool in canonical_names(name.partition("(")[0])}
    assert set(offered.names) <= meant
