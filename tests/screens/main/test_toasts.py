"""Notices have rows of their own: they cover nothing that is read, typed or asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Click
from textual.widgets._toast import Toast

from secretary_tui.widgets.transcript.transcript_blocks import AnswerBlock
from tests.screens.desk import Desk, at_desk


def lines_with(desk: Desk, text: str) -> list[int]:
    return [number for number, line in enumerate(desk.text.splitlines()) if text in line]


async def noticed(desk: Desk, text: str = "word " * 80) -> None:
    desk.app.notify(text, timeout=600, markup=False)
    await desk.sees(text[:9])


async def test_a_notice_is_at_most_two_lines_high_and_above_the_request(project: Path) -> None:
    async with at_desk(project, (80, 24)) as desk:
        await noticed(desk)
        above = lines_with(desk, "─ request ─")[0]
        assert lines_with(desk, "word word") == [above - 2, above - 1]
        await desk.sees("─ request ─", "Enter find agent")


async def test_a_warning_is_said_whole_at_60_columns(project: Path) -> None:
    text = f"{'~/a/project/of/mine':-<60}/secretary.local.md: editing is only read from the user's "
    async with at_desk(project, (60, 20)) as desk:
        desk.app.notify(f"{text}own settings.", severity="warning", timeout=600, markup=False)
        await desk.sees("~/a/project/of/mine", "own settings.")


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (120, 40), (160, 45)])
async def test_a_notice_covers_no_widget_and_moves_no_panel(
    project: Path, size: tuple[int, int]
) -> None:
    async with at_desk(project, size) as desk:
        await desk.matched()
        panel, box = desk.main.panels.match.region, desk.main.request.region
        await noticed(desk)
        toast = desk.app.screen.query_one(Toast).region
        assert toast
        for widget in (desk.main.query_one("#body"), desk.main.panels.match, desk.main.request):
            assert not widget.region.overlaps(toast), widget
        assert (desk.main.panels.match.region, desk.main.request.region) == (panel, box)


async def test_the_end_of_an_answer_stays_on_the_screen_under_a_notice(project: Path) -> None:
    async with at_desk(project, (80, 24)) as desk:
        desk.main.set_class(False, "library-view")
        desk.transcript.add(AnswerBlock("\n\n".join(f"paragraph {n}" for n in range(60))))
        await desk.sees("paragraph 59")
        await noticed(desk)
        await desk.sees("paragraph 59", "word word")
        assert desk.transcript.lines.following


async def test_the_row_of_the_list_that_is_looked_at_stays_on_the_screen(project: Path) -> None:
    async with at_desk(project, (80, 16)) as desk:
        desk.main.actions["library"]()
        await desk.press("end")
        await noticed(desk)
        index = desk.main.library.index
        await desk.until(
            lambda: index.scroll_offset.y + index.size.height >= index.virtual_size.height
        )


@pytest.mark.parametrize("length", range(74, 84))
async def test_a_notice_about_as_long_as_a_line_is_said_whole(project: Path, length: int) -> None:
    text = ("Some words of a notice, again and again. " * 3)[: length - 6] + " last."
    async with at_desk(project, (80, 24)) as desk:
        await noticed(desk, text)
        await desk.sees("last.")


async def test_on_other_screens_a_notice_is_below_all_else(project: Path) -> None:
    async with at_desk(project, (80, 24)) as desk:
        await desk.press("f2")
        await desk.until(lambda: desk.app.screen is not desk.main)
        await desk.until(lambda: desk.app.screen.query("#settings-list"))
        await noticed(desk, "a word")
        assert lines_with(desk, "a word") == [23]


async def test_at_most_the_two_newest_notices_are_there(project: Path) -> None:
    async with at_desk(project, (80, 24)) as desk:
        for number in range(5):
            desk.app.notify(f"notice {number}", timeout=600, markup=False)
        await desk.sees("notice 4")
        await desk.until(lambda: len(desk.app.screen.query(Toast)) == 2)
        assert "notice 3" in desk.text
        assert "notice 2" not in desk.text


async def test_a_notice_that_newer_ones_drove_away_leaves_no_empty_line(project: Path) -> None:
    async with at_desk(project, (80, 24)) as desk:
        height = desk.main.query_one("#body").size.height
        for number in range(4):
            await noticed(desk, f"notice {number}")
        await desk.until(lambda: desk.main.query_one("#body").size.height == height - 2)
        for place in desk.main.query(Toast):
            place.post_message(Click(place, 0, 0, 0, 0, 1, False, False, False))
        await desk.until(lambda: desk.main.query_one("#body").size.height == height)


async def test_z_says_what_it_did_or_why_it_does_nothing(project: Path) -> None:
    async with at_desk(project, (80, 24)) as desk:
        desk.main.panes.zoom()
        await desk.says("Zoomed already")
        assert not desk.main.has_class("zoomed")
    async with at_desk(project, (120, 40)) as desk:
        desk.main.set_class(False, "library-view")
        desk.main.panes.zoom()
        await desk.says("z shows all panes again")
        await desk.until(lambda: not desk.main.library.display)
        desk.main.panes.zoom()
        await desk.says("All panes.")
        await desk.until(lambda: desk.main.library.display)
