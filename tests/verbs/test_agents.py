"""`agents` and `agents validate`."""

from pathlib import Path

from tests.verbs.command_line import cli, write_agent


def test_the_json_has_the_stable_shape(project: Path) -> None:
    (project / ".claude" / "agents" / "broken.md").write_text("---\nname: broken\n")
    found = cli("agents", "--json", cwd=project).json
    reviewer = next(agent for agent in found["agents"] if agent["id"] == "security-reviewer")
    assert {key: reviewer[key] for key in ("plugin", "name", "tools", "model", "skills")} == {
        "plugin": None,
        "name": "security-reviewer",
        "tools": ["Read", "Grep", "Glob"],
        "model": None,
        "skills": [],
    }
    assert reviewer["source"] == "project"
    assert reviewer["status"] == "active"
    assert reviewer["warnings"] == []
    assert reviewer["path"] == str(project / ".claude/agents/security-reviewer.md")
    assert "injection" in reviewer["description"]
    (problem,) = found["problems"]
    assert set(problem) == {"path", "line", "message", "action"}
    assert problem["action"] == "skip"


def test_a_pipe_gets_tab_separated_columns(project: Path) -> None:
    header, *rows = cli("agents", cwd=project).out.splitlines()
    assert header.split("\t") == ["status", "id", "source", "model", "tools", "warnings"]
    table = {row.split("\t")[1]: row.split("\t") for row in rows}
    assert table["docs-writer"] == ["active", "docs-writer", "project", "haiku", "Read,Write", "0"]


def test_a_shadowed_agent_is_listed_as_such(project: Path) -> None:
    write_agent(project / "extra", "docs-writer", "Another one.")
    found = cli("agents", "--json", "--agents-dir", project / "extra", cwd=project).json
    status = {agent["path"]: agent["status"] for agent in found["agents"]}
    assert status[str(project / "extra/docs-writer.md")] == "active"
    assert status[str(project / ".claude/agents/docs-writer.md")] == "shadowed"


def test_no_agents_is_said_with_what_to_do(tmp_path: Path) -> None:
    done = cli("agents", cwd=tmp_path)
    assert (done.status, done.out) == (0, "")
    assert "No agents found. Install plugins with agents first" in done.err


def test_an_escape_sequence_in_a_file_never_reaches_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "bad.md").write_text(
        '---\nname: bad\ndescription: "a\\e]52;c;eA==\\a b\\u202e"\n---\nx\n'
    )
    for arguments in (["agents"], ["agents", "--json"]):
        done = cli(*arguments, cwd=tmp_path)
        assert not set("\x1b\x07\u202e") & set(done.out + done.err)


def test_validate_passes_good_files(project: Path) -> None:
    done = cli("agents", "validate", project / ".claude", cwd=project)
    assert (done.status, done.out) == (0, "")
    assert done.err == "3 agents, 0 errors, 0 warnings.\n"


def test_validate_names_file_and_line_and_fails(project: Path) -> None:
    bad = project / "bad.md"
    bad.write_text("---\nname: bad\ndescription: Use when: it is late\n---\nYou help.\n")
    half = project / "half.md"
    half.write_text("---\nname: half\n")
    done = cli("agents", "validate", bad, half, cwd=project)
    assert done.status == 1
    assert f"{bad}:3: warning: " in done.out
    assert f"{half}:" in done.out
    assert "error: " in done.out


def test_validate_says_when_a_named_file_is_none(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Notes\n")
    done = cli("agents", "validate", readme, cwd=tmp_path)
    assert done.status == 1
    assert f"{readme}:1: error: there is no frontmatter" in done.out


def test_validate_passes_over_documents_in_a_folder(project: Path) -> None:
    (project / ".claude" / "README.md").write_text("# Notes\n")
    done = cli("agents", "validate", project / ".claude", cwd=project)
    assert done.status == 0
    assert "1 other document passed over" in done.err


def test_validate_reports_a_missing_path(tmp_path: Path) -> None:
    assert cli("agents", "validate", tmp_path / "nowhere.md", cwd=tmp_path).status == 1
