"""Settings that are changed on the screen: written, told to who follows, and put back."""

from __future__ import annotations

from pathlib import Path

from secretary_tui import paths
from tests.screens.desk import at_desk


async def test_a_change_is_written_and_told_to_all_who_follow(project: Path) -> None:
    async with at_desk(project) as desk:
        settings, seen = desk.app.settings, []
        settings.on_change.append(lambda key, config: seen.append((key, config.glyphs)))
        settings.change("glyphs", "ascii", project=False)
        assert "glyphs: ascii" in paths.user_config().read_text()
        settings.reset("glyphs", project=False)
        assert seen == [("glyphs", "ascii"), ("glyphs", "auto")]
        assert desk.app.secretary.config.glyphs == "auto"


async def test_a_change_that_cant_be_written_is_said_and_told_to_nobody(project: Path) -> None:
    async with at_desk(project) as desk:
        seen = []
        desk.app.settings.on_change.append(lambda key, config: seen.append(key))
        desk.app.settings.change("activation_mode", "aware", project=True)
        paths.user_config().mkdir(parents=True)
        desk.app.settings.change("glyphs", "ascii", project=False)
        await desk.until(lambda: any(n.severity == "error" for n in desk.app._notifications))
        assert seen == ["activation_mode"]


async def test_an_engine_that_is_chosen_again_is_told(project: Path) -> None:
    async with at_desk(project, offline=True) as desk:
        told = []
        desk.app.settings.on_engine.append(lambda: told.append(desk.app.secretary.engine))
        await desk.app.settings.renew_engine(desk.app.settings.read())
        assert told == [None]
        assert desk.main.status.engine == "routing only"


async def test_the_settings_screen_follows_while_it_is_open(project: Path) -> None:
    async with at_desk(project) as desk:
        before = list(desk.app.settings.on_change)
        await desk.press("f2")
        await desk.sees("activation_mode         manual")
        desk.app.settings.change("activation_mode", "aware", project=True)
        await desk.sees("activation_mode         aware")
        await desk.press("escape")
        await desk.until(lambda: desk.app.settings.on_change == before)
