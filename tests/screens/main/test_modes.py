"""The modes and the settings: what a switch writes, says and shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from secretary_tui import paths
from secretary_tui.screens.setup.theme import ThemeScreen
from secretary_tui.widgets.themes import THEMES
from tests.screens.desk import Desk, at_desk

FILE = """\
---
# mine: keep this
activation_mode: aware
# a comment
team_colour: green
---
Notes below stay.
"""


def settings_file(project: Path) -> Path:
    return project / ".claude" / "secretary.local.md"


def previewing(desk: Desk) -> bool:
    """Whether the best match of what was typed is still being looked up."""
    return any(w.group == "preview" and not w.is_finished for w in desk.app.workers)


async def go_to(desk: Desk, key: str) -> None:
    """Open the settings with the cursor on one of them."""
    from secretary_tui.settings import SETTINGS

    await desk.press("f2")
    await desk.sees("Settings")
    await desk.press(*["down"] * [setting.key for setting in SETTINGS].index(key))


async def test_shift_tab_goes_through_the_modes_and_says_what_it_wrote(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.press("shift+tab")
        shows = "the best match shows while you type"
        await desk.says(f"Mode aware: {shows} (Config created at .claude/secretary.local.md)")
        assert desk.main.status.mode == "aware"
        await desk.press("shift+tab")
        assert desk.main.status.mode == "proactive"
        assert settings_file(project).read_text() == "---\nactivation_mode: proactive\n---\n"
        await desk.press("shift+tab")
        await desk.says("Mode manual: nothing on its own (as without a settings file)")
        assert desk.main.status.mode == "manual"
    assert not settings_file(project).exists()


async def test_a_switch_keeps_comments_and_unknown_keys_of_the_file(project: Path) -> None:
    settings_file(project).write_text(FILE)
    async with at_desk(project) as desk:
        assert desk.main.status.mode == "aware"
        await desk.press("shift+tab")
    assert settings_file(project).read_text() == FILE.replace(": aware", ": proactive")


async def test_the_settings_screen_switches_the_mode_too(project: Path) -> None:
    settings_file(project).write_text(FILE)
    async with at_desk(project) as desk:
        await go_to(desk, "activation_mode")
        await desk.sees("manual | aware | proactive", "Writes .claude/secretary.local.md")
        await desk.press("right")
        assert settings_file(project).read_text() == FILE.replace(": aware", ": proactive")
        await desk.press("left", "left", "escape")
        assert desk.main.status.mode == "manual"


async def test_u_writes_to_the_users_own_file(project: Path) -> None:
    async with at_desk(project) as desk:
        await go_to(desk, "bundled_agents")
        await desk.press("u")
        await desk.sees("Writes ~/")
        await desk.press("enter")
        await desk.press("escape")
        await desk.sees("4 agents")
    assert "bundled_agents: false" in paths.user_config().read_text()
    assert not settings_file(project).exists()


async def test_a_setting_of_the_user_alone_never_goes_into_the_project(project: Path) -> None:
    async with at_desk(project) as desk:
        await go_to(desk, "permission_mode")
        await desk.press("right")
    assert "permission_mode: accept-edits" in paths.user_config().read_text()
    assert not settings_file(project).exists()


async def test_a_typed_value_that_does_not_fit_is_refused_with_what_does(project: Path) -> None:
    async with at_desk(project) as desk:
        await go_to(desk, "recommend_above")
        await desk.press("enter")
        await desk.press("backspace", "backspace")
        await desk.type("400")
        await desk.press("enter")
        await desk.sees("recommend_above must be a number from 0 to 100")
        await desk.press("backspace", "backspace", "backspace")
        await desk.type("90")
        await desk.press("enter")
        assert desk.main.secretary.config.recommend_above == 90
    assert "recommend_above: 90" in settings_file(project).read_text()


async def test_a_file_that_can_not_be_changed_is_said_and_left_alone(project: Path) -> None:
    settings_file(project).write_text("---\nactivation_mode: [oops\n---\n")
    async with at_desk(project) as desk:
        await desk.says("not valid YAML")
        await desk.press("shift+tab")
        await desk.says("so it was left as it is")
        assert desk.main.status.mode == "manual"
    assert settings_file(project).read_text() == "---\nactivation_mode: [oops\n---\n"


async def test_aware_shows_the_best_match_while_one_types_and_manual_does_not(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        desk.main.request.replace_text("write release notes")
        await desk.until(lambda: not previewing(desk))
        assert "best match" not in desk.text
        await desk.press("shift+tab")
        await desk.type(" now")
        await desk.sees("best match: release-scribe")
        desk.main.request.clear()
        await desk.until(lambda: "best match" not in desk.text)


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_each_theme_applies_and_is_there_at_the_next_start(theme: str, project: Path) -> None:
    async with at_desk(project) as desk:
        desk.app.theme = theme
        await desk.pilot.pause()
        wanted = desk.app.current_theme.background
        assert desk.app.screen.styles.background == Color.parse(wanted or "")
    async with at_desk(project) as desk:
        assert desk.app.theme == theme


async def test_the_theme_of_the_settings_screen_is_chosen_from_a_list(project: Path) -> None:
    async with at_desk(project) as desk:
        await go_to(desk, "theme")
        await desk.press("enter")
        await desk.until(lambda: isinstance(desk.app.screen, ThemeScreen))
        await desk.sees("dark or light, as the terminal", "Enter applies, Esc cancels")
        await desk.press("down", "down")
        assert desk.app.theme == "secretary-light", "it is shown before it is chosen"
        assert not paths.user_config().exists()
        await desk.press("enter")
        await desk.until(lambda: paths.user_config().exists())
        assert desk.app.theme == "secretary-light"
        await desk.press("escape")
    assert "theme: secretary-light" in paths.user_config().read_text()
