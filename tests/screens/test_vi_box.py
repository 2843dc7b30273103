"""vi in the request box: modes that are shown, commands, and what Esc means when."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.sessions import drafts
from tests.screens.desk import Desk, at_desk


@pytest.fixture(autouse=True)
def vi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRETARY_TUI_EDITING", "vi")


def stands(desk: Desk) -> tuple[str, tuple[int, int]]:
    return desk.main.request.text, desk.main.request.cursor_location


async def test_letters_are_typed_until_esc_makes_them_commands(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.sees("─ INSERT · request ─")
        await desk.type("one two three")
        await desk.press("escape")
        await desk.sees("─ NORMAL · request ─")
        await desk.press("b", "d", "w")
        assert stands(desk) == ("one two ", (0, 7))
        await desk.press("0", "c", "w")
        await desk.type("1")
        await desk.sees("─ INSERT · request ─")
        assert stands(desk) == ("1 two ", (0, 1))


async def test_undo_redo_and_counts(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("a\nb\nc\nd")
        await desk.press("escape", "g", "g", "2", "d", "d")
        assert desk.main.request.text == "c\nd"
        await desk.press("u")
        assert desk.main.request.text == "a\nb\nc\nd"
        await desk.press("ctrl+r")
        assert desk.main.request.text == "c\nd"
        assert not desk.main.searching.is_open


async def test_an_unfinished_command_is_shown_and_esc_drops_it(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("one")
        await desk.press("escape", "2", "d")
        await desk.sees("NORMAL 2d")
        await desk.press("escape", "w")
        assert desk.main.request.text == "one"


async def test_esc_in_normal_mode_means_what_it_means_to_the_app(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.type("  x")
        await desk.press("escape")
        assert desk.main.match_panel.is_open
        await desk.press("escape")
        await desk.until(lambda: not desk.main.match_panel.is_open)


async def test_esc_in_an_empty_box_is_the_apps(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("!echo be''gun; sleep 600")
        await desk.sees("begun")
        await desk.press("escape")
        await desk.sees("stopped by you")


async def test_k_and_j_at_the_edges_walk_the_earlier_requests(project: Path) -> None:
    drafts.add_to_history(project, "older")
    drafts.add_to_history(project, "newer")
    async with at_desk(project) as desk:
        await desk.type("x")
        await desk.press("escape", "k", "k")
        assert desk.main.request.text == "older"
        await desk.press("j", "j")
        assert desk.main.request.text == "x"


async def test_after_sending_letters_are_typed_again(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("/stats ")
        await desk.press("escape", "enter", "escape")
        await desk.until(lambda: desk.app.screen is desk.main)
        await desk.type("why")
        assert desk.main.request.text == "why"
