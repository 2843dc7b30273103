"""`agents` and its sub-verbs."""

import json
import shlex
import sys
from pathlib import Path

import pexpect
import pytest

from tests.verbs.command_line import cli, environment, write_agent


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


def test_list_does_what_agents_alone_does(project: Path) -> None:
    assert cli("agents", "list", cwd=project).out == cli("agents", cwd=project).out
    for words in (("agents", "list", "--json"), ("agents", "--json", "list")):
        assert cli(*words, cwd=project).json["agents"][0]["dialect"] == "claude"


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


def test_agents_that_no_source_leads_to_are_named_with_the_option_that_lists_them(
    tmp_path: Path,
) -> None:
    for name in ("painter", "welder", "joiner"):
        write_agent(tmp_path / "my team", name, f"A {name} for things of all sorts.")
    hint = "3 agent files lie in "
    option = "`--agents-dir 'my team'` lists them this time, the setting agents_folders in "
    for words in (("agents",), ("agents", "validate"), ("doctor",)):
        done = cli(*words, cwd=tmp_path)
        said = done.out if words == ("doctor",) else done.err
        assert hint in said
        assert option in said
    found = cli("agents", "--json", cwd=tmp_path).json["unlisted"]
    assert found == {"path": str(tmp_path / "my team"), "files": 3}
    for words in (("agents", "--agents-dir", "my team"), ("agents", "validate", "my team")):
        assert hint not in cli(*words, cwd=tmp_path).err
    found = cli("agents", "--json", "--agents-dir", "my team", cwd=tmp_path).json
    assert (len(found["agents"]), found["unlisted"]) == (3, None)


def test_an_escape_sequence_in_a_file_never_reaches_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "bad.md").write_text(
        '---\nname: bad\ndescription: "a\\e]52;c;eA==\\a b\\u202e"\n---\nx\n'
    )
    for arguments in (["agents"], ["agents", "--json"]):
        done = cli(*arguments, cwd=tmp_path)
        assert not set("\x1b\x07\u202e") & set(done.out + done.err)


def test_the_column_counts_what_validate_warns_of_and_no_note(project: Path) -> None:
    agents = project / ".claude" / "agents"
    text = "Reviews database migrations for missing indexes and locks"
    write_agent(agents, "Loud Name", text, "tools: Reed, Bsh\nmodel: sonet\n")
    found = cli("agents", "validate", "--format", "json", cwd=project).json
    of_file = [f for f in found["findings"] if f["path"] == str(agents / "Loud Name.md")]
    assert [f["kind"] for f in of_file if f["severity"] == "note"] == ["name-convention"]
    warnings = [f["message"] for f in of_file if f["severity"] == "warning"]
    assert (found["notes"], found["warnings"], len(warnings)) == (1, 2, 2)
    listed = cli("agents", "--json", cwd=project).json["agents"]
    (agent,) = [agent for agent in listed if agent["id"] == "Loud Name"]
    assert [warning["message"] for warning in agent["warnings"]] == warnings
    rows = [row.split("\t") for row in cli("agents", cwd=project).out.splitlines()]
    assert next(row[-1] for row in rows if row[1] == "Loud Name") == "2"
    done = cli("agents", "validate", cwd=project)
    assert done.status == 0
    assert "0 errors, 2 warnings, 1 note." in done.err


def test_a_note_is_a_notice_for_github(project: Path) -> None:
    path = write_agent(project, "Loud", "Reviews database migrations for missing indexes")
    done = cli("agents", "validate", "--format", "github", path, cwd=project)
    assert done.out.startswith("::notice file=Loud.md,line=2,title=name-convention::")


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
    said = "1 other document without frontmatter passed over (.claude/README.md).\n"
    assert done.err.endswith(said)


def test_validate_names_what_it_passes_over_and_calls_fields_without_fences_an_error(
    project: Path,
) -> None:
    agents = project / ".claude" / "agents"
    (agents / "empty.md").write_text("")
    (agents / "bare.md").write_text("\nname: bare\n\nYou help.\n")
    for words in ((), (".claude",)):
        done = cli("agents", "validate", *words, cwd=project)
        assert done.status == 1
        assert f"{agents / 'bare.md'}:2: error: the fields stand without a line ---" in done.out
        said = "1 other document without frontmatter passed over (.claude/agents/empty.md)."
        assert said in done.err
        found = cli("agents", "validate", "--format", "json", *words, cwd=project).json
        assert found["passed_over"] == [str(agents / "empty.md")]


def test_validate_reports_a_missing_path(tmp_path: Path) -> None:
    assert cli("agents", "validate", tmp_path / "nowhere.md", cwd=tmp_path).status == 1


BROKEN = "---\nname: late\ndescription: Use when: it is late at night\n---\nYou help.\n"


@pytest.fixture
def late(project: Path) -> Path:
    path = project / ".claude" / "agents" / "late.md"
    path.write_text(BROKEN)
    return path


def test_validate_without_a_path_checks_the_whole_library(project: Path, late: Path) -> None:
    done = cli("agents", "validate", cwd=project)
    assert done.status == 1
    assert f"{late}:3: error: Claude Code skips this file without a word" in done.out
    assert "4 agents, 1 error, 1 warning, 1 file that Claude Code skips without a word" in done.err


def test_validate_gives_json_with_everything_known(project: Path, late: Path) -> None:
    found = cli("agents", "validate", "--format", "json", late, cwd=project).json
    assert {key: value for key, value in found.items() if key != "findings"} == {
        "agents": 1,
        "errors": 1,
        "warnings": 1,
        "notes": 0,
        "skipped_by_claude_code": 1,
        "documents": 0,
        "passed_over": [],
    }
    warning, error = sorted(found["findings"], key=lambda finding: finding["action"] == "keep")
    assert (warning["severity"], warning["action"], warning["kind"]) == (
        *("warning", "repair"),
        "definition",
    )
    assert (error["path"], error["line"], error["severity"]) == (str(late), 3, "error")
    assert (error["kind"], error["skipped_by_claude_code"]) == ("silent-skip", True)


def test_validate_annotates_for_github_with_everything_escaped(project: Path) -> None:
    path = write_agent(project / "a,b:c%", "x", "Repairs failing tests", "tools: Reed%\n")
    done = cli("agents", "validate", "--format", "github", path, cwd=project)
    assert done.out == (
        "::warning file=a%2Cb%3Ac%25/x.md,line=4,title=unknown-tool::"
        'tools: "Reed%25" is not a known tool; the agent won\'t get it\n'
    )


def test_a_dry_run_shows_the_diff_and_writes_nothing(project: Path, late: Path) -> None:
    done = cli("agents", "validate", "--fix", "--dry-run", late, cwd=project)
    assert done.status == 0
    assert "\n-description: Use when: it is late at night\n" in done.out
    assert '\n+description: "Use when: it is late at night"\n' in done.out
    assert "1 file would be fixed; nothing was written." in done.err
    assert late.read_text() == BROKEN


def test_fix_without_anybody_to_ask_writes_nothing(project: Path, late: Path) -> None:
    done = cli("agents", "validate", "--fix", late, cwd=project)
    assert (done.status, late.read_text()) == (4, BROKEN)
    assert "Use --yes or --dry-run" in done.err


def test_fix_with_yes_shows_writes_and_checks_again(project: Path, late: Path) -> None:
    done = cli("agents", "validate", "--fix", "--yes", cwd=project)
    assert (done.status, done.out) == (0, "")
    assert "+description:" in done.err and "1 file fixed." in done.err
    assert late.read_text() == BROKEN.replace(
        "Use when: it is late at night", '"Use when: it is late at night"'
    )
    assert "Nothing to fix." in cli("agents", "validate", "--fix", "--yes", cwd=project).err


def test_fix_leaves_plugins_alone_unless_they_are_named(project: Path, late: Path) -> None:
    theirs = project / "plugins" / "kit" / "agents" / "late.md"
    theirs.parent.mkdir(parents=True)
    late.rename(theirs)
    cli("agents", "validate", "--fix", "--yes", cwd=project)
    assert theirs.read_text() == BROKEN
    cli("agents", "validate", "--fix", "--yes", "plugins", cwd=project)
    assert theirs.read_text() != BROKEN


def test_fix_names_what_it_can_not_mend(project: Path) -> None:
    bad = project / "bad.md"
    bad.write_text("---\nstray words\nname: a\ndescription: Repairs: tests\n---\nx\n")
    done = cli("agents", "validate", "--fix", "--yes", bad, cwd=project)
    assert done.status == 1
    assert f"{bad}: warning: the file was left as it is, because" in done.out


@pytest.mark.parametrize("option", ["--yes", "--dry-run"])
def test_yes_and_dry_run_need_fix(project: Path, option: str) -> None:
    done = cli("agents", "validate", option, cwd=project)
    assert done.status == 2 and "go with --fix" in done.err


def test_fix_says_when_there_is_nothing_where_it_shall_mend(project: Path) -> None:
    done = cli("agents", "validate", "--fix", "--dry-run", "gone.md", cwd=project)
    assert (done.status, done.out) == (2, "")
    assert "there is no file or folder gone.md to fix" in done.err


def test_fix_either_writes_or_only_shows(project: Path, late: Path) -> None:
    before = late.read_bytes()
    done = cli("agents", "validate", "--fix", "--dry-run", "--yes", cwd=project)
    assert done.status == 2 and "give one of them" in done.err
    assert late.read_bytes() == before


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False), ("", False)])
def test_fix_asks_at_a_terminal(project: Path, late: Path, answer: str, written: bool) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "secretary_tui", "agents", "validate", "--fix", str(late)],
        cwd=str(project),
        env=environment(),
        encoding="utf-8",
        timeout=60,
    )
    child.expect(r"\+description: \"Use when")
    child.expect(r"Write 1 file\? \[y/N\] ")
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert (late.read_text() != BROKEN) is written
    assert child.exitstatus == (0 if written else 4)


def test_new_writes_a_sound_definition_and_never_overwrites(project: Path) -> None:
    created = [
        *("agents", "new", "migration-writer", "--tools", "Read, Bash(git diff:*)"),
        *("--model", "opus", "--description", "Writes migrations. Use when: a schema changes"),
    ]
    done = cli(*created, cwd=project)
    path = project / ".claude" / "agents" / "migration-writer.md"
    assert (done.status, done.out, done.err) == (0, f"{path}\n", "")
    assert cli("agents", "validate", path, cwd=project).err == "1 agent, 0 errors, 0 warnings.\n"
    agents = cli("agents", "--json", cwd=project).json["agents"]
    made = next(agent for agent in agents if agent["id"] == "migration-writer")
    assert made["tools"] == ["Read", "Bash(git diff:*)"] and made["model"] == "opus"
    assert made["description"] == "Writes migrations. Use when: a schema changes"
    path.write_text("mine")
    again = cli(*created, cwd=project)
    assert again.status == 1 and "is there already" in again.err
    assert path.read_text() == "mine"


def test_a_new_agent_reads_only_until_it_is_given_more(project: Path, home: Path) -> None:
    done = cli("agents", "new", "helper", "--user", cwd=project)
    path = home / ".claude" / "agents" / "helper.md"
    assert done.out == f"{path}\n" and "placeholder" in done.err
    assert "\ntools: Read, Glob, Grep\n" in path.read_text()
    cli("agents", "new", "all", "--tools", "*", cwd=project)
    assert "tools:" not in (project / ".claude" / "agents" / "all.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["My Agent"], 'not "My Agent"; "my-agent" would do'),
        (["../x"], 'a name is lower case, words joined by hyphens, not "../x"'),
        (["a", "--tools", "read_file"], "did you mean Read?"),
        (["a", "--model", "sonet"], "did you mean sonnet?"),
    ],
)
def test_new_refuses_what_would_surprise_later(
    project: Path, arguments: list[str], says: str
) -> None:
    before = sorted(project.rglob("*.md"))
    done = cli("agents", "new", *arguments, cwd=project)
    assert done.status == 1 and says in done.err
    assert sorted(project.rglob("*.md")) == before


def test_a_new_agent_that_is_hidden_says_by_whom(project: Path, home: Path) -> None:
    done = cli("agents", "new", "docs-writer", "--user", "--description", "Writes", cwd=project)
    assert f"It is hidden by {project / '.claude/agents/docs-writer.md'}" in done.err


def test_new_opens_the_users_editor_and_checks_what_was_written(
    project: Path, tmp_path: Path
) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys, pathlib\n"
        "path = pathlib.Path(sys.argv[-1])\n"
        "path.write_text(path.read_text().replace('Read, Glob, Grep', 'Reed'))\n"
    )
    child = pexpect.spawn(
        sys.executable,
        ["-m", "secretary_tui", "agents", "new", "helper", "--edit"],
        cwd=str(project),
        env=environment({"VISUAL": shlex.join([sys.executable, str(editor)])}),
        encoding="utf-8",
        timeout=60,
    )
    child.expect('"Reed" is not a known tool')
    child.expect(pexpect.EOF)
    assert "--edit needs a terminal" in cli("agents", "new", "x", "--edit", cwd=project).err


def test_path_prints_the_file_alone(project: Path) -> None:
    done = cli("agents", "path", "DOCS-writer", cwd=project)
    assert done.out == f"{project / '.claude/agents/docs-writer.md'}\n"
    missing = cli("agents", "path", "docs-writr", cwd=project)
    assert missing.status == 1 and "nearest: docs-writer" in missing.err


def test_shadows_says_what_hides_what(project: Path, home: Path) -> None:
    winner = project / ".claude" / "agents" / "docs-writer.md"
    loser = write_agent(home / ".claude" / "agents", "docs-writer", "Writes other things.")
    for arguments in (["docs-writer"], []):
        _, *rows = cli("agents", "shadows", *arguments, cwd=project).out.splitlines()
        assert [row.split("\t") for row in rows] == [
            ["active", "docs-writer", "project", str(winner), ""],
            ["shadowed", "docs-writer", "user", str(loser), str(winner)],
        ]
    alone = cli("agents", "shadows", "security-reviewer", cwd=project)
    assert alone.out == "" and "hides no agent, and none hides it" in alone.err


def disabled(project: Path) -> list[str]:
    settings = cli("config", "list", "--json", cwd=project).json["settings"]
    value: list[str] = settings["disabled_agents"]["value"]
    return value


def status_of(project: Path, agent_id: str) -> str:
    agents = cli("agents", "--json", cwd=project).json["agents"]
    status: str = next(agent["status"] for agent in agents if agent["id"] == agent_id)
    return status


def test_an_agent_is_disabled_and_enabled_in_the_projects_settings(project: Path) -> None:
    settings = project / ".claude" / "secretary.local.md"
    settings.write_text("---\n# mine\nother: 1\n---\nNotes.\n")
    done = cli("agents", "disable", "Docs-Writer", cwd=project)
    assert done.out == "docs-writer is disabled in ~/shop/.claude/secretary.local.md.\n"
    assert disabled(project) == ["docs-writer"]
    assert status_of(project, "docs-writer") == "disabled"
    assert "as before" in cli("agents", "disable", "docs-writer", cwd=project).out
    assert cli("agents", "enable", "docs-writer", cwd=project).out == "docs-writer is enabled.\n"
    assert disabled(project) == []
    assert status_of(project, "docs-writer") == "active"
    text = settings.read_text()
    assert text.startswith("---\n# mine\nother: 1\n") and text.endswith("---\nNotes.\n")


def test_what_all_projects_disable_is_enabled_there(project: Path) -> None:
    cli("agents", "disable", "docs-writer", "--user", cwd=project)
    assert disabled(project) == ["docs-writer"]
    done = cli("agents", "enable", "docs-writer", cwd=project)
    assert done.status == 1 and "`agents enable docs-writer --user` enables it" in done.err
    assert cli("agents", "enable", "docs-writer", "--user", cwd=project).status == 0
    assert disabled(project) == []


@pytest.fixture
def guided(project: Path) -> Path:
    """The project with an agent of another product."""
    folder = project / ".github" / "agents"
    folder.mkdir(parents=True)
    (folder / "guide.agent.md").write_text("---\ndescription: Guides authors.\n---\nGuide.")
    return project


def disabled_sources(project: Path) -> list[str]:
    settings = cli("config", "list", "--json", cwd=project).json["settings"]
    value: list[str] = settings["disabled_sources"]["value"]
    return value


def test_plugins_that_are_not_installed_are_listed_with_what_installs_them(project: Path) -> None:
    offers = {
        "name": "shop",
        "plugins": [{"name": "far", "source": {"source": "github", "repo": "a/b"}}],
    }
    manifest = project / ".claude-plugin" / "marketplace.json"
    manifest.parent.mkdir()
    manifest.write_text(json.dumps(offers))
    sources = cli("agents", "sources", cwd=project)
    assert "Marketplaces offer 1 plugin besides" in sources.err
    rows = cli("agents", "sources", "--offered", cwd=project).out.splitlines()
    assert rows[1:] == ["far@shop\tgithub a/b\t/plugin install far@shop"]
    offered = cli("agents", "sources", "--json", cwd=project).json["not_installed"]
    assert [(one["plugin"], one["install"]) for one in offered] == [
        ("far@shop", "/plugin install far@shop")
    ]


def test_the_sources_are_listed_with_what_to_call_them(guided: Path) -> None:
    cli("agents", "disable", "--source", "copilot", cwd=guided)
    header, *rows = cli("agents", "sources", cwd=guided).out.splitlines()
    assert header.split("\t") == ["status", "source", "agents", "path"]
    assert f"disabled\tcopilot\t1\t{guided / '.github/agents'}" in rows
    assert rows[0].startswith("active\tproject\t")
    assert cli("agents", "sources", "--names", cwd=guided).out.split()[:2] == ["project", "copilot"]
    found = cli("agents", "sources", "--json", cwd=guided).json["sources"]
    assert found[1] == {
        "source": "copilot",
        "kind": "project-other",
        "path": str(guided / ".github/agents"),
        "agents": 1,
        "disabled_by": "the setting disabled_sources",
    }


def test_a_folder_has_one_name_everywhere(project: Path) -> None:
    team = ("--agents-dir", "../crew")
    write_agent(project.parent / "crew", "painter", "Paints fences and walls in any colour.")
    assert cli("agents", *team, cwd=project).out.splitlines()[1].split("\t")[2] == "crew"
    assert cli("agents", "sources", "--names", *team, cwd=project).out.split()[0] == "crew"
    refused = cli("agents", "disable", "--source", "nothing-like-it", *team, cwd=project)
    assert "crew" in refused.err
    done = cli("agents", "disable", "--source", "crew", *team, cwd=project)
    folder = str(project.parent / "crew")
    assert done.status == 0
    assert disabled_sources(project) == [folder], "another folder of that name stays on"
    listed = cli("agents", "--json", *team, cwd=project).json["agents"]
    assert next(a["status"] for a in listed if a["id"] == "painter") == "disabled"
    assert cli("agents", "enable", "--source", "crew", *team, cwd=project).status == 0
    assert disabled_sources(project) == []


def test_two_folders_of_one_name_are_told_apart_by_their_paths(project: Path) -> None:
    folders = [project.parent / part / "crew" for part in ("a", "b")]
    teams = [word for folder in folders for word in ("--agents-dir", folder)]
    for number, folder in enumerate(folders):
        write_agent(folder, f"painter-{number}", "Paints fences and walls in any colour.")
    names = cli("agents", "sources", "--names", *teams, cwd=project).out.split()
    assert set(map(str, folders)) <= set(names)
    refused = cli("agents", "disable", "--source", "crew", *teams, cwd=project)
    assert refused.status != 0
    assert all(str(folder) in refused.err for folder in folders)
    done = cli("agents", "disable", "--source", folders[1], *teams, cwd=project)
    assert done.status == 0
    assert disabled_sources(project) == [str(folders[1])]


def test_a_source_is_disabled_and_enabled_in_the_projects_settings(guided: Path) -> None:
    done = cli("agents", "disable", "--source", "Copilot", cwd=guided)
    assert done.out.startswith("copilot is disabled in ") and done.out.endswith(": 1 agent.\n")
    assert disabled_sources(guided) == ["copilot"]
    assert status_of(guided, "guide") == "disabled"
    assert "as before" in cli("agents", "disable", "--source", "copilot", cwd=guided).out
    cli("agents", "disable", "--source", guided / ".github/agents", cwd=guided)
    assert len(disabled_sources(guided)) == 2, "a folder names itself alone"
    assert cli("agents", "enable", "--source", "copilot", cwd=guided).out == "copilot is enabled.\n"
    assert disabled_sources(guided) == []
    assert status_of(guided, "guide") == "active"


def test_a_source_disabled_elsewhere_is_said_with_where(guided: Path) -> None:
    cli("agents", "disable", "--source", "copilot", "--user", cwd=guided)
    done = cli("agents", "enable", "--source", "copilot", cwd=guided)
    assert done.status == 1
    assert "`agents enable --source copilot --user` enables it" in done.err
    assert cli("agents", "enable", "--source", "copilot", "--user", cwd=guided).status == 0
    cli("agents", "disable", "--source", "project-other", cwd=guided)
    done = cli("agents", "enable", "--source", "copilot", cwd=guided)
    assert (done.status, disabled_sources(guided)) == (1, ["project-other"])
    assert "still disabled by project-other" in done.err


def test_a_source_that_is_gone_can_be_taken_off_the_list(guided: Path) -> None:
    cli("agents", "disable", "--source", "copilot", cwd=guided)
    (guided / ".github" / "agents" / "guide.agent.md").unlink()
    (guided / ".github" / "agents").rmdir()
    assert cli("agents", "enable", "--source", "copilot", cwd=guided).status == 0
    done = cli("agents", "enable", "--source", "copilot", cwd=guided)
    assert done.status == 1 and 'there is no source "copilot"; there are project' in done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--source", "copliot"], 'there is no source "copliot"; nearest: copilot'),
        ([], "name an agent's ID or a --source NAME"),
        (["guide", "--source", "copilot"], "name an agent's ID or a --source NAME"),
        (["copilot"], "For all agents of that source: agents disable --source copilot"),
    ],
)
def test_what_can_not_be_disabled_is_said(
    guided: Path, arguments: list[str], sentence: str
) -> None:
    done = cli("agents", "disable", *arguments, cwd=guided)
    assert done.status != 0 and sentence in done.err
    assert disabled_sources(guided) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_sources_and_agents(project: Path, shell: str) -> None:
    script = cli("completion", shell, cwd=project).out
    assert script.count("_secretary_tui_sources") >= 3
    assert script.count("_secretary_tui_agents") >= 5


def test_an_agent_that_is_gone_can_be_taken_off_the_list(project: Path) -> None:
    cli("agents", "disable", "docs-writer", cwd=project)
    (project / ".claude" / "agents" / "docs-writer.md").unlink()
    assert cli("agents", "enable", "docs-writer", cwd=project).status == 0
    assert cli("agents", "enable", "docs-writer", cwd=project).status == 1


def test_an_agent_given_as_json_has_no_file_to_print(project: Path) -> None:
    given = '{"flake-hunter": {"description": "Finds flaky tests", "prompt": "Find."}}'
    done = cli("agents", "path", "flake-hunter", "--agents", given, cwd=project)
    assert (done.status, done.out) == (1, "")
    assert "flake-hunter has no file" in done.err
