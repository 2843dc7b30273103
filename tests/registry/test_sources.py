"""Where agents are looked for."""

import json
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.registry.index import LiveIndex
from secretary_tui.registry.options import LibraryOptions
from secretary_tui.registry.sources import find_sources
from secretary_tui.registry.spec import AgentStatus, SourceKind
from tests.registry.definitions import write_agent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


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


def test_folders_up_to_the_repository_root_count_and_the_nearest_wins(project: Path) -> None:
    inner = project / "packages" / "web"
    inner.mkdir(parents=True)
    near = write_agent(inner / ".claude" / "agents", "shared")
    far = write_agent(project / ".claude" / "agents", "shared")
    write_agent(project / ".claude" / "agents", "far")
    write_agent(project.parent / ".claude" / "agents", "outside")
    index = LiveIndex(inner, bundled=False).snapshot
    assert [(e.id, e.spec.path, e.status, e.shadowed_by) for e in index.entries] == [
        ("shared", near, AgentStatus.ACTIVE, None),
        ("far", project / ".claude" / "agents" / "far.md", AgentStatus.ACTIVE, None),
        ("shared", far, AgentStatus.SHADOWED, near),
    ]


def test_sources_come_in_order_of_priority(project: Path, home: Path, tmp_path: Path) -> None:
    named, package = tmp_path / "named", tmp_path / "package"
    for folder in (named, package, project / ".claude" / "agents", home / ".claude" / "agents"):
        write_agent(folder, "coder")
    write_agent(project / "plugins" / "kit" / "agents", "coder")
    given = '{"coder": {"description": "Codes", "prompt": "Code."}}'
    options = LibraryOptions(agents_dirs=(named,), agents_folders=(package,), given=given)
    index = LiveIndex(project, options=options).snapshot
    kinds = [e.spec.source.kind for e in index.entries if e.spec.name == "coder"]
    assert kinds == list(SourceKind)
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


def test_links_to_folders_are_followed_once(project: Path, tmp_path: Path) -> None:
    write_agent(tmp_path / "dotfiles", "linked")
    agents = project / ".claude" / "agents"
    write_agent(agents, "own")
    (agents / "dotfiles").symlink_to(tmp_path / "dotfiles")
    (agents / "loop").symlink_to(agents)
    (agents / "self").symlink_to("self")
    assert ids(project) == ["linked", "own"]
    assert "leads to a folder that was read already" in problems(project)


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
