"""Theme, glyphs and motion: from settings and environment, and kept for the next start."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from secretary_tui import paths
from secretary_tui.app import AppOptions, SecretaryApp
from secretary_tui.sessions import ui_state
from secretary_tui.settings import BY_KEY
from secretary_tui.terminal.background import BackgroundReported
from secretary_tui.widgets.themes import AUTO, DARK, LIGHT, PLAIN
from tests.library import agent_file
from tests.screens.conftest import Serve
from tests.screens.desk import Desk, at_desk, routing


def test_the_setting_takes_the_themes_that_there_are(project: Path) -> None:
    app = SecretaryApp(AppOptions(project))
    assert sorted(BY_KEY["theme"].choices) == sorted((AUTO, *app.available_themes))


def write_settings(**settings: str) -> None:
    path = paths.user_config()
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "\n".join(f"{key}: {value}" for key, value in settings.items())
    path.write_text(f"---\n{lines}\n---\n")


async def say(desk: Desk, *, dark: bool) -> None:
    desk.app.post_message(BackgroundReported(dark=dark))
    await desk.pilot.pause()


async def test_auto_follows_what_the_terminal_says_and_begins_with_it_the_next_time(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        assert desk.app.theme == DARK.name
        await say(desk, dark=False)
        assert desk.app.theme == LIGHT.name
        assert desk.app.appearance.wanted == "auto"
        await say(desk, dark=True)
        assert desk.app.theme == LIGHT.name, "only the answer to a question counts"
    assert not paths.user_config().exists(), "nobody chose a theme"
    async with at_desk(project) as desk:
        assert desk.app.theme == LIGHT.name


async def test_a_theme_that_was_chosen_does_not_follow(project: Path) -> None:
    write_settings(theme=DARK.name)
    async with at_desk(project) as desk:
        await say(desk, dark=False)
        assert desk.app.theme == DARK.name


async def test_colorfgbg_counts_until_the_terminal_answers(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    async with at_desk(project) as desk:
        assert desk.app.theme == LIGHT.name
        await say(desk, dark=True)
        assert desk.app.theme == DARK.name


async def test_no_color_wins_over_every_theme(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    write_settings(theme=LIGHT.name)
    async with at_desk(project) as desk:
        assert desk.app.theme == PLAIN.name
        strips = desk.app.screen._compositor.render_strips(desk.app.size)
        styles = [s.style for strip in strips for s in strip if s.style is not None]
        assert all(style.color is None or style.color.is_default for style in styles)
        assert all(style.bgcolor is None or style.bgcolor.is_default for style in styles)
        assert any(style.reverse for style in styles)


async def test_an_unknown_theme_is_auto(project: Path) -> None:
    write_settings(theme="sunrise")
    async with at_desk(project) as desk:
        assert desk.app.theme == DARK.name


async def test_glyphs_change_at_once_and_are_kept_for_the_first_paint(project: Path) -> None:
    async with at_desk(project) as desk:
        assert "╭─ request" in desk.text
        desk.app.settings.change("glyphs", "ascii", project=False)
        await desk.pilot.pause()
        assert "+- request" in desk.text
        assert desk.text.isascii()
    assert ui_state.load().glyphs == "ascii"
    async with at_desk(project) as desk:
        assert desk.text.isascii()
        desk.app.settings.change("glyphs", "unicode", project=False)
        await desk.pilot.pause()
        assert "╭─ request" in desk.text


async def test_a_locale_without_utf_8_gets_ascii(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    async with at_desk(project) as desk:
        for key in ("f1", "f2", "f3", "f7", "f10", "ctrl+p"):
            await desk.press(key)
            await desk.until(lambda: desk.app.screen is not desk.main)
            assert desk.text.isascii(), key
            while desk.app.screen is not desk.main:
                await desk.press("escape")


async def test_reduced_motion_stops_the_cursor_and_all_animations(project: Path) -> None:
    write_settings(motion="reduced")
    async with at_desk(project) as desk:
        await desk.press("f5", "slash")
        assert desk.app.animation_level == "none"
        assert desk.main.request.cursor_blink is False
        assert isinstance(desk.app.focused, Input)
        assert desk.app.focused.cursor_blink is False


async def test_the_colour_of_an_agents_file_is_beside_its_name_everywhere(
    project: Path, serve: Serve
) -> None:
    file = project / ".claude" / "agents" / "security-auditor.md"
    file.write_text(agent_file("security-auditor", "Audits code.", "Read", "pink"))
    serve(routing(("security-auditor", 92)))
    pink = DARK.variables["agent-pink"]

    def pinks(desk: Desk) -> list[str]:
        strips = desk.app.screen._compositor.render_strips(desk.app.size)
        return [
            segment.text.strip()
            for strip in strips
            for segment in strip
            if segment.style and segment.style.color and segment.style.color.name == pink
        ]

    async with at_desk(project) as desk:
        before = pinks(desk)
        assert set(before) == {"•"}
        await desk.matched()
        assert pinks(desk) == [*before, "•"]
        await desk.press("enter")
        await desk.until(lambda: "◆" in pinks(desk))
