"""Plugins that Claude Code has installed, and what its marketplaces offer besides."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from secretary_tui.registry.agent_index import AgentIndex, LiveIndex
from secretary_tui.registry.definition.spec import AgentStatus
from secretary_tui.registry.sources.installed_plugins import version_order
from tests.registry.definitions import write_agent


@pytest.fixture
def plugins(home: Path) -> Path:
    folder = home / ".claude" / "plugins"
    folder.mkdir(parents=True)
    return folder


def write_json(path: Path, data: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def write_list(plugins: Path, entries: object) -> Path:
    path = plugins / "installed_plugins.json"
    return write_json(path, {"version": 2, "plugins": entries})


def write_checkout(plugins: Path, name: str, *entries: dict[str, Any]) -> Path:
    root = plugins / "marketplaces" / name
    write_json(root / ".claude-plugin" / "marketplace.json", {"name": name, "plugins": entries})
    return root


def cached(plugins: Path, market: str, plugin: str, version: str, agent: str) -> Path:
    folder = plugins / "cache" / market / plugin / version
    write_agent(folder / "agents", agent)
    return folder


def look(project: Path) -> AgentIndex:
    return LiveIndex(project, bundled=False).snapshot


def test_fields_of_a_plugin_that_nothing_reads_are_said(project: Path, plugins: Path) -> None:
    folder = cached(plugins, "m", "tool", "1.0", "helper")
    fields = {"name": "tool", "version": "1.0", "keywords": [], "agent": "./agents", "icon": "x"}
    manifest = write_json(folder / ".claude-plugin" / "plugin.json", fields)
    [found] = look(project).problems
    assert (found.path, str(found.severity), found.kind) == (manifest, "warning", "unknown-field")
    assert found.message == (
        'nothing reads the field "agent", "icon" of a plugin; did you mean agents?'
    )
    assert ids(project) == ["tool:helper"]


def test_of_a_megabyte_of_fields_that_nothing_reads_a_few_are_said(
    project: Path, plugins: Path
) -> None:
    # Each was compared with all that there are: two seconds for every plugin of a repository.
    folder = cached(plugins, "m", "tool", "1.0", "helper")
    fields = {"name": "tool", "agent": 1} | {f"agnt{n:06}": n for n in range(50_000)}
    write_json(folder / ".claude-plugin" / "plugin.json", fields)
    [found] = look(project).problems
    assert found.message.count('"agnt0') == 4
    assert "did you mean agents?" in found.message


def test_an_entry_without_a_source_is_said_to_lack_it(project: Path) -> None:
    write_json(project / ".claude-plugin" / "marketplace.json", {"plugins": [{"name": "tool"}]})
    [found] = look(project).problems
    assert found.message == 'plugin "tool": its source is missing; write a path that starts with ./'


def test_what_a_marketplace_may_not_lead_to_is_not_offered(project: Path, plugins: Path) -> None:
    write_list(plugins, {})
    write_checkout(
        *(plugins, "m", {"name": "bare"}, {"name": "out", "source": "../../out"}),
        *({"name": "here", "source": "./here"}, {"name": "far", "source": {"source": "npm"}}),
    )
    assert [offer.id for offer in look(project).not_installed] == ["here@m", "far@m"]


def ids(project: Path) -> list[str]:
    return [spec.id for spec in look(project).active]


def test_an_installed_plugin_is_read_where_the_list_says(
    project: Path, plugins: Path, tmp_path: Path
) -> None:
    write_agent(tmp_path / "elsewhere" / "agents" / "review", "security")
    cached(plugins, "market", "kit", "1.0.0", "old")
    cached(plugins, "market", "leftover", "1.0.0", "gone")
    entry = {"scope": "user", "installPath": str(tmp_path / "elsewhere"), "version": "2.0.0"}
    write_list(plugins, {"kit@market": [entry]})
    index = look(project)
    assert [spec.id for spec in index.active] == ["kit:review:security"]
    assert index.active[0].source.marketplace == "market"
    assert index.problems == ()


def test_the_newest_version_of_the_cache_is_read_without_a_list(
    project: Path, plugins: Path
) -> None:
    for version in ("1.9.0", "1.10.0-rc1", "1.10.0", "1.2.0"):
        cached(plugins, "market", "kit", version, f"v{version.replace('.', '-')}")
    assert ids(project) == ["kit:v1-10-0"]


def test_versions_are_ordered_as_versions(tmp_path: Path) -> None:
    ordered = ["0a1b2c3d", "0.9", "1.9.0", "1.10.0-beta.2", "1.10.0-rc.1", "1.10.0-rc.11", "v1.10"]
    folders = [tmp_path / name for name in reversed(ordered)]
    assert [folder.name for folder in sorted(folders, key=version_order)] == ordered


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{not json", "installed_plugins.json:1: error: not valid JSON"),
        ("[]", "no table of plugins"),
        ('{"version": 2, "plugins": []}', "no table of plugins"),
        ('{"plugins": {"kit@market": "1.0.0"}}', 'the entry "kit@market" can\'t be read'),
        ('{"plugins": {"kit": [{}]}}', 'the entry "kit" can\'t be read'),
        ('{"plugins": {"../x@..": [{}], "@m": [{}]}}', "can't be read"),
    ],
)
def test_a_malformed_list_is_reported_and_the_cache_read_instead(
    project: Path, plugins: Path, content: str, message: str
) -> None:
    cached(plugins, "market", "kit", "1.0.0", "one")
    (plugins / "installed_plugins.json").write_text(content)
    index = look(project)
    assert [spec.id for spec in index.active] == ["kit:one"]
    assert message in " | ".join(map(str, index.problems))


def test_the_older_form_of_the_list_is_read(project: Path, plugins: Path, tmp_path: Path) -> None:
    write_agent(tmp_path / "there" / "agents", "one")
    write_list(plugins, {"kit@market": {"installPath": str(tmp_path / "there")}})
    assert ids(project) == ["kit:one"]


def test_a_folder_that_is_gone_falls_back_to_the_cache_then_to_the_checkout(
    project: Path, plugins: Path, tmp_path: Path
) -> None:
    gone = [{"scope": "user", "installPath": str(tmp_path / "gone")}]
    write_list(plugins, {f"{name}@market": gone for name in ("a", "b", "c")})
    cached(plugins, "market", "a", "1.0.0", "one")
    root = write_checkout(plugins, "market", {"name": "b", "source": "./plugins/b"})
    write_agent(root / "plugins" / "b" / "agents", "two")
    index = look(project)
    assert [spec.id for spec in index.active] == ["a:one", "b:two"]
    assert 'plugin "c@market" is installed, but its folder is not there' in str(index.problems[0])


def test_a_plugin_installed_for_another_project_is_not_ours(project: Path, plugins: Path) -> None:
    folders = {name: cached(plugins, "m", name, "1", name) for name in ("here", "there")}
    write_list(
        plugins,
        {
            f"{name}@m": [{"scope": "project", "projectPath": str(path), "installPath": str(where)}]
            for name, where, path in (
                ("here", folders["here"], project),
                ("there", folders["there"], project.parent / "other"),
            )
        },
    )
    (project / "sub").mkdir()
    assert ids(project) == ["here:here"]
    assert ids(project / "sub") == ["here:here"]


def test_without_a_list_checkouts_count_too(project: Path, plugins: Path) -> None:
    root = write_checkout(plugins, "market", {"name": "kit", "source": "./kit"})
    write_agent(root / "kit" / "agents", "one")
    assert ids(project) == ["kit:one"]


def test_what_a_checkout_offers_and_is_not_installed_is_listed_with_what_to_run(
    project: Path, plugins: Path
) -> None:
    write_list(plugins, {"kit@market": [{"scope": "user"}]})
    cached(plugins, "market", "kit", "1.0.0", "one")
    root = write_checkout(
        plugins,
        "market",
        {"name": "kit", "source": "./kit"},
        {"name": "near", "source": "./near", "description": "Lies\x1b[2J here"},
        {"name": "far", "source": {"source": "github", "repo": "a/b"}},
        {"name": "sub", "source": {"source": "git-subdir", "url": "https://x/y.git", "path": "z"}},
        {"name": "node", "source": {"source": "npm", "package": "@a/b"}},
        {"name": "web", "source": {"source": "url", "url": "https://x/z.git"}},
    )
    write_agent(root / "near" / "agents", "two")
    index = look(project)
    assert [spec.id for spec in index.active] == ["kit:one"]
    assert [(plugin.install, plugin.origin) for plugin in index.not_installed] == [
        ("/plugin install near@market", "./near"),
        ("/plugin install far@market", "github a/b"),
        ("/plugin install sub@market", "git-subdir https://x/y.git (z)"),
        ("/plugin install node@market", "npm @a/b"),
        ("/plugin install web@market", "url https://x/z.git"),
    ]
    assert index.not_installed[0].description == "Lies here"
    assert index.not_installed[0].path == root / ".claude-plugin" / "marketplace.json"


def test_remote_entries_of_the_projects_marketplace_are_listed_unless_installed(
    project: Path, plugins: Path
) -> None:
    far = {"source": {"source": "github", "repo": "a/b"}}
    write_json(
        project / ".claude-plugin" / "marketplace.json",
        {"name": "own", "plugins": [{"name": "one", **far}, {"name": "two", **far}]},
    )
    write_list(plugins, {"one@own": [{"scope": "user"}]})
    cached(plugins, "own", "one", "1.0.0", "here")
    index = look(project)
    assert [spec.id for spec in index.active] == ["one:here"]
    assert [plugin.id for plugin in index.not_installed] == ["two@own"]


def test_settings_switch_plugins_off_and_the_nearest_setting_counts(
    project: Path, plugins: Path, home: Path
) -> None:
    write_list(plugins, {f"{name}@m": [{"scope": "user"}] for name in ("a", "b", "c")})
    for name in ("a", "b", "c"):
        cached(plugins, "m", name, "1.0.0", "one")
    claude = project / ".claude"
    write_json(
        home / ".claude" / "settings.json",
        {"enabledPlugins": {"a@m": False, "b@m": False, "c@m": True}},
    )
    write_json(claude / "settings.json", {"enabledPlugins": {"b@m": True, "c@m": True}})
    write_json(claude / "settings.local.json", {"enabledPlugins": {"c@m": False}})
    index = look(project)
    assert [(entry.id, entry.status) for entry in index.entries] == [
        ("a:one", AgentStatus.DISABLED),
        ("b:one", AgentStatus.ACTIVE),
        ("c:one", AgentStatus.DISABLED),
    ]
    assert index.entries[0].disabled_by == f"enabledPlugins in {home / '.claude/settings.json'}"
    assert index.entries[2].disabled_by.endswith("settings.local.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"enabledPlugins": ["a@m"]}', "not a table of plugins"),
        ('{"enabledPlugins": {"a@m": "no"}}', "neither true nor false"),
        ("{", "not valid JSON"),
    ],
)
def test_settings_that_can_not_be_read_switch_nothing(
    project: Path, plugins: Path, home: Path, content: str, message: str
) -> None:
    cached(plugins, "m", "a", "1.0.0", "one")
    (home / ".claude" / "settings.json").write_text(content)
    index = look(project)
    assert [spec.id for spec in index.active] == ["a:one"]
    assert message in " | ".join(map(str, index.problems))


def test_a_plugin_that_settings_switch_on_is_read_from_the_cache_though_no_list_has_it(
    project: Path, plugins: Path, home: Path
) -> None:
    write_list(plugins, {})
    cached(plugins, "m", "a", "1.0.0", "one")
    cached(plugins, "m", "b", "1.0.0", "one")
    write_json(home / ".claude" / "settings.json", {"enabledPlugins": {"a@m": True}})
    assert ids(project) == ["a:one"]


def test_the_projects_own_plugin_wins_over_the_installed_one(project: Path, plugins: Path) -> None:
    own = write_agent(project / "kit" / "agents", "one", body="New.")
    write_json(
        project / ".claude-plugin" / "marketplace.json",
        {"name": "m", "plugins": [{"name": "kit", "source": "./kit"}]},
    )
    folder = cached(plugins, "m", "kit", "1.0.0", "one")
    index = look(project)
    assert [(entry.spec.path, entry.status) for entry in index.entries] == [
        (own, AgentStatus.ACTIVE),
        (folder / "agents" / "one.md", AgentStatus.SHADOWED),
    ]


def test_a_checkouts_entry_can_list_the_agents_of_the_cached_plugin(
    project: Path, plugins: Path
) -> None:
    folder = cached(plugins, "m", "kit", "1.0.0", "default")
    write_agent(folder / "other", "listed")
    write_checkout(plugins, "m", {"name": "kit", "source": "./kit", "agents": ["./other"]})
    assert ids(project) == ["kit:listed"]


def test_whatever_lies_where_files_and_folders_should_blocks_nothing(
    project: Path, plugins: Path, home: Path
) -> None:
    (home / ".claude" / "settings.json").mkdir()
    os.mkfifo(plugins / "installed_plugins.json")
    (plugins / "cache").write_text("no folder")
    (plugins / "marketplaces").symlink_to("marketplaces")
    (home / ".claude" / "skills").touch()
    (home / ".claude" / "commands").symlink_to("nowhere")
    index = look(project)
    assert {problem.path.name for problem in index.problems} >= {
        "settings.json",
        "installed_plugins.json",
    }
