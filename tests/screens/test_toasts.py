"""Notices pass by at the top right and cover nothing that is being worked with."""

from __future__ import annotations

from pathlib import Path

from textual.widgets._toast import Toast

from tests.screens.desk import Desk, at_desk


def lines_with(desk: Desk, text: str) -> list[int]:
    return [number for number, line in enumerate(desk.text.splitlines()) if text in line]


async def test_a_notice_is_at_the_top_and_at_most_two_lines_high(project: Path) -> None:
    async with at_desk(project, (80, 24)) as desk:
        desk.app.notify("word " * 80, markup=False)
        await desk.sees("word word")
        assert lines_with(desk, "word word") == [1, 2]
        await desk.sees("─ request ─", "Enter find agent")


async def test_at_most_the_two_newest_notices_are_there(project: Path) -> None:
    async with at_desk(project, (80, 24)) as desk:
        for number in range(5):
            desk.app.notify(f"notice {number}", markup=False)
        await desk.sees("notice 4")
        await desk.until(lambda: len(desk.app.screen.query(Toast)) == 2)
        assert "notice 3" in desk.text
        assert "notice 2" not in desk.text
