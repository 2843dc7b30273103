"""The settings screen: where a value comes from, the right file, and what is refused beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from secretary_tui import paths
from secretary_tui.screens.setup.settings_screen import SettingsScreen
from secretary_tui.settings import SETTINGS
from tests.screens.desk import Desk, at_desk

MINE = "---\n# Mine.\nshow_above: 60  # higher\n# Below.\nmouse: true\n---\n"


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    paths.user_config().parent.mkdir(parents=True, exist_ok=True)
    paths.user_config().write_text(MINE)


async def at_setting(desk: Desk, key: str) -> SettingsScreen:
    await desk.press("f2")
    await desk.until(lambda: isinstance(desk.app.screen, SettingsScreen))
    screen = desk.app.screen
    assert isinstance(screen, SettingsScreen)
    await desk.press("slash")
    screen.query_one("#settings-filter", Input).value = key
    await desk.press("enter")
    await desk.until(lambda: screen._selected is not None and screen._selected.key == key)
    return screen


async def test_every_setting_is_there_with_its_source(project: Path) -> None:
    async with at_desk(project, size=(100, 60)) as desk:
        await desk.press("f2")
        await desk.sees("Settings", f"{len(SETTINGS)} of {len(SETTINGS)}")
        assert desk.app.screen.query_one(OptionList).option_count == len(SETTINGS)
        await desk.sees("show_above              60                     user")


async def test_the_layers_of_a_setting_are_all_shown(project: Path) -> None:
    (project / paths.PROJECT_CONFIG).write_text("---\nshow_above: 65\n---\n")
    async with at_desk(project) as desk:
        await at_setting(desk, "show_above")
        await desk.sees("default 50 · user 60 · project 65", "A project's file can only raise it")


async def test_a_value_goes_to_the_file_that_was_chosen_and_leaves_the_rest(project: Path) -> None:
    async with at_desk(project) as desk:
        await at_setting(desk, "show_above")
        await desk.sees("Writes .claude/secretary.local.md")
        await desk.press("u")
        await desk.sees("Writes ~/.config/secretary-tui/config.md")
        await desk.press("enter")
        box = desk.app.screen.query_one("#settings-input", Input)
        assert box.value == "60"
        box.value = "55"
        await desk.press("enter")
        await desk.says("show_above: 55")
        assert paths.user_config().read_text() == MINE.replace("60", "55")
        assert not (project / paths.PROJECT_CONFIG).exists()


async def test_a_value_that_does_not_fit_is_refused_beside_the_field(project: Path) -> None:
    async with at_desk(project) as desk:
        screen = await at_setting(desk, "show_above")
        await desk.press("enter")
        box = screen.query_one("#settings-input", Input)
        box.value = "many"
        await desk.press("enter")
        await desk.sees("show_above must be a number.")
        assert box.display
        assert box.value == "many"
        await desk.press("escape")
        await desk.until(lambda: not box.display)
        assert paths.user_config().read_text() == MINE


async def test_r_takes_the_line_out_and_keeps_the_comments(project: Path) -> None:
    async with at_desk(project) as desk:
        await at_setting(desk, "show_above")
        await desk.press("r")
        await desk.sees("show_above is set in your own file: press u, then r to remove it there.")
        await desk.press("u", "r")
        await desk.says("show_above: 50 (taken out of ~/.config/secretary-tui/config.md)")
        assert paths.user_config().read_text() == "---\n# Mine.\n# Below.\nmouse: true\n---\n"
        await desk.press("r")
        await desk.sees("show_above is set in neither file.")


async def test_what_a_repository_may_not_set_is_said_and_written_to_the_users_file(
    project: Path,
) -> None:
    (project / paths.PROJECT_CONFIG).write_text("---\nmouse: false\n---\n")
    async with at_desk(project) as desk:
        await at_setting(desk, "mouse")
        await desk.sees("The project's file is ignored here", "Writes ~/.config")
        assert "user/project" not in desk.text


async def test_the_environment_is_named_where_it_decides(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETARY_TUI_SHOW_ABOVE", "40")
    async with at_desk(project) as desk:
        await at_setting(desk, "show_above")
        await desk.sees("environment", "SECRETARY_TUI_SHOW_ABOVE in the environment overrides")


async def test_a_table_is_left_to_the_editor(project: Path) -> None:
    async with at_desk(project) as desk:
        await at_setting(desk, "model_aliases")
        await desk.press("enter")
        await desk.sees("model_aliases is a table: e opens ~/.config/secretary-tui/config.md.")


async def test_nothing_fits_is_said(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("f2", "slash")
        await desk.type("zzzz")
        await desk.sees("No setting matches. Esc clears the filter.")
        await desk.press("escape")
        await desk.sees(f"{len(SETTINGS)} of {len(SETTINGS)}")
