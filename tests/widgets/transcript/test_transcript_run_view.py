"""Runs on the screen: what each event looks like, live and from a log."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import pytest
from textual.app import ComposeResult

from secretary_tui import events, paths
from secretary_tui.widgets.themes import ThemedApp
from secretary_tui.widgets.transcript.run_view import RunView
from secretary_tui.widgets.transcript.transcript import Transcript
from tools.transcript_demo import sample_events

STARTED = events.RunStarted(
    "r1", "coder", "/a/coder.md", "", "Fix it", "task", "system", "local", "tiny", ("Read",), "ask",
    "/p", "2026-01-01T00:00:00Z", 87,
)  # fmt: skip
DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-old\n+new\n"
USAGE = events.Usage(1_500, 320, 500)


class Screen(ThemedApp):
    CSS_PATH = paths.bundled("styles") / "transcript.tcss"

    def compose(self) -> ComposeResult:
        yield Transcript()


async def rows_of(
    stream: Iterable[events.RunEvent], *, live: bool = True, unfold: bool = False
) -> list[str]:
    app = Screen()
    async with app.run_test(size=(100, 60)):
        transcript = app.query_one(Transcript)
        view = RunView(transcript, live=live)
        for event in stream:
            view.show(event)
        if unfold:
            transcript.toggle_all()
        transcript.flush()
        rows = [transcript.render_line(y).text.strip() for y in range(60)]
        return [row for row in rows if row]


async def test_the_head_names_agent_engine_and_model_and_the_request_follows() -> None:
    rows = await rows_of([STARTED])
    assert rows == ["◆ coder · local · tiny · 87 % match", "❯ Fix it"]


async def test_text_and_thoughts_stream_into_blocks_of_their_own() -> None:
    rows = await rows_of(
        [events.ThinkingDelta("a\n"), events.ThinkingDelta("b"), events.TextDelta("He"),
         events.TextDelta("llo"), events.ThinkingDelta("c")]
    )  # fmt: skip
    assert rows == ["▸ thinking · 2 lines", "Hello", "▸ thinking · 1 line"]


@pytest.mark.parametrize(
    ("answer", "finished", "expected"),
    [
        (None, None, "waiting for you"),
        (("once", "user", ""), None, "●"),
        (("once", "user", ""), False, "120 ms"),
        (("always", "rule", ""), False, "always allowed"),
        (("deny", "user", "not now"), True, "not now"),
        (("deny", "user", "not now"), True, "denied"),
    ],
)
async def test_the_line_of_a_tool_says_where_it_stands(
    answer: tuple[str, str, str] | None, finished: bool | None, expected: str
) -> None:
    stream: list[events.RunEvent] = [
        events.ToolStarted("t", "Edit", "x.py", {"file_path": "x.py"}),
        events.PermissionAsked("t", "Edit", "x.py", DIFF),
    ]
    if answer:
        stream.append(events.PermissionAnswered("t", *answer))
    if finished is not None:
        stream.append(events.ToolFinished("t", "Edit", "result", finished, 0.12))
    (row,) = await rows_of(stream)
    assert row.startswith("▸")
    assert "Edit x.py" in row
    assert expected in row


async def test_a_call_that_nobody_could_be_asked_about_says_why_and_names_no_user() -> None:
    stream = [
        events.ToolStarted("t", "Edit", "x.py", {"file_path": "x.py"}),
        events.PermissionAsked("t", "Edit", "x.py", DIFF),
        events.PermissionAnswered("t", "deny", "nobody", "Nobody can be asked."),
        events.ToolFinished("t", "Edit", "Nobody can be asked.", True, 0.0),
    ]
    (row,) = await rows_of(stream)
    assert "denied" in row
    assert "Nobody can be asked." in row
    assert "by nobody" not in row


async def test_an_edit_unfolds_to_its_diff_and_a_command_to_its_input() -> None:
    rows = await rows_of(
        [
            events.ToolStarted("t", "Edit", "x.py", {"file_path": "x.py"}),
            events.PermissionAsked("t", "Edit", "x.py", DIFF),
            events.ToolStarted("u", "Bash", "ls", {"command": "ls\npwd"}),
        ],
        unfold=True,
    )
    assert "-old" in rows and "+new" in rows
    assert rows[-3:] == ["command:", "ls", "pwd"]


async def test_a_failed_tool_shows_the_error_on_its_line() -> None:
    (row,) = await rows_of(
        [
            events.ToolStarted("t", "Read", "x.py"),
            events.ToolFinished("t", "Read", "no such file\nx.py", True, 0.5),
        ]
    )
    assert "✗ Read x.py · no such file x.py" in row
    assert row.endswith("error · 500 ms")


async def test_a_retry_counts_down_live_and_stands_still_in_a_log() -> None:
    retry = events.Retrying(2, 5, "overloaded", 3_599.5)
    (live,) = await rows_of([retry])
    assert live == "↻ retrying in 3600 s (2/5): overloaded"
    (logged,) = await rows_of([retry], live=False)
    assert logged == "↻ retried (2/5): overloaded"
    rows = await rows_of([retry, events.TurnStarted(1)])
    assert rows == ["↻ retried (2/5): overloaded"]


async def test_the_countdown_counts() -> None:
    from secretary_tui.widgets.transcript.transcript_blocks import Countdown
    from secretary_tui.widgets.transcript.transcript_content import TranscriptContent

    now = 100.0
    content = TranscriptContent(clock=lambda: now)
    content.add(Countdown("overloaded", 2, 5, until=104.0))

    def text() -> str:
        return "".join(segment.text for segment in content.index.lines(0)[0])

    assert "in 4 s" in text()
    now = 102.5
    assert content.tick()
    assert "in 2 s" in text()


async def test_a_discarded_turn_is_folded_and_struck_and_the_next_one_is_not() -> None:
    stream: list[events.RunEvent] = [
        events.TurnStarted(1),
        events.TextDelta("kept"),
        events.TurnStarted(2),
        events.TextDelta("lost words"),
        events.ToolStarted("t", "Read", "x.py"),
        events.TurnDiscarded("the stream was cut off"),
        events.TurnStarted(2),
        events.TextDelta("found words"),
    ]
    rows = await rows_of(stream)
    assert rows[0] == "kept"
    assert rows[1] == "▸ answer · 1 line · discarded: the stream was cut off"
    assert "Read" in rows[2] and "interrupted" in rows[2]
    assert rows[3] == "found words"
    assert "lost words" in await rows_of(stream, unfold=True)


async def test_a_finished_run_sums_up() -> None:
    finished = events.RunFinished(
        events.Outcome.DONE, "end_turn", "the answer", USAGE, 0.0123, 3, 65.0
    )
    rows = await rows_of([STARTED, finished])
    assert "the answer" in rows
    assert "done · 3 turns · 2.0k in, 320 out · $0.0123 · 1 min 05 s" in rows[-1]
    told = await rows_of([STARTED, events.TextDelta("the answer"), finished])
    assert told.count("the answer") == 1
    stopped = dataclasses.replace(
        finished, outcome=events.Outcome.PARTIAL, stop_reason="max_tokens", cost_usd=None, turns=1
    )
    assert "ended early (max_tokens) · 1 turn" in (await rows_of([stopped]))[-1]
    assert "price unknown" in (await rows_of([stopped]))[-1]


async def test_a_failed_run_says_what_happened_and_what_to_do() -> None:
    failed = events.RunFailed("The key was refused.", "Set a valid key.", False, USAGE, 0.0, 2.0)
    rows = await rows_of([STARTED, events.ToolStarted("t", "Bash", "ls"), failed])
    assert "✗ The key was refused." in rows
    assert "Set a valid key." in rows
    assert "failed" in rows[-1] and "free" in rows[-1]
    assert any("interrupted" in row for row in rows)


async def test_a_log_shows_the_same_as_the_live_run() -> None:
    live = await rows_of(sample_events(), unfold=True)
    logged = [events.from_json(events.to_json(event)) for event in sample_events()]
    assert await rows_of([e for e in logged if e], live=False, unfold=True) == live


async def test_a_log_that_just_stops_says_so() -> None:
    app = Screen()
    async with app.run_test(size=(100, 30)):
        transcript = app.query_one(Transcript)
        view = RunView(transcript, live=False)
        await view.replay([STARTED, events.TextDelta("half"), events.ToolStarted("t", "Bash", "x")])
        transcript.flush()
        text = "\n".join(transcript.render_line(y).text for y in range(30))
        assert "cut off" in text
        assert "interrupted" in text


async def test_every_event_is_accepted() -> None:
    rows = await rows_of(
        [
            STARTED,
            events.UserMessage("and then?"),
            events.MessageAdded("user", "x"),
            events.UsageAdded(USAGE, None),
            events.Notice("careful", "warning"),
            events.PermissionAnswered("unknown", "deny", "user"),
            events.ToolFinished("unseen", "Read", "out", False, 0.0),
            events.PermissionAsked("new", "Bash", "ls", "ls -l"),
        ]
    )
    assert "❯ and then?" in rows
    assert "! careful" in rows
    assert any("waiting for you" in row for row in rows)
