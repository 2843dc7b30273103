"""The moment between the first paint and the late parts, and the second after the last key."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.app import AppOptions, SecretaryApp
from secretary_tui.screens.main import main_screen
from secretary_tui.screens.main.main_screen import RESTS_AFTER_S, RestingCursor
from secretary_tui.widgets.request.request_box import RequestBox


async def test_before_the_late_parts_are_there_only_the_first_actions_can_be_used(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main_screen, "FLUSH_S", 600)
    app = SecretaryApp(AppOptions(project))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert set(app.main.actions) == {"help", "interrupt", "leave", "quit", "redraw"}
        assert not app.main.check_action("do", ("settings",))
        await pilot.press("f2", "a")
        assert app.screen is app.main
        assert app.main.request.text == "a"
        await pilot.press("f1")
        assert app.screen is not app.main


async def test_the_cursor_rests_when_nobody_types_and_wakes_with_the_next_key(
    project: Path,
) -> None:
    box = RequestBox()
    cursor = RestingCursor(box)
    for _ in range(RESTS_AFTER_S):
        assert box.cursor_blink
        cursor.tick()
    assert not box.cursor_blink
    cursor.wake()
    assert box.cursor_blink
    box.cursor_blink = False  # As reduced motion asks.
    cursor.wake()
    assert not box.cursor_blink
