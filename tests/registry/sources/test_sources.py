"""Where agents are looked for."""

import json
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.registry.agent_index import AgentIndex, AgentNotFoundError, LiveIndex
from secretary_tui.registry.definition.spec import PRIORITY, AgentStatus, SourceKind
from secretary_tui.registry.sources import scan
from secretary_tui.registry.sources.library_options import LibraryOptions
from secretary_tui.registry.sources.sources import find_sources
from tests.registry.definitions import write_agent


def write_marketplace(project: Path, *plugins: dict[str, Any], **other: Any) -> Path:
    path = project / ".claude-plugin" / "marketplace.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"name": "market", "plugins": plugins, **other}), encoding="utf-8")
    return path


def write_manifest(plugin: Path, **fields: Any) -> None:
    path = plugin / ".claude-plugin" / "plugin.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fields), encoding="utf-8")


def ids(project: Path, *agents_dirs: Path) -> list[str]:
    index = LiveIndex(project, agents_dirs, bundled=False).snapshot
    return [entry.id for entry in index.entries if entry.status is AgentStatus.ACTIVE]


def problems(project: Path, *agents_dirs: Path) -> str:
    index = LiveIndex(project, agents_dirs, bundled=False).snapshot
    return " | ".join(map(str, index.problems))


def test_project_agents_are_found_at_any_depth_with_bare_ids(project: Path) -> None:
    write_agent(project / ".claude" / "agents", "top")
    write_agent(project / ".claude" / "agents" / "team" / "web", "deep")
    assert ids(project) == ["deep", "top"]


def test_what_came_along_is_the_last_resort(project: Path, home: Path) -> None:
    bundled = LiveIndex(project).snapshot.get("worker")
    assert bundled and bundled.spec.source.kind is SourceKind.BUNDLED
    mine = write_agent(home / ".claude" / "agents", "worker")
    index = LiveIndex(project).snapshot
    assert [(e.spec.path, e.status) for e in index.entries if e.id == "worker"] == [
        (mine, AgentStatus.ACTIVE),
        (bundled.spec.path, AgentStatus.SHADOWED),
    ]
    ours = write_agent(project / ".claude" / "agents", "worker")
    entry = LiveIndex(project).snapshot.get("worker")
    assert entry and entry.spec.path == ours


def test_a_plugin_comes_before_the_user_and_the_project_before_both() -> None:
    order = sorted(PRIORITY, key=PRIORITY.__getitem__)
    assert order[-1] is SourceKind.BUNDLED
    assert order.index(SourceKind.PROJECT) < order.index(SourceKind.PLUGIN)
    assert order.index(SourceKind.PLUGIN) < order.index(SourceKind.USER)
    assert set(PRIORITY) == set(SourceKind)
    assert len(set(PRIORITY.values())) == len(PRIORITY)


def test_folders_up_to_the_repository_root_count_and_the_nearest_wins(project: Path) -> None:
    root = project / "kit"
    (root / ".git").mkdir(parents=True)
    inner = root / "packages" / "web"
    inner.mkdir(parents=True)
    near = write_agent(inner / ".claude" / "agents", "shared")
    far = write_agent(root / ".claude" / "agents", "shared")
    write_agent(root / ".claude" / "agents", "far")
    write_agent(project / ".claude" / "agents", "outside")
    index = LiveIndex(inner, bundled=False).snapshot
    assert [(e.id, e.spec.path, e.status, e.shadowed_by) for e in index.entries] == [
        ("shared", near, AgentStatus.ACTIVE, None),
        ("far", root / ".claude" / "agents" / "far.md", AgentStatus.ACTIVE, None),
        ("shared", far, AgentStatus.SHADOWED, near),
    ]


def test_sources_come_in_order_of_priority(project: Path, home: Path, tmp_path: Path) -> None:
    named, package = tmp_path / "named", tmp_path / "package"
    folders = (named, package, project / ".claude" / "agents", home / ".claude" / "agents")
    for folder in (*folders, project / ".github" / "agents", home / ".copilot" / "agents"):
        write_agent(folder, "coder")
    write_agent(project / "plugins" / "kit" / "agents", "coder")
    given = '{"coder": {"description": "Codes", "prompt": "Code."}}'
    options = LibraryOptions(agents_dirs=(named,), agents_folders=(package,), given=given)
    index = LiveIndex(project, options=options).snapshot
    kinds = [e.spec.source.kind for e in index.entries if e.spec.name == "coder"]
    assert kinds == sorted(SourceKind, key=PRIORITY.__getitem__)
    assert index.get("coder").spec.prompt == "Code."  # type: ignore[union-attr]
    assert index.get("kit:coder").status is AgentStatus.ACTIVE  # type: ignore[union-attr]


def test_a_home_folder_under_version_control_keeps_its_agents_the_users(home: Path) -> None:
    (home / ".git").mkdir()
    write_agent(home / ".claude" / "agents", "mine")
    project = home / "work"
    project.mkdir()
    index = LiveIndex(project, bundled=False).snapshot
    assert [entry.spec.source.kind for entry in index.entries] == [SourceKind.USER]


def test_a_missing_agents_dir_is_reported(project: Path, tmp_path: Path) -> None:
    assert "does not exist; check what --agents-dir names" in problems(project, tmp_path / "no")
    file = write_agent(tmp_path, "x")
    assert "is not a folder" in problems(project, file)


def test_a_marketplace_names_its_plugins(project: Path) -> None:
    write_agent(project / "plugins" / "kit" / "agents", "one")
    write_agent(project / "plugins" / "kit" / "agents" / "review", "security")
    write_agent(project / "plugins" / "unlisted" / "agents", "two")
    write_marketplace(
        project,
        {"name": "kit", "source": "./plugins/kit"},
        {"name": "far", "source": {"source": "github", "repo": "a/b"}},
        {"name": "subdir", "source": {"source": "git-subdir", "url": "x", "path": "y"}},
    )
    assert ids(project) == ["kit:one", "kit:review:security"]
    assert problems(project) == ""


def test_bare_source_names_start_from_the_plugin_root(project: Path) -> None:
    write_agent(project / "lib" / "kit" / "agents", "one")
    write_agent(project / "other" / "agents", "two")
    write_marketplace(
        project,
        {"name": "kit", "source": "kit"},
        {"name": "other", "source": "./other"},
        metadata={"pluginRoot": "./lib"},
    )
    assert ids(project) == ["kit:one", "other:two"]


@pytest.mark.parametrize("source", ["../outside", "./x/../../outside", "/etc", "~/x", "", 7, None])
def test_a_source_outside_the_marketplace_is_refused(project: Path, source: object) -> None:
    write_agent(project.parent / "outside" / "agents", "evil")
    write_marketplace(project, {"name": "kit", "source": source})
    assert ids(project) == []
    assert "marketplace.json: error: plugin" in problems(project)


def test_a_source_that_is_a_link_leading_out_is_refused(project: Path) -> None:
    write_agent(project.parent / "outside" / "agents", "evil")
    (project / "kit").symlink_to(project.parent / "outside")
    write_marketplace(project, {"name": "kit", "source": "./kit"})
    assert ids(project) == []
    assert "a link that leads out" in problems(project)


@pytest.mark.parametrize(
    ("agents", "expected"),
    [
        ("./lib", ["kit:one", "kit:sub:two"]),
        (["./lib/one.md", "./lib/sub/two.md"], ["kit:one", "kit:two"]),
        (["./lib/sub", "./agents"], ["kit:three", "kit:two"]),
        (["./gone.md", "../x.md"], []),
    ],
)
def test_a_plugins_own_agents_list_replaces_its_default(
    project: Path, agents: object, expected: list[str]
) -> None:
    kit = project / "kit"
    write_agent(kit / "lib", "one")
    write_agent(kit / "lib" / "sub", "two")
    write_agent(kit / "agents", "three")
    write_manifest(kit, name="kit", agents=agents)
    write_marketplace(project, {"name": "kit", "source": "./kit"})
    assert ids(project) == expected
    assert ("its agents path" in problems(project)) == (not expected)


def test_a_marketplace_entry_can_list_the_agents(project: Path) -> None:
    write_agent(project / "kit", "one")
    write_agent(project / "kit", "two")
    write_marketplace(project, {"name": "kit", "source": "./kit", "agents": ["./two.md"]})
    assert ids(project) == ["kit:two"]


@pytest.mark.parametrize("content", [None, "{not json", "[]", '{"plugins": {}}', "[" * 100_000])
def test_plugin_folders_are_found_without_a_usable_marketplace(
    project: Path, content: str | None
) -> None:
    write_agent(project / "plugins" / "kit" / "agents", "one")
    if content is not None:
        write_marketplace(project).write_text(content, encoding="utf-8")
    assert ids(project) == ["kit:one"]
    assert ("marketplace.json:1: error: not valid JSON" in problems(project)) == (
        content == "{not json"
    )


def test_plugin_folders_are_found_when_no_entry_lies_here(project: Path) -> None:
    write_agent(project / "plugins" / "kit" / "agents", "one")
    write_marketplace(
        project,
        {"name": "far", "source": {"source": "npm", "package": "x"}},
        {"name": "lost", "source": "./lost"},
    )
    assert ids(project) == ["kit:one"]
    assert 'plugin "lost": its folder "./lost" is not there' in problems(project)


def test_links_to_folders_are_followed_once(project: Path) -> None:
    write_agent(project / "shared", "linked")
    agents = project / ".claude" / "agents"
    write_agent(agents, "own")
    (agents / "shared").symlink_to("../../shared")
    (agents / "loop").symlink_to(agents)
    (agents / "self").symlink_to("self")
    assert ids(project) == ["linked", "own"]
    assert "leads to a folder that was read already" in problems(project)


@pytest.mark.parametrize("place", ["a folder in it", "the folder", ".claude", "commands"])
def test_a_project_can_not_lead_out_of_its_repository(
    project: Path, tmp_path: Path, place: str
) -> None:
    write_agent(tmp_path / "outside" / "agents", "stranger")
    write_agent(tmp_path / "outside" / "commands", "strange-command")
    claude = project / ".claude"
    match place:
        case "a folder in it":
            (claude / "agents").mkdir(parents=True)
            (claude / "agents" / "root").symlink_to("/")
        case ".claude":
            claude.symlink_to(tmp_path / "outside")
        case "commands":
            claude.mkdir()
            (claude / "commands").symlink_to(tmp_path / "outside" / "commands")
        case _:
            claude.mkdir()
            (claude / "agents").symlink_to(tmp_path / "outside" / "agents")
    index = LiveIndex(project, bundled=False).snapshot
    assert index.entries == ()
    assert index.commands == ()
    if place != "commands":
        assert "outside of what it belongs to" in problems(project)


def test_a_plugin_can_not_lead_out_of_itself(project: Path) -> None:
    write_marketplace(project, {"name": "kit", "source": "./kit"})
    write_agent(project / "kit" / "more", "inner")
    write_agent(project / "elsewhere", "stranger")
    agents = project / "kit" / "agents"
    write_agent(agents, "own")
    (agents / "inside").symlink_to("../more")
    (agents / "out").symlink_to("../../elsewhere")
    assert ids(project) == ["kit:inside:inner", "kit:own"]
    assert "outside of what it belongs to" in problems(project)


def test_links_of_the_user_stay_within_the_home(project: Path, home: Path, tmp_path: Path) -> None:
    write_agent(home / "dotfiles", "mine")
    write_agent(tmp_path / "outside", "stranger")
    agents = home / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "dotfiles").symlink_to(home / "dotfiles")
    (agents / "outside").symlink_to(tmp_path / "outside")
    assert ids(project) == ["mine"]
    assert "outside of what it belongs to" in problems(project)


def test_the_users_own_folder_may_be_a_link_to_anywhere(
    project: Path, home: Path, tmp_path: Path
) -> None:
    write_agent(tmp_path / "disk", "mine")
    (home / ".claude").mkdir()
    (home / ".claude" / "agents").symlink_to(tmp_path / "disk")
    assert ids(project) == ["mine"]


def test_a_folder_that_links_to_itself_is_named(project: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "agents").symlink_to("agents")
    assert ids(project) == []
    assert "can't be read" in problems(project)


def test_more_folders_than_any_library_has_are_not_all_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "MAX_FOLDERS", 20)
    agents = project / ".claude" / "agents"
    for number in range(30):
        write_agent(agents / f"f{number:02}", f"a{number:02}")
    assert len(ids(project)) == 19
    assert "more than 20 folders" in problems(project)


def test_hidden_folders_dependency_trees_and_skills_are_passed_by(
    project: Path, tmp_path: Path
) -> None:
    named = tmp_path / "named"
    for folder in (".git", "node_modules/x", "skills"):
        write_agent(named / folder, "no", file="SKILL.md" if folder == "skills" else "")
    write_agent(named, "no", file=".draft.md")
    write_agent(named, "yes")
    assert ids(project, named) == ["yes"]


def test_the_bundled_agents_can_be_left_out(project: Path) -> None:
    kinds = {source.kind for source in find_sources(project).sources}
    assert SourceKind.BUNDLED in kinds
    without = find_sources(project, bundled=False).sources
    assert SourceKind.BUNDLED not in {source.kind for source in without}


def look(project: Path, **options: Any) -> AgentIndex:
    return LiveIndex(project, options=LibraryOptions(bundled=False, **options)).snapshot


def test_the_projects_own_folder_comes_before_the_usual_one(project: Path) -> None:
    write_agent(project / "team" / "agents", "shared", body="Ours.")
    write_agent(project / ".claude" / "agents", "shared")
    write_agent(project / ".claude" / "agents", "usual")
    index = look(project, agents_dir="team/agents")
    assert [(e.id, e.status) for e in index.entries] == [
        ("shared", AgentStatus.ACTIVE),
        ("shared", AgentStatus.SHADOWED),
        ("usual", AgentStatus.ACTIVE),
    ]
    assert index.find("shared").spec.prompt == "Ours."


@pytest.mark.parametrize("agents_dir", ["../outside", "/etc", "~/x", "link", "a\0b"])
def test_the_projects_own_folder_can_not_lie_outside_of_it(project: Path, agents_dir: str) -> None:
    write_agent(project.parent / "outside", "evil")
    (project / "link").symlink_to(project.parent / "outside")
    index = look(project, agents_dir=agents_dir)
    assert index.entries == ()
    assert "the setting agents_dir" in str(index.problems[0])


def test_a_missing_package_folder_is_reported(project: Path, tmp_path: Path) -> None:
    [problem] = look(project, agents_folders=(tmp_path / "no",)).problems
    assert "check what the setting agents_folders names" in str(problem)


def test_a_switched_off_agent_stays_visible_and_lets_the_next_one_be_active(
    project: Path, home: Path
) -> None:
    write_agent(project / ".claude" / "agents", "coder")
    write_agent(project / "plugins" / "kit" / "agents", "one")
    index = look(project, disabled_agents=frozenset({"coder", "kit:one"}))
    assert [(e.id, e.status) for e in index.entries] == [
        ("coder", AgentStatus.DISABLED),
        ("kit:one", AgentStatus.DISABLED),
    ]
    assert index.active == () and index.complete("co") == ()
    with pytest.raises(AgentNotFoundError, match="is switched off"):
        index.choose("coder")


@pytest.mark.parametrize("name", ["kit", "plugin", "kit@market"])
def test_a_source_is_switched_off_by_any_of_its_names(project: Path, name: str) -> None:
    write_agent(project / "kit" / "agents", "one")
    write_agent(project / ".claude" / "agents", "two")
    write_marketplace(project, {"name": "kit", "source": "./kit"})
    index = look(project, disabled_sources=frozenset({name}))
    assert [(e.id, e.status, e.disabled_by) for e in index.entries] == [
        ("two", AgentStatus.ACTIVE, ""),
        ("kit:one", AgentStatus.DISABLED, "the setting disabled_sources"),
    ]
    assert index.choose("two").name == "two"


def test_a_source_is_switched_off_by_its_folder(project: Path, home: Path) -> None:
    write_agent(home / ".claude" / "agents", "mine")
    write_agent(project / ".claude" / "agents", "mine", body="Other.")
    index = look(project, disabled_sources=frozenset({"~/.claude/agents"}))
    assert [e.status for e in index.entries] == [AgentStatus.ACTIVE, AgentStatus.DISABLED]
    index = look(project, disabled_sources=frozenset({str(project / ".claude" / "agents")}))
    assert index.find("mine").spec.source.kind is SourceKind.USER


def test_new_options_count_from_the_next_refresh_on(project: Path) -> None:
    path = write_agent(project / ".claude" / "agents", "one")
    live = LiveIndex(project, bundled=False)
    live.refresh()
    live.configure(LibraryOptions(bundled=False, disabled_agents=frozenset({"one"})))
    assert live.refresh().updated == (path,)
    assert live.snapshot.active == ()


GIVEN = """{
  "reviewer": {"description": "Reviews", "systemPrompt": " Review. ", "tools": ["Read", "Grep"],
               "model": "sonnet", "skills": "a, b", "metadata": {"team": "web"}, "extra": 1},
  "planner": {"prompt": "Plan the work. Then stop."},
  "no": "text"
}"""


@pytest.mark.parametrize("in_a_file", [False, True])
def test_agents_given_as_json_come_first(project: Path, tmp_path: Path, in_a_file: bool) -> None:
    write_agent(project / ".claude" / "agents", "reviewer")
    (tmp_path / "agents.json").write_text(GIVEN)
    given = str(tmp_path / "agents.json") if in_a_file else GIVEN
    index = look(project, given=given)
    spec = index.choose("reviewer")
    assert (spec.description, spec.prompt, spec.tools) == ("Reviews", "Review.", ("Read", "Grep"))
    assert (spec.model, spec.skills) == ("sonnet", ("a", "b"))
    assert spec.metadata == {"team": "web", "extra": 1}
    assert spec.path == (tmp_path / "agents.json" if in_a_file else Path("--agents"))
    assert index.choose("planner").description == "Plan the work."
    assert [(e.id, e.status) for e in index.entries][-1] == ("reviewer", AgentStatus.SHADOWED)
    assert 'agent "no": there is no table with a description' in str(index.problems[0])


def test_a_given_file_that_is_edited_is_read_again(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "agents.json"
    path.write_text('{"a": {"description": "d", "prompt": "One."}}')
    live = LiveIndex(project, options=LibraryOptions(bundled=False, given=str(path)))
    first = live.snapshot
    assert live.refresh().is_empty and live.snapshot is first
    path.write_text('{"a": {"description": "d", "prompt": "Another."}}')
    assert live.refresh().index.find("a").spec.prompt == "Another."
    assert path in live.awaited


@pytest.mark.parametrize(
    "given", ['[{"name": "a", "description": "d"}]', '{"name": "a", "description": "d"}']
)
def test_other_forms_of_json_agents_are_read(project: Path, given: str) -> None:
    assert [spec.id for spec in look(project, given=given).active] == ["a"]


HOSTILE_JSON = [
    "{",
    "[1, 2",
    "3",
    "no-such-file.json",
    "[" * 100_000,
    '{"a": {"description": "x\\ud800"}}',
    "[3]",
    '{"a": {"x": ' + "[" * 500 + "]" * 500 + "}}",
    '{"../a": {"description": "d"}}',
]


@pytest.mark.parametrize("given", HOSTILE_JSON)
def test_given_text_of_any_kind_gives_agents_or_problems(project: Path, given: str) -> None:
    index = look(project, given=given)
    assert index.problems or index.active
    assert all("/" not in spec.id for spec in index.active)


def test_two_given_agents_with_one_id_are_reported(project: Path) -> None:
    given = '{"a/b": {"description": "1"}, "a-b": {"description": "2"}}'
    index = look(project, given=given)
    assert [spec.description for spec in index.active] == ["1"]
    assert 'two agents are called "a-b"' in str(index.problems[0])
