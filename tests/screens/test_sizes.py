"""From 20×6 to 160×50: nothing crashes, and the request box is always there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui.sessions import ui_state
from tests.screens.desk import ROUTED, at_desk
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

Serve = Callable[..., ScriptedServer]

SCREENS = ("f1", "f2", "f3", "f4", "ctrl+p")


@pytest.mark.parametrize("size", [(40, 12), (20, 6)], ids=str)
async def test_the_main_job_and_every_screen_work_at_this_size(
    size: tuple[int, int], project: Path, serve: Serve
) -> None:
    write = {"file_path": "a.md", "content": "text\n" * 40}
    serve(ROUTED, answer(tool_use("Write", write)), answer(text("All is **well**.\n\n- one")))
    async with at_desk(project, size=size) as desk:
        for key in SCREENS:
            await desk.press(key, "down", "escape")
        await desk.press("f5", "down", "slash", "a", "escape", "escape")
        await desk.matched()
        await desk.press("o", "s", "escape", "down", "e", "escape")
        assert desk.main.panels.match.is_open
        await desk.press("up", "enter")
        await desk.until(lambda: desk.main.tabs.running or not desk.main.tabs.busy)
        await desk.finished()
        assert desk.main.tabs.last_answer.startswith("All is")
        assert desk.main.request.region.height > 0
        assert desk.main.request.region.bottom <= size[1]


async def test_the_app_can_be_resized_while_a_panel_is_open(project: Path, serve: Serve) -> None:
    serve(ROUTED, answer(text("All is well.")))
    async with at_desk(project) as desk:
        await desk.matched()
        for size in ((40, 12), (20, 6), (160, 50), (80, 24)):
            await desk.pilot.resize_terminal(*size)
            assert desk.main.panels.match.is_open
        await desk.press("enter")
        await desk.sees("All is well.")


async def test_80_by_24_shows_the_list_and_the_details(project: Path) -> None:
    async with at_desk(project, size=(80, 24)) as desk:
        await desk.sees("• security-auditor", "─ request ─", "manual", "F1 help")
        await desk.press("tab")
        assert desk.main.focused is desk.main.library.index
        await desk.sees("Reviews code changes")


async def test_40_by_12_still_shows_the_whole_recommendation(project: Path, serve: Serve) -> None:
    serve(ROUTED)
    async with at_desk(project, size=(40, 12)) as desk:
        await desk.matched()
        await desk.sees("Enter", "security-auditor", "92")


async def test_40_columns_give_the_list_the_room_of_the_details(project: Path) -> None:
    async with at_desk(project, size=(40, 12)) as desk:
        await desk.press("f5")
        await desk.until(lambda: desk.main.library.size.width == 40)
        assert not desk.main.query_one("#details").display
        await desk.pilot.resize_terminal(60, 20)
        await desk.until(lambda: desk.main.query_one("#details").display)
        await desk.sees("• security-auditor", "Reviews code")


async def test_40_columns_say_where_agents_are_looked_for_when_there_are_none(home: Path) -> None:
    folder = home / "empty"
    folder.mkdir()
    ui_state.remember(onboarded=True)
    async with at_desk(folder, size=(40, 12), overrides={"bundled_agents": False}) as desk:
        await desk.sees("No agents found.")
