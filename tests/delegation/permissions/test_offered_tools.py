"""An agent gets the tools that its definition lists, under whatever name, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.delegation.permissions.offered_tools import offered_tools, unclear_denials
from secretary_tui.tool_table import ALL_TOOLS, INHERITED_TOOLS, canonical_names
from tests.delegation.conftest import make_agent

HERE = Path("/project")
_EVERYTHING = tuple(tool for tool in ALL_TOOLS if tool in (*INHERITED_TOOLS, "GitCommit"))
_AND_BASH = ("Read", "Edit", "Glob", "Bash", "GitCommit")


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        (None, _EVERYTHING),
        (("*",), _EVERYTHING),
        (("Read", "*"), _EVERYTHING),
        (("*", "WebSearch"), tuple(tool for tool in ALL_TOOLS if tool != "Memory")),
        ((), ()),
        (("Grep", "Read"), ("Read", "Grep")),
        (("read_file", "MultiEdit", "LS", "run_in_terminal"), _AND_BASH),
        (("editFiles",), ("Write", "Edit")),
        (("search",), ("Glob", "Grep")),
        (("edit/editFiles", "read/readFile"), ("Read", "Write", "Edit")),
        (("LSP", "vscode/runCommand", "read/problems"), ()),
        (("todo_write", "manage_todo_list", "todos"), ("TodoWrite",)),
        (("ask-user-question", "askUser"), ("AskUserQuestion",)),
        (("web_fetch", "web/fetch", "fetch_webpage"), ("WebFetch",)),
        (("WebSearch", "google_web_search"), ("WebSearch",)),
        (("Task",), ("Agent",)),
        (("spawn_subagent", "agent/runSubagent"), ("Agent",)),
        (("Task(a, b)", "WebFetch(domain:example.com)"), ("WebFetch", "Agent")),
        (("Bash",), ("Bash", "GitCommit")),
        (("Bash(git commit:*)",), ("Bash", "GitCommit")),
        (("Bash(git:*)",), ("Bash", "GitCommit")),
        (("Bash(git diff:*)", "Bash(git commit-tree:*)"), ("Bash",)),
        (("git_commit",), ("GitCommit",)),
        (("TaskCreate", "TaskOutput", "AgentX"), ()),
    ],
)
def test_the_list_decides(listed: tuple[str, ...] | None, names: tuple[str, ...]) -> None:
    assert offered_tools(make_agent(HERE, tools=listed)).names == names


def test_what_is_disallowed_goes_first() -> None:
    offered = offered_tools(make_agent(HERE, disallowed_tools=("Bash", "write_file")))
    assert offered.names[:4] == ("Read", "Edit", "Glob", "Grep")
    assert not {"Bash", "Write", "GitCommit"} & set(offered.names)
    same = offered_tools(make_agent(HERE, tools=("Read", "Bash"), disallowed_tools=("Bash",)))
    assert same.names == ("Read",)


def test_a_pattern_limits_a_tool_and_a_bare_name_lifts_the_limit() -> None:
    limited = offered_tools(make_agent(HERE, tools=("Bash(git diff:*)", "Bash(git log:*)")))
    assert limited.names == ("Bash",)
    assert limited.restrictions == {"Bash": ("git diff:*", "git log:*")}
    assert offered_tools(make_agent(HERE, tools=("Bash(x:*)", "Bash"))).restrictions == {}


def test_a_disallowed_pattern_is_a_rule_and_keeps_the_tool() -> None:
    offered = offered_tools(make_agent(HERE, disallowed_tools=("Bash(rm:*)",)))
    assert offered.names == _EVERYTHING
    assert offered.denied == ("Bash(rm:*)",)


def test_unknown_tools_are_named_once_and_cleaned() -> None:
    names = ("Read", "mcp__db__query", "Work\x1b[2Jtree", "mcp__db__query", "LSP(a, b)")
    notice = offered_tools(make_agent(HERE, tools=names)).notice
    assert notice is not None
    assert notice.severity == "warning"
    assert notice.text == (
        "mcp__db__query, Worktree, LSP(a, b) are not available here; the agent runs without."
    )
    assert offered_tools(make_agent(HERE, tools=("Read",))).notice is None


@pytest.mark.parametrize(
    ("listed", "disallowed", "names"),
    [
        (("*",), ("Task",), {"Agent"}),
        (("*",), ("spawn_subagent", "web_fetch(*)"), {"Agent", "WebFetch"}),
        (("*",), ("GitCommit",), {"GitCommit"}),
        (("TodoWrite", "Read"), ("todo-write",), {"TodoWrite"}),
        (None, ("AskUserQuestion()", "Skill"), {"AskUserQuestion", "Skill"}),
    ],
)
def test_every_spelling_takes_a_tool_away(
    listed: tuple[str, ...] | None, disallowed: tuple[str, ...], names: set[str]
) -> None:
    offered = offered_tools(make_agent(HERE, tools=listed, disallowed_tools=disallowed))
    assert not names & set(offered.names)
    assert offered.names


@pytest.mark.parametrize(
    ("denial", "gone"),
    [
        *(
            (denial, {"Bash", "GitCommit"})
            for denial in ("Bash rm", "Bash:rm", "Bash[rm]", "-Bash")
        ),
        *(
            (denial, {"Bash", "GitCommit"})
            for denial in ("B\u0430sh", "Bahs", "Bash(rm", "Bash(x) y")
        ),
        ("WebFetch(evil.example)", {"WebFetch"}),
        ("WebFetch(domain:evil.example/x)", {"WebFetch"}),
    ],
)
def test_a_denial_that_is_not_understood_takes_the_whole_tool(denial: str, gone: set[str]) -> None:
    agent = make_agent(HERE, disallowed_tools=(denial,))
    assert set(_EVERYTHING) - set(offered_tools(agent).names) == gone
    ((entry, meant),) = unclear_denials(agent.disallowed_tools)
    assert (entry, set(meant) - gone) == (denial, set())


def test_a_denial_of_nothing_here_is_named_unless_the_tool_is_known_elsewhere() -> None:
    denials = ("LSP", "mcp__db__query", "*", "Bash(rm:*)", "WebFetch(domain:x.example)", "frobnify")
    assert unclear_denials(denials) == (("frobnify", ()),)


@pytest.mark.parametrize("entry", ["-Bash", "!Bash", "~bash"])
def test_a_tool_with_a_sign_of_taking_away_is_not_given(entry: str) -> None:
    assert offered_tools(make_agent(HERE, tools=(entry,))).names == ()
    offered = offered_tools(make_agent(HERE, tools=("*", entry)))
    assert not {"Bash", "GitCommit"} & set(offered.names)
    assert offered.unknown == (entry,)


def test_a_search_is_never_given_by_a_star() -> None:
    assert "WebSearch" not in offered_tools(make_agent(HERE, tools=None)).names
    assert "WebSearch" not in offered_tools(make_agent(HERE, tools=("*",))).names


@given(st.lists(st.text(max_size=20), max_size=6))
def test_no_spelling_gives_a_tool_that_it_does_not_mean(names: list[str]) -> None:
    offered = offered_tools(make_agent(HERE, tools=tuple(names)))
    if any(name.strip().lower() in ("*", "all") for name in names):
        return
    meant = {tool for name in names for tool in canonical_names(name.partition("(")[0])}
    meant |= {"GitCommit"} if "Bash" in meant else set()
    assert set(offered.names) <= meant
