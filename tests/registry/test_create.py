"""Writing a new definition."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from secretary_tui.registry.check.validate import validate_files
from secretary_tui.registry.create import NewAgentError, create_agent, plan_agent
from secretary_tui.registry.definition.claude_code import why_skipped
from secretary_tui.registry.definition.known_tools import KNOWN_TOOLS
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import AgentSpec, Source, SourceKind


def read(path: Path) -> AgentSpec:
    result = read_agent(path, Source(SourceKind.PROJECT, path.parent))
    assert result.spec is not None and not result.rescued and result.findings == ()
    return result.spec


@given(
    description=st.text(max_size=80),
    tools=st.none() | st.lists(st.sampled_from([*KNOWN_TOOLS, "Bash(git diff:*)"]), unique=True),
    model=st.sampled_from(["", "opus", "claude-sonnet-4-5"]),
)
@example(description='Use when: it\'s "late"\n  - and\n\n# dark', tools=[], model="")
@example(description="\ufeffa\u2028b\ufffec", tools=None, model="opus")
@example(description="null", tools=["Read"], model="")
def test_reading_what_was_written_gives_it_back(
    description: str, tools: list[str] | None, model: str
) -> None:
    agent = plan_agent("a-1", description, tools, model)
    with tempfile.TemporaryDirectory() as folder:
        path = create_agent(agent, Path(folder))
        text = path.read_text(encoding="utf-8")
        spec = read(path)
    assert why_skipped(text) is None
    assert spec.name == "a-1"
    assert spec.description == agent.description or not agent.description
    assert spec.tools == agent.tools == (None if tools is None else tuple(tools))
    assert (spec.model or "") == model
    assert spec.prompt


def test_the_template_is_sound_but_for_its_placeholder(tmp_path: Path) -> None:
    path = create_agent(plan_agent("helper"), tmp_path / "new" / "folder")
    assert validate_files([path]).findings == ()
    assert read(path).tools == ("Read", "Glob", "Grep")
    assert "helper" in read(path).description


def test_an_alias_of_the_settings_is_a_model() -> None:
    with pytest.raises(NewAgentError, match="there is no model"):
        plan_agent("a", model="local")
    assert plan_agent("a", model="local", aliases=["local"]).model == "local"


def test_nothing_is_overwritten_and_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    agent = plan_agent("helper")
    (tmp_path / "helper.md").write_text("mine")
    with pytest.raises(NewAgentError, match="is there already"):
        create_agent(agent, tmp_path)
    assert (tmp_path / "helper.md").read_text() == "mine"
    with pytest.raises(NewAgentError, match="can't be written"):
        create_agent(agent, tmp_path / "helper.md")
