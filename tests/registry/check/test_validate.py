"""What an author is told about definition files."""

import json
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.registry.check.validate import validate_files, validate_index
from secretary_tui.registry.definition.parse import read_agent
from secretary_tui.registry.definition.spec import Finding, Source, SourceKind
from secretary_tui.registry.sources.library_options import LibraryOptions
from tests.registry import definitions

BUNDLED = {
    "code-reviewer": {"Read", "Glob", "Grep"},
    "coder": {"Read", "Write", "Edit", "Glob", "Grep", "Bash", "TodoWrite"},
    "debugger": {"Read", "Edit", "Glob", "Grep", "Bash"},
    "docs-writer": {"Read", "Write", "Edit", "Glob", "Grep"},
    "refactorer": {"Read", "Write", "Edit", "Glob", "Grep", "Bash", "TodoWrite"},
    "researcher": {"Read", "Glob", "Grep", "WebSearch", "WebFetch", "TodoWrite"},
    "security-reviewer": {"Read", "Glob", "Grep"},
    "surveyor": {"Read", "Glob", "Grep"},
    "test-writer": {"Read", "Write", "Edit", "Glob", "Grep", "Bash", "TodoWrite"},
    "worker": {"Read", "Write", "Edit", "Glob", "Grep", "Bash", "TodoWrite"},
}


def write_agent(folder: Path, name: str, **fields: str) -> Path:
    """An agent with a description that is long enough."""
    fields.setdefault("description", f"Writes reversible database migrations for {name}")
    return definitions.write_agent(folder, name, **fields)


def kinds(*targets: Path) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in validate_files(targets).findings:
        found.setdefault(finding.kind, []).append(finding)
    return found


def report(*targets: Path) -> str:
    return "\n".join(map(str, validate_files(targets).findings))


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
        ("execute/runTask", "did you mean Bash?"),
        ("read/problems", "the agent won't get it"),
        ("frobnicate", "the agent won't get it"),
    ],
)
def test_an_unknown_tool_is_named_with_the_right_one(
    tmp_path: Path, written: str, advice: str
) -> None:
    path = write_agent(tmp_path, "a", tools=f"Glob, {written}")
    assert report(path) == f'{path}:4: warning: tools: "{written}" is not a known tool; {advice}'


@pytest.mark.parametrize(
    ("key", "right"),
    [
        *((key, "tools") for key in ("Tools", "TOOLS", "tool", "allowed-tools", "allowedTools")),
        *((key, "tools") for key in ("tolls", "tооls", "too\u200bls", "Allowed_Tools")),
        *((key, "disallowedTools") for key in ("disallowed-tools", "DisallowedTools")),
        *(
            (key, "disallowedTools")
            for key in ("disalowedTools", "dissallowed_tool", "denied-tools")
        ),
    ],
)
def test_a_list_under_a_misspelt_key_limits_an_agent_and_is_named(
    tmp_path: Path, key: str, right: str
) -> None:
    path = write_agent(tmp_path, "a", **{key: "Bash"})
    spec = read_agent(path, Source(SourceKind.PROJECT, tmp_path)).spec
    assert spec is not None
    assert (spec.tools, spec.disallowed_tools) == (
        (("Bash",), ()) if right == "tools" else (None, ("Bash",))
    )
    assert f" here; it is read as {right}: write {right}" in report(path)


@pytest.mark.parametrize(("key", "value"), [("max-turns", "3"), ("Permission_Mode", "plan")])
def test_the_other_limits_hold_under_misspelt_keys_too(
    tmp_path: Path, key: str, value: str
) -> None:
    path = write_agent(tmp_path, "a", **{key: value})
    spec = read_agent(path, Source(SourceKind.PROJECT, tmp_path)).spec
    assert spec is not None
    assert (spec.max_turns, spec.permission_mode) in ((3, None), (None, "plan"))


@pytest.mark.parametrize("key", ["toolbox", "pool", "title", "min_turns", "maxTokens", "mode"])
def test_a_field_of_another_meaning_is_left_alone(tmp_path: Path, key: str) -> None:
    path = write_agent(tmp_path, "a", **{key: "Bash"})
    spec = read_agent(path, Source(SourceKind.PROJECT, tmp_path)).spec
    assert spec is not None
    assert spec.tools is None
    assert spec.metadata == {key: "Bash"}
    assert report(path) == ""


@pytest.mark.parametrize(
    ("key", "written", "advice"),
    [
        ("tools", "-Bash", "to take it away, write disallowedTools: Bash"),
        ("disallowedTools", "Bash(rm", "did you mean Bash?"),
        ("disallowedTools", "Bash[rm]", "did you mean Bash?"),
        ("disallowedTools", "frobnicate", "it takes nothing away"),
    ],
)
def test_what_takes_tools_away_in_vain_is_named(
    tmp_path: Path, key: str, written: str, advice: str
) -> None:
    path = write_agent(tmp_path, "a", **{key: f"Glob, {written}"})
    assert report(path) == f'{path}:4: warning: {key}: "{written}" is not a known tool; {advice}'


def test_an_empty_body_a_wrong_field_and_a_taken_name_are_found(tmp_path: Path) -> None:
    first = write_agent(tmp_path, "twin", file="a.md", body="")
    second = write_agent(tmp_path, "twin", file="b.md", **{"allowed-tools": "Read"})
    found = report(tmp_path)
    assert f"{first}: warning: there is no text below the frontmatter" in found
    assert (
        f'{second}:4: warning: there is no field "allowed-tools" here; it is read as tools' in found
    )
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
    folder = paths.bundled("agents")
    assert report(folder) == ""
    specs = LiveIndex(folder, bundled=True).snapshot.active
    assert {spec.name: set(spec.tools or ()) for spec in specs} == BUNDLED
    for spec in specs:
        assert not spec.summary.endswith("…"), f"{spec.name}: the first sentence is too long"
        assert "Use " in spec.description


def test_many_unknown_tools_are_one_finding(tmp_path: Path) -> None:
    path = write_agent(tmp_path, "a", tools="Read, codebase, frobnicate")
    assert report(path).endswith(
        'tools: 2 entries are not known tools: "codebase" (Grep?), "frobnicate"'
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: a\ndescription: Use when: tests fail at night\n---\nx\n",
        "---\nname: a\ndescription: Repairs failing tests\ntools: *\n---\nx\n",
        "---\ndescription: Repairs failing tests\n---\nx\n",
        "---\nname: a\n---\nRepairs failing tests at night.\n",
        "\n---\nname: a\ndescription: Repairs failing tests\n---\nx\n",
        "---\nname: a\ndescription: Repairs failing tests\n",
    ],
)
def test_a_file_that_claude_code_skips_silently_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(text)
    result = validate_files([path])
    silent = [finding for finding in result.findings if finding.silent]
    assert silent and result.silent == 1
    assert all(finding.severity == "error" and finding.line for finding in silent)


def test_a_file_used_here_but_skipped_there_says_why_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\nname: a\ndescription: Use when: tests fail at night\n---\nx\n")
    (finding,) = kinds(path)["silent-skip"]
    assert str(finding).startswith(f"{path}:3: error: Claude Code skips this file without a word")
    assert "not valid YAML" in finding.message and "--fix" in finding.message
    assert finding.action == "keep"


@pytest.mark.parametrize(
    ("frontmatter", "can_be_mended"),
    [
        ("name: a\ndescription: Use when: late\n", True),
        ("name: a\n\tdescription: Mends tests at night\n", False),
        ("name: a\ndescription: x: y\ndescription: z: w\n", False),
    ],
)
def test_fix_is_promised_only_where_it_can_mend(
    tmp_path: Path, frontmatter: str, can_be_mended: bool
) -> None:
    path = tmp_path / "a.md"
    path.write_text(f"---\n{frontmatter}---\nx\n")
    (finding,) = kinds(path)["silent-skip"]
    assert ("--fix" in finding.message) is can_be_mended


def test_a_missing_description_is_not_called_too_short_as_well(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\nname: a\n---\nHelps.\n")
    assert set(kinds(path)) == {"no-description", "silent-skip"}


def test_fix_is_promised_with_the_path_where_it_wants_one(tmp_path: Path) -> None:
    path = definitions.write_agent(tmp_path / "kit", "a", description="Use when: tests fail late")
    options = LibraryOptions(agents_folders=(path.parent,), bundled=False)
    found = validate_index(LiveIndex(tmp_path, options=options).refresh().index)
    (finding,) = [finding for finding in found.findings if finding.silent]
    assert f"`agents validate --fix {path}` can mend it" in finding.message


def test_our_own_settings_in_a_folder_are_no_agent(tmp_path: Path) -> None:
    settings = tmp_path / paths.PROJECT_CONFIG
    settings.parent.mkdir()
    settings.write_text("---\nactivation_mode: aware\n---\n")
    found = validate_files([settings.parent])
    assert [finding.message for finding in found.findings] == []


def test_what_is_beyond_our_own_limits_is_not_said_of_claude_code(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    deep = "[" * 40 + "]" * 40
    path.write_text(f"---\nname: a\ndescription: Repairs failing tests\nx: {deep}\n---\nx\n")
    assert "silent-skip" not in kinds(path)


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        ("opus", ""),
        ("inherit", ""),
        ("claude-sonnet-4-5-20250929", ""),
        ("us.anthropic.claude-sonnet-4-5-v1:0", ""),
        ("sonet", "did you mean sonnet?"),
        ("GPT-5", "known are fable, opus, sonnet, haiku, inherit and ids that start with claude-"),
    ],
)
def test_an_unknown_model_is_named_with_what_is_known(
    tmp_path: Path, model: str, advice: str
) -> None:
    path = write_agent(tmp_path, "a", model=model)
    expected = f'{path}:4: warning: model: "{model}" is no known model; {advice}' if advice else ""
    assert report(path) == expected


def test_an_alias_of_the_settings_is_a_known_model(tmp_path: Path) -> None:
    path = write_agent(tmp_path, "a", model="local")
    assert kinds(path)["unknown-model"]
    assert validate_files([path], ["local"]).findings == ()


@pytest.mark.parametrize(
    "place", ["project/.claude/skills", "home/.claude/skills", "project/kit/skills"]
)
def test_a_skill_is_found_where_agents_may_have_it(tmp_path: Path, place: str) -> None:
    plugin = tmp_path / "project" / "kit"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "kit"}')
    path = write_agent(plugin / "agents", "a", skills="style, ../style")
    skill = tmp_path / place / "style" / "SKILL.md"
    missing = kinds(path)["missing-skill"]
    assert [finding.line for finding in missing] == [4, 4]
    skill.parent.mkdir(parents=True)
    skill.write_text("Write well.\n")
    (left,) = kinds(path)["missing-skill"]
    assert '"../style"' in left.message


def test_descriptions_too_long_and_too_short_are_found(tmp_path: Path) -> None:
    long = write_agent(tmp_path, "long", description="Tunes slow database queries. " * 40)
    short = write_agent(tmp_path, "short", description="Specialized agent")
    found = kinds(tmp_path)
    assert [(f.path, f.line) for f in found["long-description"]] == [(long, 3)]
    assert [(f.path, f.line) for f in found["short-description"]] == [(short, 3)]
    assert "1,159 characters" in found["long-description"][0].message


def test_a_name_may_stand_once_in_each_plugin_and_in_the_project(tmp_path: Path) -> None:
    for place in ("plugins/one/agents", "plugins/two/agents", ".claude/agents"):
        write_agent(tmp_path / place, "twin")
    assert report(tmp_path) == ""
    second = write_agent(tmp_path / "plugins/one/agents", "twin", file="z.md", body="Else.")
    (finding,) = kinds(tmp_path)["duplicate-name"]
    assert finding.path == second
    write_agent(tmp_path / "plugins/one/agents/sub", "twin", body="Third.")
    assert len(kinds(tmp_path)["duplicate-name"]) == 1, "a sub-folder is part of a plugin's id"


def test_a_project_is_checked_with_its_hidden_agents_and_without_other_markdown(
    tmp_path: Path,
) -> None:
    bad = write_agent(tmp_path / ".claude" / "agents", "bad", tools="Frobnicate")
    write_agent(tmp_path / "commands", "deploy", tools="Frobnicate")
    write_agent(tmp_path / "skills" / "style", "notes", tools="Frobnicate")
    assert [finding.path for finding in validate_files([tmp_path]).findings] == [bad]


def test_a_library_is_checked_with_who_hides_whom(tmp_path: Path, home: Path) -> None:
    winner = write_agent(tmp_path / ".claude" / "agents", "twin")
    loser = write_agent(home / ".claude" / "agents", "twin", tools="read")
    (tmp_path / ".claude" / "agents" / "half.md").write_text("---\nname: half\n")
    result = validate_index(LiveIndex(tmp_path, bundled=False).snapshot)
    assert result.agents == 2
    found = {finding.kind: finding for finding in result.findings}
    assert set(found) == {"shadowed", "unknown-tool", "definition"}
    assert (found["shadowed"].path, found["shadowed"].line) == (loser, 2)
    assert f"hidden by {winner}" in found["shadowed"].message


def test_what_can_not_be_chosen_is_not_compared(tmp_path: Path) -> None:
    agents = tmp_path / ".claude" / "agents"
    write_agent(agents, "one", description="Generates implementation plans", body="1")
    write_agent(agents, "two", description="Generates implementation plans", body="2")
    every = LiveIndex(tmp_path, bundled=False).snapshot
    assert [finding.kind for finding in validate_index(every).findings] == ["overlap"]
    options = LibraryOptions(bundled=False, disabled_agents=frozenset({"two"}))
    some = LiveIndex(tmp_path, options=options).snapshot
    assert (validate_index(some).findings, validate_index(some).agents) == ((), 2)


def test_agents_given_as_json_are_checked_each(tmp_path: Path) -> None:
    given = {
        name: {"description": f"Repairs {name} in tests", "prompt": name, "tools": ["Reed"]}
        for name in ("flakes", "leaks")
    }
    options = LibraryOptions(bundled=False, given=json.dumps(given))
    result = validate_index(LiveIndex(tmp_path, options=options).snapshot)
    assert (result.agents, {finding.kind for finding in result.findings}) == (2, {"unknown-tool"})


def test_other_dialects_keep_their_own_tools_and_models(tmp_path: Path) -> None:
    path = write_agent(tmp_path, "a", file="a.agent.md", tools="[codebase]", model="GPT-5")
    assert report(path) == ""


def test_a_missing_skill_of_the_library_is_said_once(tmp_path: Path) -> None:
    path = write_agent(tmp_path / ".claude" / "agents", "a", skills="style")
    result = validate_index(LiveIndex(tmp_path, bundled=False).snapshot)
    assert [(f.kind, f.path, f.line) for f in result.findings] == [("missing-skill", path, 4)]
