"""A project folder that is itself a collection of agents, on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui import config, paths
from secretary_tui.delegation.permissions.folder_trust import trust
from secretary_tui.sessions import ui_state
from tests.library import make_library
from tests.screens.desk import at_desk


@pytest.fixture
def collection(home: Path) -> Path:
    """`~/team`: four agents in `agents/`, where no source leads."""
    folder = home / "team"
    make_library(folder)
    (folder / ".claude" / "agents").rename(folder / "agents")
    (folder / ".claude").rmdir()
    ui_state.remember(onboarded=True)
    trust(folder)
    return folder


async def test_the_list_says_so_and_one_key_lists_them_for_good(collection: Path) -> None:
    async with at_desk(collection, (120, 30)) as desk:
        await desk.sees("+ 4 not listed yet", "They are in ~/team/agents", "· 4 not listed")
        await desk.press("f5", "a")
        await desk.says("~/team/agents was added as a source")
        await desk.sees("security-auditor", "14 agents │")
        assert "not listed" not in desk.text
        assert not (collection / ".claude").exists()
    assert config.load(collection, {}).agents_folders == (str(collection / "agents"),)
    async with at_desk(collection, (120, 30)) as desk:
        await desk.sees("security-auditor")


async def test_enter_on_the_row_does_it_and_other_keys_do_nothing(collection: Path) -> None:
    async with at_desk(collection) as desk:
        await desk.sees("+ 4 not listed yet")
        await desk.press("f5")
        await desk.sees("Enter add them")
        await desk.press("left", "right", "space", "x", "e", "c", "w")
        assert not paths.user_config().exists()
        await desk.press("enter")
        await desk.sees("security-auditor")


async def test_the_problems_screen_says_it_too(collection: Path) -> None:
    async with at_desk(collection) as desk:
        await desk.press("f7")
        await desk.sees("no problems; 4 agent files are not listed (F5, a)")


async def test_the_cursor_of_somebody_who_uses_the_list_stays(collection: Path) -> None:
    async with at_desk(collection) as desk:
        await desk.press("f5", "down", "down")
        row = desk.main.library.index.highlighted
        desk.main.library.index.show_unlisted(None)
        await desk.press("f6")
        await desk.sees("+ 4 not listed yet")
        assert desk.main.library.index.highlighted == row


async def test_a_project_whose_agents_are_listed_shows_no_such_row(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.main.library_controller.look_for_unlisted()
        assert "not listed" not in desk.text
