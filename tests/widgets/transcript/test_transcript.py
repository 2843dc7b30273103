"""The transcript under a user's hands: following, scrolling, folding, copying, resizing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from secretary_tui import paths
from secretary_tui.widgets.themes import ThemedApp
from secretary_tui.widgets.transcript.transcript import Transcript
from secretary_tui.widgets.transcript.transcript_blocks import (
    AnswerBlock,
    NoticeBlock,
    Thinking,
    ToolCallBlock,
    ToolState,
    UserMessageBlock,
)

SIZE = (60, 20)


class Screen(ThemedApp):
    CSS_PATH = paths.bundled("styles") / "transcript.tcss"

    def compose(self) -> ComposeResult:
        yield Transcript()

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)


def shown(transcript: Transcript) -> list[str]:
    return [transcript.render_line(y).text.rstrip() for y in range(transcript.size.height)]


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if condition():
            return
        await pilot.pause(0.005)
    raise AssertionError("it never happened")


def numbered(count: int, first: int = 0) -> str:
    return "\n\n".join(f"paragraph {n}" for n in range(first, first + count)) + "\n\n"


async def test_streamed_text_appears_and_the_end_is_followed() -> None:
    app = Screen()
    async with app.run_test(size=SIZE):
        for number in range(40):
            app.transcript.append_text(f"paragraph {number}\n\n")
        app.transcript.flush()
        assert "paragraph 39" in shown(app.transcript)[-1]
        assert app.transcript.lines.following


async def test_text_is_drawn_without_anybody_asking_for_it() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        app.transcript.append_text("hello")
        await until(pilot, lambda: any("hello" in row for row in shown(app.transcript)))


async def test_what_is_given_before_the_first_layout_is_not_lost() -> None:
    app = Screen()

    class Early(Screen):
        def compose(self) -> ComposeResult:
            transcript = Transcript()
            transcript.add(UserMessageBlock("early"))
            transcript.append_text("bird")
            yield transcript

    app = Early()
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: any("bird" in row for row in shown(app.transcript)))
        assert "❯ early" in shown(app.transcript)[0]


async def test_scrolling_up_stops_following_and_counts_what_comes() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        transcript.focus()
        transcript.append_text(numbered(40))
        transcript.flush()
        await pilot.press("pageup", "k")
        before = shown(transcript)[:-1]
        assert shown(transcript)[-1].endswith("↓ End")
        transcript.append_text(numbered(3, first=40))
        transcript.flush()
        assert shown(transcript)[:-1] == before
        assert "↓ 6 new lines · End" in shown(transcript)[-1]
        await pilot.press("end")
        assert "paragraph 42" in shown(transcript)[-1]
        assert transcript.lines.following


async def test_scrolling_back_to_the_end_follows_again() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        app.transcript.focus()
        app.transcript.append_text(numbered(40))
        app.transcript.flush()
        await pilot.press("home")
        assert "paragraph 0" in shown(app.transcript)[0]
        assert not app.transcript.lines.following
        await pilot.press(*["pagedown"] * 6)
        assert app.transcript.lines.following


async def test_the_wheel_scrolls_and_a_click_on_the_marker_returns() -> None:
    from textual.events import MouseScrollUp

    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        transcript.append_text(numbered(40))
        transcript.flush()
        await pilot._post_mouse_events([MouseScrollUp], transcript, offset=(5, 5), button=0)
        assert not transcript.lines.following
        await pilot.click(transcript, offset=(SIZE[0] - 6, SIZE[1] - 1))
        assert transcript.lines.following


async def test_what_the_user_reads_stays_in_place_when_the_width_changes() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        for number in range(200):
            transcript.add(AnswerBlock(f"block {number} " + "and some more words " * 12))
        transcript.flush()
        transcript.scroll_to(y=transcript.content.index.total // 2, animate=False)
        transcript.flush()
        await until(pilot, lambda: transcript.content.index.settled)
        line = next(y for y, row in enumerate(shown(transcript)) if "block " in row)
        transcript.scroll_to(y=transcript.scroll_offset.y + line, animate=False)
        top = shown(transcript)[0].split()[:2]
        for width in (40, 100, 33, 60):
            await pilot.resize_terminal(width, 20)
            assert shown(transcript)[0].split()[:2] == top
        await until(pilot, lambda: transcript.content.index.settled)
        assert shown(transcript)[0].split()[:2] == top


def painted(app: Screen) -> list[str]:
    """What stands on the terminal: rows that nothing asked to draw again are as they were."""
    return [row.text.strip() for row in app.screen._compositor.render_strips()]


async def test_no_row_keeps_its_old_width_when_all_fits_after_a_resize() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(8):
            app.transcript.append_text("some words that need more than one row here " * 2 + "\n\n")
        app.transcript.flush()
        await pilot.pause()
        assert app.transcript.scroll_y > 0
        painted(app)
        await pilot.resize_terminal(100, 50)
        await pilot.pause()
        assert painted(app) == [row.strip() for row in shown(app.transcript)]


async def test_what_changes_in_sight_is_drawn_after_the_user_has_scrolled() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        app.transcript.append_text(numbered(20))
        tool = app.transcript.add(ToolCallBlock("Bash", "ls", ToolState.WAITING))
        app.transcript.append_text(numbered(2))
        app.transcript.flush()
        await pilot.pause()
        app.transcript.scroll_to(y=app.transcript.scroll_y - 1, animate=False)
        assert any("waiting" in row for row in painted(app))
        app.transcript.replace(tool, ToolCallBlock("Bash", "ls", ToolState.DENIED))
        app.transcript.flush()
        await pilot.pause()
        assert any("denied" in row for row in painted(app))


async def test_all_heights_become_exact_when_there_is_time() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        transcript.add(AnswerBlock(numbered(300) + "word " * 500))
        transcript.flush()
        await until(pilot, lambda: transcript.content.index.settled)
        index = transcript.content.index
        assert index.total == sum(len(index.render(section)) for section in index.sections)
        assert transcript.virtual_size.height == index.total


async def test_finished_blocks_are_rendered_once_while_text_streams() -> None:
    app = Screen()
    async with app.run_test(size=SIZE):
        transcript = app.transcript
        transcript.append_text(numbered(30))
        transcript.flush()
        rendered: list[str] = []
        render = transcript.content.index.render

        def spy(section):  # type: ignore[no-untyped-def]
            rendered.append(section.part.piece.source)
            return render(section)

        transcript.content.index.render = spy  # type: ignore[method-assign]
        for _ in range(20):
            transcript.append_text("more ")
            transcript.flush()
        assert rendered
        assert all("more" in source for source in rendered)


async def test_memory_keeps_the_rendered_lines_of_a_few_screens_only() -> None:
    from secretary_tui.widgets.transcript.line_index import CACHE_LINES

    app = Screen()
    async with app.run_test(size=SIZE):
        transcript = app.transcript
        transcript.add(AnswerBlock(numbered(3_000)))
        transcript.flush()
        for top in range(transcript.content.index.total, 0, -18):
            transcript.scroll_to(y=top, animate=False)
            shown(transcript)
        cached = sum(len(lines) for lines in transcript.content.index._cache.values())
        assert 20 < cached <= CACHE_LINES


async def test_a_tool_call_is_one_line_that_unfolds_to_input_and_output() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        output = "\n".join(f"row {n}" for n in range(500))
        tool = transcript.add(ToolCallBlock("Bash", "ls -l", input="command: ls -l"))
        transcript.flush()
        assert shown(transcript)[0].startswith("▸ ● Bash ls -l")
        assert not any(shown(transcript)[1:])
        done = ToolCallBlock(
            "Bash", "ls -l", ToolState.DONE, "command: ls -l", output=output, elapsed_s=1.25
        )
        transcript.replace(tool, done)
        transcript.flush()
        assert shown(transcript)[0].endswith("1.2 s")
        transcript.focus()
        await pilot.press("right_parenthesis", "enter")
        assert transcript.content[tool].unfolded
        rows = shown(transcript)
        assert rows[0].startswith("▾ ✓ Bash")
        assert "command: ls -l" in rows[1]
        assert "row 0" in rows[3]
        await pilot.press("end")
        assert any("300 more lines" in row for row in shown(transcript))
        await pilot.press("space")
        assert not transcript.content[tool].unfolded


async def test_a_click_on_the_line_of_a_fold_toggles_it() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        thought = app.transcript.add(Thinking("one\ntwo\nthree"))
        app.transcript.flush()
        assert "thinking · 3 lines" in shown(app.transcript)[0]
        await pilot.click(app.transcript, offset=(6, 0))
        assert app.transcript.content[thought].unfolded
        assert "two" in shown(app.transcript)[2]


async def test_unfolding_keeps_the_line_where_it_is_on_the_screen() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        transcript.add(AnswerBlock(numbered(20)))
        thought = transcript.add(Thinking("\n".join(f"thought {n}" for n in range(60))))
        transcript.add(AnswerBlock(numbered(3)))
        transcript.flush()
        row = next(y for y, text in enumerate(shown(transcript)) if "thinking" in text)
        transcript.toggle(thought)
        assert "thinking" in shown(transcript)[row]
        transcript.toggle(thought)
        assert "thinking" in shown(transcript)[row]
        del pilot


async def test_unfolding_all_also_holds_for_blocks_that_come() -> None:
    app = Screen()
    async with app.run_test(size=SIZE):
        transcript = app.transcript
        first = transcript.add(Thinking("first"))
        transcript.toggle_all()
        second = transcript.append_thinking("second")
        transcript.flush()
        assert transcript.content[first].unfolded
        assert transcript.content[second].unfolded
        assert "second" in "\n".join(shown(transcript))
        transcript.toggle_all()
        assert not transcript.content[second].unfolded
        assert "second" not in "\n".join(shown(transcript))


async def test_thoughts_can_be_unfolded_while_they_stream() -> None:
    app = Screen()
    async with app.run_test(size=SIZE):
        transcript = app.transcript
        thought = transcript.append_thinking("one\ntwo\n")
        transcript.flush()
        transcript.toggle(thought)
        transcript.append_thinking("three\nfour")
        transcript.flush()
        rows = [row.strip() for row in shown(transcript) if row]
        assert rows == ["▾ thinking · 4 lines", "one", "two", "three", "four"]
        transcript.toggle(thought)
        transcript.append_thinking("\nfive")
        transcript.flush()
        assert [row.strip() for row in shown(transcript) if row] == ["▸ thinking · 5 lines"]


async def test_the_cursor_moves_over_blocks_and_over_folds() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        user = transcript.add(UserMessageBlock("hi"))
        thought = transcript.add(Thinking("hm"))
        answer = transcript.add(AnswerBlock("yes"))
        tool = transcript.add(ToolCallBlock("Read", "a.py"))
        transcript.flush()
        transcript.focus()
        await pilot.press("right_parenthesis")
        assert transcript.cursor.block == user
        await pilot.press("right_square_bracket")
        assert transcript.cursor.block == thought
        await pilot.press("right_square_bracket")
        assert transcript.cursor.block == tool
        await pilot.press("left_parenthesis")
        assert transcript.cursor.block == answer


async def test_a_jump_begins_at_what_is_read_not_at_a_cursor_that_stayed_behind() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        tools = []
        for number in range(6):
            app.transcript.append_text(numbered(8))
            tools.append(app.transcript.add(ToolCallBlock("Bash", f"run {number}", ToolState.DONE)))
        app.transcript.flush()
        app.transcript.focus()
        await pilot.press("left_square_bracket")
        assert app.transcript.cursor.block == tools[-1]
        await pilot.press("home", "right_square_bracket")
        assert app.transcript.cursor.block == tools[0]
        await pilot.press("right_square_bracket")
        assert app.transcript.cursor.block == tools[1]


async def test_copying_gives_the_source_and_without_a_cursor_the_latest_answer() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        user = transcript.add(UserMessageBlock("**hi**"))
        transcript.append_text("*half* an ")
        transcript.append_text("answer")
        assert transcript.excerpts.block() == "*half* an answer"
        transcript.add(NoticeBlock("note"))
        assert transcript.excerpts.block() == "*half* an answer"
        transcript.flush()
        transcript.focus()
        await pilot.press("right_parenthesis")
        assert transcript.cursor.block == user
        assert transcript.excerpts.block() == "**hi**"


async def test_text_selected_with_the_mouse_is_what_stands_on_the_screen() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        transcript.add(AnswerBlock("first line\n\nsecond line"))
        transcript.flush()
        selected = transcript.get_selection(Selection(Offset(2, 0), Offset(8, 2)))
        assert selected == ("first line\n\n  second", "\n")
        await pilot.mouse_down(transcript, offset=(3, 0))
        await pilot.hover(transcript, offset=(8, 2))
        await pilot.mouse_up(transcript, offset=(8, 2))
        assert (app.screen.get_selected_text() or "").startswith("first line\n\n  secon")


@pytest.mark.parametrize("theme", ["textual-light", "textual-dark", "ansi-dark"])
async def test_a_theme_change_draws_the_same_words_in_other_colours(theme: str) -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        app.theme = "nord"
        transcript.add(AnswerBlock("# Head\n\n`code` and text"))
        transcript.flush()
        await pilot.pause()
        words = shown(transcript)
        before = [s.style for s in transcript.render_line(0) if "Head" in s.text]
        app.theme = theme
        await pilot.pause()
        await pilot.pause()
        assert shown(transcript) == words
        after = [s.style for s in transcript.render_line(0) if "Head" in s.text]
        assert before[0] is not None and after[0] is not None
        assert before[0].color != after[0].color


async def test_a_long_session_is_one_widget() -> None:
    app = Screen()
    async with app.run_test(size=SIZE):
        count = len(app.screen.query("*"))
        for number in range(300):
            app.transcript.add(ToolCallBlock("Read", f"file {number}"))
            app.transcript.append_text(numbered(5))
        app.transcript.flush()
        assert len(app.screen.query("*")) == count


async def test_clearing_leaves_an_empty_screen_that_works() -> None:
    app = Screen()
    async with app.run_test(size=SIZE):
        app.transcript.append_text(numbered(40))
        app.transcript.flush()
        app.transcript.clear()
        assert not any(shown(app.transcript))
        app.transcript.append_text("again")
        app.transcript.flush()
        assert "again" in shown(app.transcript)[0]


async def test_a_tiny_screen_does_not_break_it() -> None:
    app = Screen()
    async with app.run_test(size=(10, 3)) as pilot:
        app.transcript.add(ToolCallBlock("Bash", "a long command line", output="x" * 100))
        app.transcript.append_text("> - 1. ```\n\n| a | b |\n|--|--|\n| c | d |\n\n" + "word " * 50)
        app.transcript.flush()
        app.transcript.toggle_all()
        await pilot.resize_terminal(3, 1)
        await pilot.resize_terminal(40, 12)
        await until(pilot, lambda: any("word" in row for row in shown(app.transcript)))
