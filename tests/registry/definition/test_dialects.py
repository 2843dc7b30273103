"""Definitions written for other products."""

from pathlib import Path

import pytest

from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.registry.definition.spec import AgentSpec, Dialect
from tests.registry.definitions import read, write_agent


def spec(folder: Path, text: str, file: str = "agent.md") -> AgentSpec:
    result = read(folder, text, file)
    assert result.spec is not None, result.findings
    return result.spec


def test_an_ordinary_definition_is_claude_codes(tmp_path: Path) -> None:
    assert spec(tmp_path, "---\nname: a\ndescription: b\n---\n").dialect is Dialect.CLAUDE


def test_a_copilot_agent_is_named_by_its_file(tmp_path: Path) -> None:
    text = "---\ndescription: b\ntools: ['codebase', 'edit/editFiles']\n---\nBody."
    agent = spec(tmp_path, text, "api-guide.agent.md")
    assert (agent.dialect, agent.name) == (Dialect.COPILOT, "api-guide")
    assert agent.tools == ("codebase", "edit/editFiles")


@pytest.mark.parametrize(
    ("tools", "listed", "denied"),
    [
        ("tools:\n  write: false\n  bash: false", None, ("write", "bash")),
        ("tools:\n  read: true\n  bash: false", ("read",), ("bash",)),
        ("tools: {read: true}", ("read",), ()),
        ("tools: {}\nmode: subagent", (), ()),
        ("mode: subagent\npermission:\n  edit: deny\n  bash: ask", None, ("edit",)),
        ("mode: primary\npermission:\n  bash:\n    'rm *': deny", None, ()),
        ('tools:\n  "*": false\n  read: true', ("read",), ()),
        ('tools:\n  "*": false', (), ()),
        ("mode: all\npermission: {'*': deny, read: allow, edit: deny}", ("read",), ("edit",)),
    ],
)
def test_an_opencode_agent_loses_the_tools_that_are_switched_off(
    tmp_path: Path, tools: str, listed: tuple[str, ...] | None, denied: tuple[str, ...]
) -> None:
    result = read(tmp_path, f"---\ndescription: b\n{tools}\n---\nBody.", "helper.md")
    agent = result.spec
    assert agent is not None
    assert (agent.dialect, agent.name) == (Dialect.OPENCODE, "helper")
    assert (agent.tools, agent.disallowed_tools) == (listed, denied)
    assert result.findings == (), "a name by the file is this format's way"


@pytest.mark.parametrize(
    ("file", "mode", "model"),
    [
        ("a.md", "mode: all\nmodel: anthropic/claude-x-1", "claude-x-1"),
        ("AGENTS.md", "model: anthropic:claude-x-1", "claude-x-1"),
        ("AGENTS.md", "model: openai:gpt-x", "openai:gpt-x"),
        ("a.md", "model: anthropic/claude-x-1", "anthropic/claude-x-1"),
    ],
)
def test_models_lose_the_name_of_our_own_provider(
    tmp_path: Path, file: str, mode: str, model: str
) -> None:
    assert spec(tmp_path, f"---\nname: a\ndescription: b\n{mode}\n---\n", file).model == model


def test_what_opencode_switches_off_is_kept_from_the_agent(tmp_path: Path) -> None:
    agent = spec(tmp_path, "---\ndescription: b\ntools: {bash: false, write: false}\n---\n")
    from secretary_tui.delegation.permissions.offered_tools import offered_tools

    assert offered_tools(agent).names[:4] == ("Read", "Edit", "Glob", "Grep")
    assert not {"Write", "Bash"} & set(offered_tools(agent).names)


def test_a_deepagents_file_is_named_by_its_folder_and_documentation_stays_out(
    tmp_path: Path,
) -> None:
    agents = tmp_path / ".claude" / "agents"
    write_agent(agents / "researcher", "given-name", file="AGENTS.md")
    (agents / "writer").mkdir()
    (agents / "writer" / "AGENTS.md").write_text("---\ndescription: Writes text\n---\nWrite.")
    (agents / "AGENTS.md").write_text("# How to work here\n")
    index = LiveIndex(tmp_path, bundled=False).snapshot
    assert [(agent.id, agent.dialect) for agent in index.active] == [
        ("given-name", Dialect.DEEPAGENTS),
        ("writer", Dialect.DEEPAGENTS),
    ]
    assert index.problems == ()


def test_the_public_copilot_collection_is_told_apart(corpora: Path, tmp_path: Path) -> None:
    folder = corpora / "github__awesome-copilot" / "agents"
    index = LiveIndex(tmp_path, [folder], bundled=False).snapshot
    assert {agent.dialect for agent in index.active} == {Dialect.COPILOT}
    assert len(index.active) > 200
