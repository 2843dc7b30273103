"""Text from outside is shown as text: nothing in it reaches the terminal as a command."""

from __future__ import annotations

import re

import pytest
from textual.app import ComposeResult

from secretary_tui import paths
from secretary_tui.widgets.themes import ThemedApp
from secretary_tui.widgets.transcript.transcript import Transcript
from secretary_tui.widgets.transcript.transcript_blocks import (
    AnswerBlock,
    Block,
    Countdown,
    Diff,
    NoticeBlock,
    RuleBlock,
    RunHeader,
    Thinking,
    ToolCallBlock,
    UserMessageBlock,
)

MARKUP = "[@click=app.bell]x[/] [/"
EVIL = (
    "\x1b]52;c;aGk=\x07 \x1b[2J \x9b31m \x9d0;t\x9c \x1bP1$t\x1b\\ \x07\x08\x00\x7f\x85"
    "\u202e\u2066 \x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ " + MARKUP
)
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

BLOCKS: list[Block] = [
    UserMessageBlock(EVIL),
    AnswerBlock(EVIL),
    AnswerBlock(f"# {EVIL}\n\n- {EVIL}\n\n> {EVIL}\n\n```py{EVIL}\n{EVIL}\n```\n\n`{EVIL}`"),
    AnswerBlock(f"| {EVIL} | b |\n|---|---|\n| {EVIL} | c |"),
    AnswerBlock(f"[{EVIL}](https://evil.example)"),
    AnswerBlock(EVIL, discarded=EVIL),
    Thinking(EVIL),
    ToolCallBlock(EVIL, EVIL, input=EVIL, diff=EVIL, output=EVIL, note=EVIL),
    ToolCallBlock("Bash", EVIL, input=EVIL, output=EVIL),
    Diff(f"+{EVIL}\n-{EVIL}\n@@ {EVIL}", title=EVIL),
    NoticeBlock(EVIL, suggestion=EVIL),
    Countdown(EVIL, 2, 5),
    RuleBlock(EVIL),
    RunHeader(EVIL, EVIL, EVIL, EVIL),
]


class Screen(ThemedApp):
    CSS_PATH = paths.bundled("styles") / "transcript.tcss"

    def compose(self) -> ComposeResult:
        yield Transcript()


def text_and_links(transcript: Transcript) -> tuple[str, list[str]]:
    text, links = [], []
    for y in range(transcript.size.height):
        strip = transcript.render_line(y)
        text.append(strip.text)
        for segment in strip:
            if segment.style and segment.style.link:
                links.append(segment.style.link)
            assert "@click" not in (segment.style.meta if segment.style else {})
    return "\n".join(text), links


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
async def test_no_block_lets_control_bytes_links_or_actions_through(block: Block) -> None:
    app = Screen()
    async with app.run_test(size=(200, 60)):
        transcript = app.query_one(Transcript)
        transcript.add(block)
        transcript.toggle_all()
        transcript.flush()
        text, links = text_and_links(transcript)
        assert not FORBIDDEN.search(text)
        assert links == []
        assert "[@click=app.bell]x[/]" in text


@pytest.mark.parametrize("size", [1, 2, 3, 11, 400])
async def test_a_streamed_sequence_is_harmless_wherever_it_is_cut(size: int) -> None:
    app = Screen()
    async with app.run_test(size=(100, 60)):
        transcript = app.query_one(Transcript)
        for append in (transcript.append_text, transcript.append_thinking):
            for start in range(0, len(EVIL), size):
                append(EVIL[start : start + size])
                transcript.flush()
        transcript.toggle_all()
        transcript.flush()
        text, links = text_and_links(transcript)
        assert not FORBIDDEN.search(text)
        assert links == []
        assert text.count(MARKUP) == 2
