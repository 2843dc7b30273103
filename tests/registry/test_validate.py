"""What an author is told about definition files."""

from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.registry.validate import validate_paths
from tests.registry.definitions import write_agent

BUNDLED = {
    "code-reviewer": {"Read", "Glob", "Grep"},
    "coder": {"Read", "Write", "Edit", "Glob", "Grep", "Bash"},
    "debugger": {"Read", "Edit", "Glob", "Grep", "Bash"},
    "docs-writer": {"Read", "Write", "Edit", "Glob", "Grep"},
    "refactorer": {"Read", "Write", "Edit", "Glob", "Grep", "Bash"},
    "researcher": {"Read", "Glob", "Grep", "WebSearch", "WebFetch"},
    "security-reviewer": {"Read", "Glob", "Grep"},
    "surveyor": {"Read", "Glob", "Grep"},
    "test-writer": {"Read", "Write", "Edit", "Glob", "Grep", "Bash"},
    "worker": {"Read", "Write", "Edit", "Glob", "Grep", "Bash"},
}


def report(*targets: Path) -> str:
    return "\n".join(map(str, validate_paths(targets)))


def test_a_sound_definition_has_no_findings(tmp_path: Path) -> None:
    write_agent(tmp_path, "sound", tools="Read, Bash(git diff:*), mcp__github__search, Agent(a, b)")
    assert report(tmp_path) == ""


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("read", "did you mean Read?"),
        ("read_file", "did you mean Read?"),
        ("edit/editFiles", "did you mean Edit?"),
        ("Websearch", "did you mean WebSearch?"),
        ("Grpe", "did you mean Grep?"),
        ("frobnicate", "the agent won't get it"),
    ],
)
def test_an_unknown_tool_is_named_with_the_right_one(
    tmp_path: Path, written: str, advice: str
) -> None:
    path = write_agent(tmp_path, "a", tools=f"Glob, {written}")
    assert report(path) == f'{path}:4: warning: tools: "{written}" is no known tool; {advice}'


def test_an_empty_body_a_wrong_field_and_a_taken_name_are_found(tmp_path: Path) -> None:
    first = write_agent(tmp_path, "twin", file="a.md", body="")
    second = write_agent(tmp_path, "twin", file="b.md", **{"allowed-tools": "Read"})
    found = report(tmp_path)
    assert f"{first}: warning: there is no text below the frontmatter" in found
    assert f'{second}:4: warning: the field "allowed-tools" has no effect; did you mean' in found
    assert f'{second}:2: warning: the name "twin" is taken by {first}' in found


def test_documentation_is_an_error_only_when_it_is_named_itself(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Read me\n")
    write_agent(tmp_path, "a")
    assert report(tmp_path) == ""
    assert f"{readme}:1: error: there is no frontmatter" in report(readme)
    assert "error: the file is not there" in report(tmp_path / "gone.md")


def test_the_same_file_given_twice_is_checked_once(tmp_path: Path) -> None:
    path = write_agent(tmp_path, "a")
    assert report(tmp_path, path, path) == ""


def test_the_bundled_agents_are_sound_and_have_exactly_the_tools_they_need() -> None:
    from secretary_tui.registry.index import LiveIndex

    folder = paths.bundled("agents")
    assert report(folder) == ""
    specs = LiveIndex(folder, bundled=True).snapshot.active
    assert {spec.name: set(spec.tools or ()) for spec in specs} == BUNDLED
    for spec in specs:
        assert not spec.summary.endswith("…"), f"{spec.name}: the first sentence is too long"
        assert "Use " in spec.description
