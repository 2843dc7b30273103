"""Skills and commands: found like agents, and looked up for them."""

import json
from pathlib import Path

import pytest

from secretary_tui.delegation.tools.skill_texts import load_skills
from secretary_tui.registry.agent_index import AgentIndex, LiveIndex
from secretary_tui.registry.sources.library_options import LibraryOptions
from tests.registry.definitions import write_agent


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def skill(folder: Path, name: str, text: str = "---\ndescription: About it\n---\nDo.") -> Path:
    return write(folder / name / "SKILL.md", text)


def look(project: Path, **options: object) -> AgentIndex:
    wanted = LibraryOptions(bundled=False, **options)  # type: ignore[arg-type]
    return LiveIndex(project, options=wanted).snapshot


def test_skills_are_found_where_claude_code_keeps_them(project: Path, home: Path) -> None:
    inner = project / "packages" / "web"
    inner.mkdir(parents=True)
    near = skill(inner / ".claude" / "skills", "near")
    far = skill(project / ".claude" / "skills", "far", "# Far\n\nNo frontmatter.")
    mine = skill(home / ".claude" / "skills", "mine")
    own = skill(inner / "plugins" / "kit" / "skills", "own")
    (inner / ".claude" / "skills" / "empty").mkdir()
    index = look(inner)
    assert [(s.id, s.path, s.description, str(s.source.kind)) for s in index.skills] == [
        ("near", near, "About it", "project"),
        ("far", far, "Far", "project"),
        ("kit:own", own, "About it", "plugin"),
        ("mine", mine, "About it", "user"),
    ]


def test_commands_are_found_with_their_folders_in_the_name(project: Path, home: Path) -> None:
    text = "---\ndescription: Ships it\nargument-hint: '[version]'\n---\nShip $1."
    write(project / ".claude" / "commands" / "ship.md", text)
    write(project / ".claude" / "commands" / "web" / "check.md", "Check it all. Then stop.")
    write(home / ".claude" / "commands" / "note.md", "Note.")
    write(project / "plugins" / "kit" / "commands" / "sub" / "go.md", "Go.")
    index = look(project)
    assert [(c.id, c.description, c.argument_hint) for c in index.commands] == [
        ("ship", "Ships it", "[version]"),
        ("web:check", "Check it all.", ""),
        ("kit:sub:go", "Go.", ""),
        ("note", "Note.", ""),
    ]


def test_a_plugins_manifest_adds_folders_and_single_pages(project: Path) -> None:
    kit = project / "kit"
    skill(kit / "skills", "default")
    skill(kit / "more", "added")
    skill(kit / "alone", "one")
    write(kit / "cmd" / "go.md", "Go.")
    manifest = {"skills": ["./more", "./alone/one", "../out"], "commands": "./cmd/go.md"}
    write(kit / ".claude-plugin" / "plugin.json", json.dumps(manifest))
    market = {"plugins": [{"name": "kit", "source": "./kit"}]}
    write(project / ".claude-plugin" / "marketplace.json", json.dumps(market))
    index = look(project)
    assert [skill.id for skill in index.skills] == ["kit:added", "kit:default", "kit:one"]
    assert [command.id for command in index.commands] == ["kit:go"]


def test_pages_of_a_source_that_is_switched_off_are_gone(project: Path, home: Path) -> None:
    skill(project / "plugins" / "kit" / "skills", "own")
    skill(home / ".claude" / "skills", "mine")
    write(project / "plugins" / "kit" / "commands" / "go.md", "Go.")
    index = look(project, disabled_sources=frozenset({"kit"}))
    assert [skill.id for skill in index.skills] == ["mine"]
    assert index.commands == ()


def test_a_page_that_can_not_be_read_is_a_problem(project: Path) -> None:
    path = skill(project / ".claude" / "skills", "bad", "\0binary")
    index = look(project)
    assert index.skills == ()
    assert [problem.path for problem in index.problems] == [path]


def test_a_missing_skill_is_a_warning_on_its_agent_until_it_comes(project: Path) -> None:
    skill(project / ".claude" / "skills", "there")
    path = write_agent(project / ".claude" / "agents", "one", skills="there, gone")
    live = LiveIndex(project, bundled=False)
    [finding] = live.snapshot.find("one").spec.findings
    assert (finding.path, finding.line, finding.severity) == (path, 4, "warning")
    assert 'the skill "gone" is not found' in finding.message
    skill(project / ".claude" / "skills", "gone")
    change = live.refresh()
    assert change.updated == (path,) and change.pages_changed
    assert change.index.find("one").spec.findings == ()


NAMES = [
    "near",
    "mine",
    "own",
    "kit:own",
    "set:other",
    "kit:near",
    "none",
    "..",
    "a/b",
    "kit:..",
    "",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_index_and_a_run_find_the_same_skills(project: Path, home: Path, name: str) -> None:
    inner = project / "packages" / "web"
    inner.mkdir(parents=True)
    skill(project / ".claude" / "skills", "near")
    skill(home / ".claude" / "skills", "mine")
    skill(inner / "plugins" / "kit" / "skills", "own")
    skill(inner / "plugins" / "set" / "skills", "other")
    given = json.dumps({"typed": {"description": "d", "prompt": "p", "skills": [name]}})
    quoted = json.dumps([name])
    write_agent(inner / ".claude" / "agents", "bare", skills=quoted)
    write_agent(inner / "plugins" / "kit" / "agents", "inside", skills=quoted)
    write_agent(inner / "plugins" / "kit" / "agents" / "sub", "deep", skills=quoted)
    index = look(inner, given=given)
    assert len(index.active) == 4
    for agent in index.active:
        told = any("is not found" in finding.message for finding in agent.findings)
        assert told == bool(load_skills(agent, inner).notices), agent.id
