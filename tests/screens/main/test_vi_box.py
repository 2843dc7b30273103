"""vi in the request box: modes that are shown, commands, and what Esc means when."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from textual.events import Key, Paste

from secretary_tui.sessions import drafts
from secretary_tui.widgets.request.request_box import RequestBox
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
        assert desk.main.panels.match.is_open
        await desk.press("escape")
        await desk.until(lambda: not desk.main.panels.match.is_open)


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


async def test_esc_and_a_key_right_behind_it_are_not_taken_for_alt(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("one two")
        press_now(desk.main.request, "alt+0")
        await desk.sees("─ NORMAL · request ─")
        await desk.press("x")
        assert stands(desk) == ("ne two", (0, 0))
        press_now(desk.main.request, "alt+enter")
        assert stands(desk) == ("ne two", (0, 0))


async def test_visual_mode_is_named_and_what_it_selects_is_marked(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("one two three")
        await desk.press("escape", "b", "v", "e")
        await desk.sees("─ VISUAL · request ─")
        assert desk.main.request.selected_text == "thre"  # And the last one under the cursor.
        await desk.press("d")
        await desk.sees("─ NORMAL · request ─")
        assert stands(desk) == ("one two ", (0, 7))
        await desk.press("V")
        await desk.sees("─ VISUAL LINE · request ─")
        assert desk.main.request.selected_text == "one two "
        await desk.press("left", "escape")
        await desk.sees("─ NORMAL · request ─")
        assert stands(desk) == ("one two ", (0, 6))
        await desk.press("u")
        assert stands(desk) == ("one two three", (0, 8))
        assert desk.main.request.selection.is_empty


async def test_esc_in_visual_mode_leaves_it_and_nothing_else(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.type("x  ")  # Space in an empty box would unfold more.
        await desk.press("escape", "v", "escape")
        assert desk.main.panels.match.is_open
        assert desk.main.request.text == "x  "


async def test_arrows_select_and_the_earlier_requests_stay_away_in_visual_mode(
    project: Path,
) -> None:
    drafts.add_to_history(project, "older")
    async with at_desk(project) as desk:
        await desk.type("one\ntwo")
        await desk.press("escape", "v", "up", "up", "x")
        assert desk.main.request.text == "on"


async def test_a_click_ends_visual_mode(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("one two")
        await desk.press("escape", "v", "b")
        desk.main.request.move_cursor((0, 1))
        await desk.press("x")
        assert stands(desk) == ("oe two", (0, 1))


async def test_a_folded_paste_keeps_its_text_when_case_changes_and_goes_as_one(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        pasted = "line\n" * 20
        box.take_paste(pasted)
        await desk.type("ab")
        await desk.press("escape", "V", "~")
        assert box.text == f"{pasted}AB"
        await desk.press("0", "~")
        assert box.text == f"{pasted}AB"
        await desk.press("0", "d", "w", "$", "p")
        assert box.text == f"AB{pasted}"


KEYS = st.lists(
    st.sampled_from(
        [*'hjklwbe0$%gGiaoOxXdDcCsyYpPurJ~.fFtT;,vVAZ("1 3', "escape", "ctrl+w", "alt+d"]
    ),
    max_size=30,
)


def press_now(box: RequestBox, key: str) -> None:
    """Press a key without the way through the app: what is not used is typed."""
    last = key.removeprefix("alt+")
    event = Key(key, last if len(last) == 1 else None)
    if not box.keys.take(event) and event.character:
        box.insert(event.character)


async def test_no_keys_raise_or_lose_a_text_that_undo_does_not_bring_back(project: Path) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request

        @settings(max_examples=60, deadline=None)
        @given(st.text("aB. \n(", min_size=1, max_size=30), KEYS)
        @example("B", ["o"])
        def check(text: str, keys: list[str]) -> None:
            box.keys.begin_insert()
            box.load_text(text)
            for key in ("escape", *keys):
                press_now(box, key)
                row, column = box.cursor_location
                assert column <= len(box.document[row])
            for _ in range(len(keys) + 1):
                box.undo()
            assert box.text == text

        check()


@pytest.mark.parametrize("before", [("escape",), ("escape", "d"), ("escape", "v")])
async def test_what_is_pasted_is_text_in_any_mode_and_neither_command_nor_enter(
    project: Path, before: tuple[str, ...]
) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        await desk.type("one two")
        await desk.press(*before)
        desk.app.post_message(Paste("ddggdG\ru:q\r"))
        await desk.until(lambda: "ddggdG\nu:q\n" in box.text)
        assert box.text.startswith("one tw")
        assert not desk.main.tabs.running
        assert not desk.main.panels.match.is_open
