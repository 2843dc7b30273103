"""The registry as other programs use it, and the page that explains it."""

import doctest
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from secretary_tui.registry.agent_index import AgentNotFoundError
from secretary_tui.registry.agent_registry import AgentRegistry, define_agent
from secretary_tui.registry.definition.spec import AgentSpec
from tests.registry.definitions import write_agent

PAGE = Path(__file__).parents[2] / "docs" / "registry-api.md"


def agent(name: str = "a", **fields: object) -> AgentSpec:
    return define_agent(name, "Repairs failing tests", "Do it.", **fields)  # type: ignore[arg-type]


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".claude" / "agents"
    write_agent(folder, "code-reviewer", description="Reviews pull requests", tools="Read, Grep")
    write_agent(folder / "team", "planner", description="Plans a quarter", skills="roadmap")
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 25 and results.failed == 0


def test_the_last_agent_of_an_id_counts() -> None:
    first, second, other = agent(model="opus"), agent(model="haiku"), agent("b")
    registry = AgentRegistry([first])
    registry.register_multiple(other, second)
    assert registry.get("a") is second
    assert (registry.all(), registry.names(), len(registry)) == ((second, other), ("a", "b"), 2)
    assert "a" in registry and registry.has("b") and not registry.has("A")


def test_an_unknown_name_gives_the_nearest_also_of_plugins(tmp_path: Path) -> None:
    path = write_agent(tmp_path / "plugins" / "kit" / "agents", "code-reviewer")
    registry = AgentRegistry([agent("planner")])
    registry.load_from_file(path)
    assert registry.names() == ("planner", "kit:code-reviewer")
    with pytest.raises(AgentNotFoundError) as caught:
        registry.get("code-reviewr")
    assert caught.value.nearest == ("kit:code-reviewer",)
    with pytest.raises(AgentNotFoundError, match=r'there is no agent "qqq"$'):
        registry.get("qqq")


def test_a_folder_is_read_alone_or_with_all_below(tmp_path: Path) -> None:
    write_agent(tmp_path, "top")
    write_agent(tmp_path / "deep" / "er", "low")
    (tmp_path / "README.md").write_text("# Notes\n")
    registry = AgentRegistry()
    assert registry.load_from_directory(tmp_path) == ()
    assert registry.names() == ("top",)
    registry.load_from_directory(tmp_path, recursive=True)
    assert set(registry.names()) == {"top", "low"}
    assert registry.load_from_directory(tmp_path / "gone") == ()


def test_what_is_wrong_is_reported_and_the_rest_loads(tmp_path: Path) -> None:
    write_agent(tmp_path, "good")
    (tmp_path / "half.md").write_text("---\nname: half\n")
    registry = AgentRegistry()
    (finding,) = registry.load_from_directory(tmp_path)
    assert (finding.path.name, str(finding.severity)) == ("half.md", "error")
    assert registry.names() == ("good",)
    (tmp_path / "README.md").write_text("# Notes\n")
    (finding,) = registry.load_from_file(tmp_path / "README.md")
    assert "there is no frontmatter" in finding.message
    (finding,) = registry.load_from_file(tmp_path / "gone.md")
    assert str(finding.severity) == "error"


FIELDS = {"description": "Repairs tests", "prompt": "Do it.", "tools": "Read, Grep"}
OTHERWISE = {"description": "Repairs tests", "systemPrompt": "Do it.", "tools": ["Read", "Grep"]}


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"a": FIELDS}),
        {"a": OTHERWISE},
        {"name": "a", **FIELDS},
        [{"name": "a", **FIELDS}],
    ],
)
def test_json_is_read_in_every_form(data: object) -> None:
    registry = AgentRegistry()
    assert registry.load_from_json(data) == ()  # type: ignore[arg-type]
    spec = registry.get("a")
    assert (spec.prompt, spec.tools) == ("Do it.", ("Read", "Grep"))


@pytest.mark.parametrize("data", ["{", "7", "nowhere.json", {"a": 7}, {"a": {}}, {"a": object()}])
def test_json_that_holds_no_agent_is_reported(data: object) -> None:
    registry = AgentRegistry()
    findings = registry.load_from_json(data)  # type: ignore[arg-type]
    assert findings and all(str(finding.severity) == "error" for finding in findings)
    assert len(registry) == 0


def test_a_projects_agent_counts_before_a_packages_and_a_users(tmp_path: Path) -> None:
    for level, names in (("user", "abc"), ("package", "ab"), ("project", "a")):
        for name in names:
            write_agent(tmp_path / level, name, body=level)
    registry = AgentRegistry()
    findings = registry.auto_discover(
        tmp_path / "project", tmp_path / "package", user_path=tmp_path / "user"
    )
    assert findings == ()
    assert {name: registry.get(name).prompt for name in "abc"} == {
        "a": "project",
        "b": "package",
        "c": "user",
    }


@pytest.mark.parametrize(
    ("tools", "disallowed", "asked", "allowed"),
    [
        (None, (), "Write", True),
        ((), (), "Write", False),
        (("Read",), (), "Read", True),
        (("read_file",), (), "Read", False),
        (("*",), (), "Write", True),
        (("Bash(git diff:*)",), (), "Bash", True),
        (("mcp__github",), (), "mcp__github__search", True),
        (("mcp__github__*",), (), "mcp__github__search", True),
        (("mcp__git",), (), "mcp__github__search", False),
        (("mcp__github__search",), (), "mcp__github__search", True),
        (None, ("Write",), "Write", False),
        (("Write",), ("Write",), "Write", False),
        (("Bash",), ("Bash(rm:*)",), "Bash", True),
        (("Bash",), ("Bash(*)",), "Bash", False),
        (None, ("mcp__github",), "mcp__github__search", False),
    ],
)
def test_which_tools_an_agent_may_have(
    tools: tuple[str, ...] | None, disallowed: tuple[str, ...], asked: str, allowed: bool
) -> None:
    spec = agent(tools=tools, disallowed_tools=disallowed)
    assert spec.is_tool_allowed(asked) is allowed
    assert spec.inherits_all_tools() is (tools is None)
    assert spec.filter_tools([asked]) == ((asked,) if allowed else ())


def test_tools_are_filtered_by_name_or_as_objects() -> None:
    @dataclass(frozen=True)
    class Tool:
        name: str

    read, write = Tool("Read"), Tool("Write")
    assert agent(tools=["Read"]).filter_tools([write, read]) == (read,)


def test_skills_and_the_model_can_be_asked_for() -> None:
    plain, full = agent(), agent(skills=["style"], model="opus")
    assert (plain.has_skills(), plain.should_inherit_model()) == (False, True)
    assert (full.has_skills(), full.should_inherit_model()) == (True, False)
    assert agent(model="inherit").should_inherit_model()


def test_a_registry_is_validated_without_raising(tmp_path: Path) -> None:
    registry = AgentRegistry([agent("a", tools=["Reed"]), agent("b")])
    found = {finding.kind: finding for finding in registry.validate().findings}
    assert set(found) == {"unknown-tool"}, "a and b have one prompt: they are copies"
    path = write_agent(tmp_path, "c", description="Use when: it is late")
    registry.load_from_file(path)
    path.unlink()
    assert registry.validate().agents == 3
