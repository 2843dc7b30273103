"""The table of tools, and that everything else about a tool agrees with its row."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import secretary_tui
from secretary_tui.delegation.acp.acp_session import claude_options
from secretary_tui.delegation.call_limits import Lineage
from secretary_tui.delegation.permissions.offered_tools import OfferedTools
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.permissions.permissions import Permissions
from secretary_tui.delegation.permissions.rules import Subject, exact_rule, parse_rules
from secretary_tui.delegation.permissions.settings_rules import RuleBook
from secretary_tui.delegation.spend.budget import Budget
from secretary_tui.delegation.tools.memory import Memory
from secretary_tui.delegation.tools.tool_context import ToolContext
from secretary_tui.delegation.tools.tool_inputs import SCHEMAS, input_schema
from secretary_tui.delegation.tools.toolbox import more_tools, workspace_tools
from secretary_tui.delegation.workspace.workspace import Workspace
from secretary_tui.registry.definition.known_tools import (
    KNOWN_TOOLS,
    is_known_tool,
    suggest_tool,
)
from secretary_tui.tool_table import (
    ALL_TOOLS,
    ASKING_TOOLS,
    CHANGING_TOOLS,
    SHARED_ALIASES,
    TOOLS,
    Risk,
    RuleSubject,
    ToolEntry,
    answer_scope,
    canonical_names,
    edits_files,
    runs_commands,
    shows_calls,
)
from tests.delegation.conftest import ScriptedPerson

ROOT = Path(secretary_tui.__file__).parent
DOCS = ROOT.parent / "docs"
ROWS = [pytest.param(row, id=row.name) for row in TOOLS.values()]
LABELS = {
    ("screens/new_agent.py", "Write"),
    ("sessions/export/export_document.py", "Agent"),
    ("widgets/transcript/transcript.py", "Edit"),
}
"""Where a word of the screen happens to be the name of a tool."""


def test_what_each_tool_may_do() -> None:
    assert {"Write", "Edit", "Bash", "GitCommit", "Memory"} == CHANGING_TOOLS
    assert CHANGING_TOOLS | {"WebFetch", "WebSearch"} == ASKING_TOOLS
    assert [name for name in ALL_TOOLS if edits_files(name)] == ["Write", "Edit"]
    assert [name for name in ALL_TOOLS if runs_commands(name)] == ["Bash"]
    assert [name for name in ALL_TOOLS if not shows_calls(name)] == ["TodoWrite"]


def test_every_tool_has_a_schema_unless_the_service_runs_it() -> None:
    assert list(SCHEMAS) == [row.name for row in TOOLS.values() if not row.is_served]


@pytest.mark.parametrize("row", ROWS)
def test_the_field_that_says_what_a_call_is_about_is_one_of_its_schema(row: ToolEntry) -> None:
    if row.subject_field:
        assert row.subject_field in dict(input_schema(row.name)["properties"])  # type: ignore[call-overload]


def test_every_tool_is_carried_out_by_something(tmp_path: Path) -> None:
    person, workspace = ScriptedPerson(), Workspace.at(tmp_path)
    permissions = Permissions(tmp_path, PermissionMode.ASK, RuleBook(), person, lambda _: None)
    context = ToolContext(
        *("agent", "agent", workspace, OfferedTools(ALL_TOOLS), permissions),
        *(person, lambda _: None),
        memory=Memory(workspace, tmp_path / "notes"),
    )

    async def start(*_: object) -> None: ...

    made = {*workspace_tools(context, None), *more_tools(context, Lineage(), start)}
    served = {row.name for row in TOOLS.values() if row.is_served}
    assert made | served == set(ALL_TOOLS)


@pytest.mark.parametrize("row", ROWS)
def test_a_tool_is_asked_about_in_words_of_its_own_or_not_at_all(row: ToolEntry) -> None:
    scope = answer_scope(row.name)
    if row.risk is Risk.NONE and row.subject is not RuleSubject.TOPIC:
        assert scope == ("", "")
    if row.name not in ("Write", "Edit"):
        assert scope != answer_scope("Write")
    if not row.risk.asks:
        assert row.name not in CHANGING_TOOLS


@pytest.mark.parametrize(
    "subject",
    [
        Subject("Write", path=Path("/p/src/a.py")),
        Subject("Edit", path=Path("/p/a.py")),
        Subject("Bash", command="git status"),
        Subject("WebFetch", topic="domain:example.com"),
        Subject("WebSearch"),
        Subject("Agent", topic="tester"),
        Subject("Skill", topic="release"),
    ],
    ids=lambda subject: subject.tool,
)
def test_always_is_stored_where_the_prompt_offers_it(subject: Subject) -> None:
    rule = exact_rule(subject, Path("/p"))
    assert rule is not None
    assert [one.tool for one in parse_rules(rule)] == [subject.tool]
    assert answer_scope(subject.tool).always


def test_always_is_never_offered_for_a_commit_and_a_note() -> None:
    assert exact_rule(Subject("GitCommit"), Path("/p")) is None
    assert not answer_scope("GitCommit").always
    assert not answer_scope("Memory").always


def test_a_spelling_means_one_row_or_is_listed_as_shared() -> None:
    spellings = Counter(word for row in TOOLS.values() for word in {row.name.lower(), *row.aliases})
    assert [word for word, rows in spellings.items() if rows > 1 or word in SHARED_ALIASES] == []
    words = {*spellings, *SHARED_ALIASES, *(word for row in TOOLS.values() for word in row.hints)}
    assert [word for word in words if not (word.isalpha() and word.islower())] == []


@pytest.mark.parametrize("row", ROWS)
def test_an_alias_means_its_tool_and_a_hint_only_proposes_it(row: ToolEntry) -> None:
    for word in (row.name, *row.aliases):
        assert canonical_names(word) == (row.name,)
    for word in row.hints:
        assert canonical_names(word) == ()
        assert suggest_tool(word) == row.name
    for word in row.aliases:
        # Where Claude Code has a tool of that name, that one is proposed.
        assert suggest_tool(word) in (
            row.name,
            *(name for name in KNOWN_TOOLS if name not in TOOLS),
        )


def test_only_what_claude_code_has_is_known_in_a_definition() -> None:
    assert {name for name in ALL_TOOLS if not is_known_tool(name)} == {"GitCommit", "Memory"}


def test_claude_code_is_given_no_tool_that_it_does_not_have() -> None:
    options = claude_options(OfferedTools(ALL_TOOLS), Budget())["claudeCode"]["options"]
    assert set(options["tools"]) <= set(KNOWN_TOOLS)


def test_no_file_spells_a_tool_out_that_the_table_names() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), node.value)
        for path in ROOT.rglob("*.py")
        if path.name != "tool_table.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in ALL_TOOLS
    }
    assert found == LABELS


def test_the_page_about_agents_names_every_tool() -> None:
    page = (DOCS / "writing-agents.md").read_text("utf-8")
    paragraph = page.partition("\nThe tools: ")[2].partition("\n\n")[0]
    assert [name for name in ALL_TOOLS if name not in paragraph] == []
    assert [
        name for name in ASKING_TOOLS if name not in (DOCS / "security.md").read_text("utf-8")
    ] == []
