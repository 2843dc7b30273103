"""Agent files in the project folder that no source leads to."""

import os
from pathlib import Path

import pytest

from secretary_tui import config, paths
from secretary_tui.registry.agent_index import LiveIndex
from secretary_tui.registry.switches import add_folder
from secretary_tui.registry.unlisted import ENOUGH, Unlisted, find_unlisted
from tests.registry.definitions import write_agent

COLLECTIONS = {
    "0xfurai__claude-code-subagents": ("agents", 137),
    "davila7__claude-code-templates": ("cli-tool/components/agents", 400),
    "lst97__claude-code-sub-agents": ("agents", 30),
    "msitarzewski__agency-agents": (".", 184),
    "rshah515__claude-code-subagents": (".", 130),
}
"""Where the agents of each lie, and at least how many."""


def look(project: Path, *agents_dirs: Path) -> Unlisted | None:
    return find_unlisted(project, LiveIndex(project, agents_dirs).refresh().index)


def write_team(folder: Path, count: int = ENOUGH) -> Path:
    for number in range(count):
        write_agent(folder, f"helper-{number}")
    return folder


def test_agents_at_the_root_are_found_with_the_readme_beside_them_not_counted(
    project: Path,
) -> None:
    write_team(project)
    (project / "README.md").write_text("# A team\n")
    assert look(project) == Unlisted(project, ENOUGH)


def test_the_folder_named_is_the_deepest_that_holds_them_all(project: Path) -> None:
    for part in ("core", "web"):
        write_team(project / "team" / "agents" / part)
    assert look(project) == Unlisted(project / "team" / "agents", 2 * ENOUGH)


def test_a_few_files_are_examples_and_no_collection(project: Path) -> None:
    write_team(project, ENOUGH - 1)
    assert look(project) is None


@pytest.mark.parametrize(
    "folder", [".claude/agents", ".hidden", "node_modules/x", "vendor", "tests/data", "commands"]
)
def test_what_is_listed_or_no_part_of_the_project_is_not_told(folder: str, project: Path) -> None:
    write_team(project / folder)
    assert look(project) is None


def test_a_folder_that_was_named_is_not_told_again(project: Path) -> None:
    team = write_team(project / "team")
    assert look(project, team) is None
    write_agent(team, "broken", description="")
    assert look(project, team) is None


def test_a_link_to_what_is_listed_is_not_told(project: Path) -> None:
    team = write_team(project / ".claude" / "agents")
    shown = project / "agents"
    shown.mkdir()
    for path in team.iterdir():
        (shown / path.name).symlink_to(path)
    assert look(project) is None


def test_a_folder_that_is_read_in_part_is_not_offered_as_a_whole(project: Path) -> None:
    write_team(project / "plugins" / "one")
    assert look(project) is not None
    assert look(project, write_team(project / "plugins" / "two")) is not None
    write_agent(project / "plugins", "loose")
    write_team(project / "other")
    assert look(project, project / "plugins" / "two") is None


@pytest.mark.parametrize(
    "text",
    ["", "---\nname: x\n---\n", "---\ndescription: x\n---\n", "# name: x\ndescription: y\n"],
)
def test_only_frontmatter_with_name_and_description_counts(text: str, project: Path) -> None:
    for number in range(ENOUGH):
        (project / f"{number}.md").write_text(text)
    assert look(project) is None


def test_windows_line_ends_and_a_byte_order_mark_count_all_the_same(project: Path) -> None:
    for number in range(ENOUGH):
        text = f"\ufeff---\r\nname: a{number}\r\ndescription: It helps\r\n---\r\nDo it.\r\n"
        (project / f"{number}.md").write_bytes(text.encode())
    assert look(project) == Unlisted(project, ENOUGH)


def test_pipes_broken_links_and_closed_folders_hold_nothing_up(project: Path) -> None:
    write_team(project)
    os.mkfifo(project / "pipe.md")
    (project / "gone.md").symlink_to(project / "nowhere.md")
    (project / "round").symlink_to(project)
    closed = project / "closed"
    closed.mkdir(mode=0)
    try:
        assert look(project) == Unlisted(project, ENOUGH)
    finally:
        closed.chmod(0o700)


def test_the_home_folder_is_never_looked_through(home: Path) -> None:
    write_team(home)
    assert look(home) is None


def test_a_folder_added_to_the_users_settings_is_a_source_from_then_on(project: Path) -> None:
    team = write_team(project / "team")
    assert add_folder(team, paths.user_config()) is True
    assert add_folder(team, paths.user_config()) is False
    assert config.load(project, {}).agents_folders == (str(team),)
    assert not (project / paths.PROJECT_CONFIG).exists()


@pytest.mark.parametrize("name", COLLECTIONS)
def test_public_collections_are_found_and_whole_once_their_folder_is_named(
    name: str, corpora: Path
) -> None:
    folder, least = COLLECTIONS[name]
    found = look(corpora / name)
    assert found is not None
    assert found.folder == corpora / name / folder
    assert found.count >= least
    assert look(corpora / name, found.folder) is None
