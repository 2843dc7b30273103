"""Long pastes: folded in the box, one thing to the keys, whole wherever they go."""

from __future__ import annotations

from pathlib import Path

from textual.events import Paste

from secretary_tui.sessions import drafts
from secretary_tui.widgets.transcript.transcript_blocks import UserMessageBlock
from tests.screens.desk import Desk, at_desk

LONG = "\n".join(f"line {number}" for number in range(60))
LABEL = "[Pasted text #1 +60 lines]"


async def paste(desk: Desk, text: str) -> None:
    desk.main.request.focus()
    desk.app.post_message(Paste(text).set_sender(desk.app))
    await desk.press()


async def test_a_long_paste_is_shown_as_a_label_and_is_whole_in_the_draft(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("look at ")
        await paste(desk, LONG.replace("\n", "\r"))
        await desk.type(" please")
        assert desk.main.request.shown == f"look at {LABEL} please"
        assert desk.main.request.text == f"look at {LONG} please"
        await desk.sees(f"look at {LABEL} please")
    assert drafts.load_draft(project) == f"look at {LONG} please"
    async with at_desk(project) as desk:
        assert desk.main.request.text == f"look at {LONG} please"


async def test_a_short_paste_is_text_like_any_other(project: Path) -> None:
    async with at_desk(project) as desk:
        await paste(desk, "one\r\ntwo\x1b[31m red")
        assert desk.main.request.shown == "one\ntwo red"


async def test_one_long_line_is_folded_by_its_characters(project: Path) -> None:
    async with at_desk(project) as desk:
        await paste(desk, "x" * 1_500)
        assert desk.main.request.shown == "[Pasted text #1 +1,500 characters]"


async def test_a_label_is_stepped_over_and_deleted_as_one_thing(project: Path) -> None:
    async with at_desk(project) as desk:
        box = desk.main.request
        await desk.type("a")
        await paste(desk, LONG)
        await desk.type("b")
        await desk.press("left", "left")
        assert box.cursor_location == (0, 1)
        await desk.press("right", "backspace")
        assert box.text == "ab"
        await desk.press("ctrl+underscore")
        assert box.text == f"a{LONG}b"
        await desk.press("home", "right", "delete")
        assert box.text == "ab"


async def test_keys_that_delete_words_take_a_whole_label(project: Path) -> None:
    async with at_desk(project) as desk:
        await paste(desk, LONG)
        await desk.press("ctrl+w")
        assert desk.main.request.shown == ""
        await desk.press("ctrl+y")
        assert desk.main.request.text == LONG


async def test_the_same_paste_once_more_unfolds_it(project: Path) -> None:
    async with at_desk(project) as desk:
        await paste(desk, LONG)
        await paste(desk, LONG)
        assert desk.main.request.shown == LONG


async def test_what_was_copied_in_the_app_is_pasted_like_anything_else(project: Path) -> None:
    async with at_desk(project) as desk:
        desk.app.copy_to_clipboard(LONG)
        await desk.press("ctrl+v")
        assert desk.main.request.shown == LABEL


async def test_each_paste_has_a_number_of_its_own(project: Path) -> None:
    async with at_desk(project) as desk:
        await paste(desk, LONG)
        await desk.type(" ")
        await paste(desk, LONG.upper())
        assert desk.main.request.shown == f"{LABEL} [Pasted text #2 +60 lines]"
        assert desk.main.request.text == f"{LONG} {LONG.upper()}"


async def test_a_sent_paste_is_whole_in_the_history_and_folded_again_by_up(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type("explain ")
        await paste(desk, LONG)
        await desk.press("enter")
        await desk.panel_settled()
        await desk.press("escape")
        await desk.finished()
        desk.main.request.clear()
        await desk.press("up")
        assert desk.main.request.shown == f"explain {LABEL}"
    assert drafts.load_history(project) == [f"explain {LONG}"]


async def test_a_label_that_was_typed_stands_for_nothing(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.type(LABEL)
        assert desk.main.request.text == LABEL


async def test_the_transcript_folds_a_long_request_and_unfolds_it(project: Path) -> None:
    async with at_desk(project) as desk:
        transcript = desk.transcript
        block = transcript.add(UserMessageBlock(f"explain\n{LONG}"))
        desk.main.set_class(False, "library-view")
        await desk.sees("❯ explain", "line 2", "… 57 more lines")
        assert "line 3" not in desk.text
        transcript.toggle(block)
        await desk.sees("line 15")
        transcript.clear()
        transcript.add(UserMessageBlock("word " * 600))
        await desk.sees("word…")


async def test_after_a_paste_of_100_kb_the_box_still_holds_one_short_line(project: Path) -> None:
    pasted = "word " * 20_000
    async with at_desk(project) as desk:
        await paste(desk, pasted)
        await desk.type("ok")
        assert desk.main.request.document.line_count == 1
        assert len(desk.main.request.shown) < 50
        assert desk.main.request.text == f"{pasted}ok"
    async with at_desk(project) as desk:
        assert desk.main.request.text == f"{pasted}ok"
        assert len(desk.main.request.shown) < 50


async def test_a_text_that_holds_a_label_does_not_bring_back_what_was_deleted(
    project: Path,
) -> None:
    async with at_desk(project) as desk:
        await paste(desk, LONG)
        await desk.press("backspace")
        await paste(desk, f"see {LABEL}")
        assert desk.main.request.text == f"see {LABEL}"
        desk.main.request.replace_text(f"an earlier request about {LABEL}")
        assert desk.main.request.text == f"an earlier request about {LABEL}"
