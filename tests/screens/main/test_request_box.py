"""Where requests are typed: several lines, history, drafts, and what happens to each key."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual.events import Paste

from secretary_tui.sessions import drafts
from tests.screens.desk import REQUEST, at_desk


async def test_up_and_down_walk_the_requests_sent_before_and_keep_the_unsent_text(
    project: Path,
) -> None:
    drafts.add_to_history(project, "first request")
    drafts.add_to_history(project, "second request")
    async with at_desk(project) as desk:
        await desk.type("half a thought")
        await desk.press("up")
        assert desk.main.request.text == "second request"
        await desk.press("up")
        assert desk.main.request.text == "first request"
        await desk.press("up", "down")
        assert desk.main.request.text == "second request"
        await desk.press("down")
        assert desk.main.request.text == "half a thought"


async def test_a_sent_request_is_the_first_that_up_brings_back(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.matched()
        await desk.press("escape")
        await desk.finished()
        desk.main.request.clear()
        await desk.press("up")
        assert desk.main.request.text == REQUEST
    assert drafts.load_history(project) == [REQUEST]


async def test_up_inside_several_lines_moves_the_cursor(project: Path) -> None:
    drafts.add_to_history(project, "earlier")
    async with at_desk(project) as desk:
        desk.main.request.replace_text("one\ntwo")
        await desk.press("up")
        assert desk.main.request.text == "one\ntwo"
        await desk.press("up")
        assert desk.main.request.text == "earlier"


async def test_ctrl_j_starts_a_new_line(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("one\ntwo")
        assert desk.main.request.text == "one\ntwo"
        await desk.press("shift+enter", "x")
        assert desk.main.request.text == "one\ntwo\nx"
        assert not desk.main.tabs.busy


async def test_a_backslash_before_enter_starts_a_new_line(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("one\\")
        await desk.press("enter")
        await desk.type("two")
        assert desk.main.request.text == "one\ntwo"
        assert not desk.main.tabs.busy


async def test_a_paste_of_many_lines_stays_whole_and_sends_nothing(project: Path) -> None:
    pasted = "\n".join(f"line {number}" for number in range(60))
    async with at_desk(project) as desk:
        desk.app.post_message(Paste(pasted))
        await desk.until(lambda: desk.main.request.text == pasted)
        assert not desk.main.tabs.busy
        assert desk.main.request.size.height <= 10


async def test_a_draft_is_there_again_after_a_restart(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("half a\nthought")
    async with at_desk(project) as desk:
        assert desk.main.request.text == "half a\nthought"
        desk.main.request.clear()
        await desk.press("x", "backspace")
    async with at_desk(project) as desk:
        assert desk.main.request.text == ""


async def test_the_draft_is_on_disk_while_the_app_still_runs(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("written before a crash")
        await desk.until(lambda: drafts.load_draft(project) == "written before a crash")


async def test_a_draft_still_being_written_does_not_end_up_on_a_newer_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, write = threading.Event(), threading.Event(), drafts.save_draft

    def slow(of: Path, text: str) -> None:
        if text == "old":
            begun.set()
            go_on.wait(10)
        write(of, text)

    monkeypatch.setattr(drafts, "save_draft", slow)
    async with at_desk(project) as desk:
        await desk.type("old")
        await desk.until(begun.is_set)
        desk.main.request.clear()
        threading.Timer(0.2, go_on.set).start()
    assert drafts.load_draft(project) == ""


async def test_a_blank_request_is_not_sent(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("  ")
        await desk.press("enter")
        assert not desk.main.tabs.busy
        assert drafts.load_history(project) == []


async def test_a_question_mark_on_an_empty_box_opens_the_help_and_elsewhere_is_typed(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        await desk.press("question_mark")
        await desk.sees("Keys and commands", "shift+tab".title())
        await desk.press("escape")
        await desk.type("why?")
        assert desk.main.request.text == "why?"


async def test_slash_commands_run_and_an_unknown_one_is_a_request(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("/settings")
        await desk.sees("Settings", "activation_mode")
        await desk.press("escape")
        await desk.send("/history")
        await desk.sees("No runs in this project yet")
        await desk.press("escape")
        assert drafts.load_history(project) == []


async def test_the_box_says_what_its_text_is_for(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.sees("─ request ─")
        await desk.matched()
        await desk.press("e")
        await desk.sees("task · Enter saves, Esc cancels")


async def test_undo_and_redo_have_keys_of_their_own(project: Path) -> None:
    async with at_desk(project) as desk:
        desk.main.request.replace_text("kept")
        await desk.press("ctrl+u")
        assert desk.main.request.text == ""
        await desk.press("ctrl+underscore")
        assert desk.main.request.text == "kept"
        await desk.press("alt+z")
        assert desk.main.request.text == ""


async def test_a_cursor_that_comes_to_rest_while_it_is_blinked_away_is_shown(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        await desk.type("one")
        box.cursor_blink = True
        box._cursor_visible = False
        away = box.render_line(0)
        box.cursor_blink = False
        assert box.render_line(0) != away


async def test_undo_and_redo_of_more_lines_than_the_box_shows(project: Path) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        lines = "\n".join("abcdefghijklmnop")
        box.replace_text(lines)
        await desk.until(lambda: box.show_vertical_scrollbar)
        await desk.press("ctrl+underscore")
        assert box.text == ""
        await desk.press("alt+z")
        assert box.text == lines


async def test_kills_in_a_row_come_back_as_one_and_alt_y_goes_to_the_one_before(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        await desk.type("one two three four")
        await desk.press("ctrl+w", "ctrl+w", "left", "alt+b", "ctrl+k", "ctrl+y")
        assert box.text == "one two "
        await desk.press("alt+y")
        assert box.text == "one three four"
        await desk.press("alt+y")
        assert box.text == "one two "
        await desk.press("left", "alt+y")
        assert box.text == "one two "
        await desk.press("ctrl+u", "ctrl+underscore")
        assert box.text == "one two "


async def test_readline_keys_swap_words_and_change_their_letters(project: Path) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        await desk.type("one two")
        await desk.press("alt+t", "ctrl+a", "alt+u", "alt+c")
        assert box.text == "TWO One"
        await desk.press("alt+b", "alt+l", "ctrl+underscore")
        assert box.text == "TWO One"


async def test_what_readline_keys_kill_comes_back_by_yank(project: Path) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        await desk.type("one two three")
        await desk.press("ctrl+w", "ctrl+a", "ctrl+y")
        assert box.text == "threeone two "
        await desk.press("ctrl+e", "alt+b", "alt+d", "ctrl+y", "ctrl+b", "X", "ctrl+f", "Y")
        assert box.text == "threeone twXoY "
        await desk.press("ctrl+a", "alt+f", "ctrl+k")
        assert box.text == "threeone"
        await desk.press("alt+backspace", "ctrl+y")
        assert box.text == "threeone twXoY "  # Two kills in a row are one.
