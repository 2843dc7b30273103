"""Searching the transcript, jumping in it, and what can be taken out of it."""

from __future__ import annotations

import itertools

import pytest
from textual.app import ComposeResult
from textual.events import Key

from secretary_tui import paths
from secretary_tui.widgets.themes import ThemedApp
from secretary_tui.widgets.transcript.markdown_sources import code_blocks, host_of_link, links
from secretary_tui.widgets.transcript.search_hits import HitCount, Needle
from secretary_tui.widgets.transcript.transcript import Transcript
from secretary_tui.widgets.transcript.transcript_blocks import (
    AnswerBlock,
    ToolCallBlock,
    UserMessageBlock,
)
from secretary_tui.widgets.transcript.transcript_content import TranscriptContent

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


def numbered(count: int, first: int = 0) -> str:
    return "\n\n".join(f"paragraph {n}" for n in range(first, first + count)) + "\n\n"


def marked(transcript: Transcript) -> list[str]:
    """The texts that are marked as found."""
    color = transcript.lines.palette.found.bgcolor
    return [
        segment.text
        for y in range(transcript.size.height)
        for segment in transcript.render_line(y)
        if segment.style and segment.style.bgcolor == color
    ]


async def typed(app: Screen, *blocks: object) -> Transcript:
    transcript = app.transcript
    for block in blocks:
        transcript.add(block)  # type: ignore[arg-type]
    transcript.flush()
    transcript.focus()
    return transcript


async def test_a_search_goes_to_the_text_while_it_is_typed_and_marks_it() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock(numbered(100)))
        await pilot.press("home", "slash", *"paragraph", "space", *"77")
        assert marked(transcript) == ["paragraph 77"]
        assert "/paragraph 77▏" in shown(transcript)[-1]
        await pilot.press("enter")
        assert "n N · Esc" in shown(transcript)[-1]
        assert not transcript.lines.following


async def test_n_and_shift_n_go_through_all_places_and_around() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        text = "\n\n".join("needle" if n % 40 == 7 else f"line {n}" for n in range(120))
        transcript = await typed(app, AnswerBlock(text))
        await pilot.press("home", "slash", *"needle", "enter")
        seen = [transcript.search.hit_line]
        for _ in range(3):
            await pilot.press("n")
            seen.append(transcript.search.hit_line)
        assert seen == [14, 94, 174, 14]
        await pilot.press("N")
        assert transcript.search.hit_line == 174
        assert marked(transcript) == ["needle"]


def prompted(transcript: Transcript) -> str:
    """What the last row says of the search, without what follows it."""
    return shown(transcript)[-1].split("·")[0].split("↓")[0].strip()


async def test_the_last_row_says_which_place_of_how_many_and_when_it_went_around() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        text = "\n\n".join("needle" if n % 40 == 7 else f"line {n}" for n in range(120))
        transcript = await typed(app, AnswerBlock(text))
        await pilot.press("home", "slash", *"needle")
        assert prompted(transcript) == "/needle▏ 1 of 3"
        await pilot.press("enter")
        said = [prompted(transcript)]
        for key in "nnnnNN":
            await pilot.press(key)
            said.append(prompted(transcript))
        assert said == [
            "needle: 1 of 3",
            "needle: 2 of 3",
            "needle: 3 of 3",
            "needle: 1 of 3, from the top again",
            "needle: 2 of 3",
            "needle: 1 of 3",
            "needle: 3 of 3, from the end again",
        ]


async def test_the_place_that_n_led_to_is_told_from_the_others() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock("needle\n\nneedle\n\nneedle"))
        await pilot.press("home", "slash", *"needle", "enter", "n")
        styles = [
            segment.style
            for y in range(transcript.size.height - 1)
            for segment in transcript.render_line(y)
            if segment.text == "needle" and segment.style
        ]
        assert [bool(style.underline) for style in styles] == [False, True, False]


async def test_the_count_follows_an_answer_that_streams() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock(numbered(50) + "needle"))
        await pilot.press("slash", *"needle", "enter")
        assert prompted(transcript) == "needle: 1 of 1"
        for number in range(40):
            transcript.append_text(f"more\n\na needle, the {number}.\n\n")
            transcript.flush()
        assert prompted(transcript) == "needle: 1 of 41"
        await pilot.press("n", "n")
        assert prompted(transcript) == "needle: 3 of 41"
        transcript.append_text("needle, cut in")
        transcript.flush()
        transcript.append_text(" two\n\n" + "\n\n".join("needle" for _ in range(5)))
        transcript.flush()
        assert prompted(transcript) == "needle: 3 of 47"
        await pilot.press("N")
        assert prompted(transcript) == "needle: 2 of 47"
        assert marked(transcript)


async def test_a_place_at_the_end_stays_on_the_screen_while_more_arrives() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock(numbered(50) + "needle"))
        await pilot.press("slash", *"needle", "enter")
        transcript.append_text(numbered(50))
        transcript.flush()
        assert marked(transcript) == ["needle"]
        await pilot.press("escape", "end", "slash", *"paragraph", "space", "49", "enter", "escape")
        assert transcript.lines.following


async def test_what_was_not_there_is_found_once_it_has_come() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock(numbered(100)))
        await pilot.press("slash", *"zzz", "enter")
        assert prompted(transcript) == "zzz: no match"
        transcript.append_text("zzz\n\nzzz\n\n")
        transcript.flush()
        assert prompted(transcript) == "zzz: 2 matches"
        await pilot.press("n")
        assert prompted(transcript) == "zzz: 1 of 2"


async def test_a_place_in_the_open_end_stays_the_one_that_was_led_to() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock(numbered(5)))
        transcript.append_text("needle one and")
        transcript.flush()
        await pilot.press("slash", *"needle", "enter")
        for word in (" more", " text", " in the same paragraph"):
            transcript.append_text(word)
            transcript.flush()
        transcript.append_text("\n\nneedle two\n\n")
        transcript.flush()
        assert prompted(transcript) == "needle: 1 of 2"


async def test_counting_goes_on_in_slices_until_all_is_counted() -> None:
    ticks = itertools.count()
    content = TranscriptContent()
    for _ in range(50):
        content.add(AnswerBlock("a needle"))
    count = HitCount(Needle("needle"), clock=lambda: float(next(ticks)))
    assert not count.go_on(content, 0.5)
    assert count.total is None
    rounds = 1
    while not count.go_on(content, 0.5):
        rounds += 1
    assert count.total == 50
    assert rounds > 10


async def test_a_small_letter_finds_both_and_a_capital_itself_only() -> None:
    assert list(Needle("abc").spans("ABC abc")) == [(0, 3), (4, 7)]
    assert list(Needle("Abc").spans("ABC abc Abc")) == [(8, 11)]
    assert not list(Needle("").spans("anything"))


async def test_a_search_unfolds_the_tool_call_that_holds_the_text() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        transcript.add(AnswerBlock(numbered(40)))
        tool = transcript.add(ToolCallBlock("Bash", "ls", output="one\nthe needle is here\nthree"))
        transcript.add(AnswerBlock(numbered(40)))
        transcript.flush()
        transcript.focus()
        await pilot.press("slash", *"needle")
        assert not transcript.content[tool].unfolded
        assert transcript.cursor.block == tool
        await pilot.press("enter")
        assert transcript.content[tool].unfolded
        assert marked(transcript) == ["needle"]
        assert transcript.cursor.block == tool


async def test_a_text_is_found_across_marks_and_across_the_end_of_a_line() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        long = "word " * 10 + "**bold** words go on " + "word " * 20
        transcript = await typed(app, AnswerBlock(numbered(30) + long + "\n\n" + numbered(30)))
        await pilot.press("home", "slash", *"bold", "space", *"words", "enter")
        assert "bold" in shown(transcript)[transcript.search.hit_line - transcript.scroll_offset.y]


async def test_escape_goes_back_to_where_the_search_began() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock(numbered(100)))
        await pilot.press("slash", *"paragraph", "space", "3", "escape")
        assert transcript.lines.following
        assert "paragraph 99" in shown(transcript)[-1]
        assert not marked(transcript)


async def test_what_is_not_there_is_said_and_nothing_moves() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock(numbered(100)))
        before = shown(transcript)[:-1]
        await pilot.press("slash", *"zzz")
        assert "/zzz▏ no match" in shown(transcript)[-1]
        assert shown(transcript)[:-1] == before
        await pilot.press("backspace", "backspace", "backspace", "backspace")
        assert transcript.search.prompt == ""


async def test_letters_typed_into_the_prompt_do_nothing_else() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, UserMessageBlock("copy"), AnswerBlock("gjknN"))
        await pilot.press("slash", *"gjkn")
        assert transcript.search.needle.text == "gjkn"
        assert transcript.cursor.block is not None


async def test_braces_jump_between_requests() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = app.transcript
        asked = []
        for number in range(3):
            asked.append(transcript.add(UserMessageBlock(f"request {number}")))
            transcript.add(AnswerBlock(numbered(30)))
        transcript.flush()
        transcript.focus()
        await pilot.press("left_curly_bracket")
        assert transcript.cursor.block == asked[2]
        await pilot.press("left_curly_bracket", "left_curly_bracket", "right_curly_bracket")
        assert transcript.cursor.block == asked[1]
        assert any("request 1" in row for row in shown(transcript))


async def test_code_is_copied_from_the_last_block_backwards_and_around() -> None:
    app = Screen()
    async with app.run_test(size=SIZE):
        source = "```py\na = 1\n```\n\n- in a list:\n\n  ```\n  b = 2\n  ```\n\ntext\n"
        transcript = await typed(app, AnswerBlock(source))
        copied = [transcript.excerpts.code() for _ in range(3)]
        assert copied == [("b = 2\n", 2, 2), ("a = 1\n", 1, 2), ("b = 2\n", 2, 2)]


async def test_the_links_on_the_screen_are_given_and_no_others() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        far = "https://example.org/far"
        near = "[here](https://example.org/near) and https://example.org/bare."
        transcript = await typed(app, AnswerBlock(f"{far}\n\n{numbered(40)}{near}"))
        assert transcript.excerpts.links_on_screen() == [
            "https://example.org/near",
            "https://example.org/bare",
        ]
        await pilot.press("home")
        assert transcript.excerpts.links_on_screen() == [far]


async def test_the_whole_conversation_is_read_elsewhere_or_the_block_under_the_cursor() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, UserMessageBlock("hi"), AnswerBlock("*yes*"))
        assert transcript.excerpts.markdown() == "hi\n\n*yes*"
        await pilot.press("left_parenthesis")
        assert transcript.excerpts.markdown() == "*yes*"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("see <https://a.example/x>, [b](https://b.example)", ["https://a.example/x", "https://b.example"]),
        ("(https://a.example/wiki/A_(b))", ["https://a.example/wiki/A_(b)"]),
        ("[x](javascript:alert(1)) [y](file:///etc/passwd) [z](../up.md)", []),
        ("```\ncurl https://a.example/in/code\n```", ["https://a.example/in/code"]),
        ("https://a.example https://a.example", ["https://a.example"]),
    ],
)  # fmt: skip
def test_web_addresses_are_found_in_links_and_in_text(source: str, found: list[str]) -> None:
    assert links(source) == found


def test_the_host_is_shown_as_the_network_knows_it() -> None:
    assert host_of_link("https://user@evil.example:8080/bank.example") == "evil.example:8080"
    assert host_of_link("https://аpple.example") == "xn--pple-43d.example"
    assert host_of_link("https://[bad") == ""


def test_code_blocks_without_text_are_none() -> None:
    assert code_blocks("```\n```\n\ntext") == []


async def test_what_is_typed_right_after_the_slash_belongs_to_the_search() -> None:
    app = Screen()
    async with app.run_test(size=SIZE) as pilot:
        transcript = await typed(app, AnswerBlock(numbered(100)))
        for key, character in (("slash", "/"), ("e", "e"), ("z", "z")):
            transcript.post_message(Key(key, character))
        await pilot.pause()
        assert transcript.search.needle.text == "ez"
