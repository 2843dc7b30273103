"""What the painter writes leaves the terminal as Textual's own bytes would."""

from __future__ import annotations

from typing import Any

import pyte
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import ComposeResult
from textual.geometry import Region
from textual.strip import Strip

from secretary_tui import paths
from secretary_tui.terminal.painter import Painter
from secretary_tui.widgets.themes import ThemedApp
from secretary_tui.widgets.transcript.transcript import Transcript

WIDTH, HEIGHT = 40, 4
STYLES = (
    None,
    Style(color="#ff0000"),
    Style(bgcolor="#003300"),
    Style(color="#ff0000", bgcolor="#003300", bold=True),
    Style(reverse=True),
    Style(bold=True, bgcolor="#003300"),
    Style(italic=True, underline=True, color="#0000ff"),
    Style(color="default", bgcolor="default"),
)
CONSOLE = Console(color_system="truecolor", force_terminal=True, width=WIDTH)

segments = st.tuples(
    st.text(st.sampled_from("ab  é─日👍"), max_size=8), st.sampled_from(STYLES)
).map(lambda pair: Segment(*pair))
rows = st.lists(segments, max_size=5).map(lambda s: Strip(s).adjust_cell_length(WIDTH))
screens = st.lists(rows, min_size=HEIGHT, max_size=HEIGHT)


def chops(rows: list[Strip], cut: int, first: int, last: int, end: int) -> ChopsUpdate:
    """An update of some rows, up to a column, with rows cut in two as widgets side by side are."""
    parts = [dict(zip((0, cut), row.divide([cut, WIDTH]), strict=True)) for row in rows]
    spans = [(y, 0, end) for y in range(first, last + 1)]
    return ChopsUpdate(parts, spans, [[cut, WIDTH]] * len(rows))


def terminal() -> tuple[pyte.Screen, pyte.Stream]:
    screen = pyte.Screen(WIDTH + 1, HEIGHT)
    return screen, pyte.Stream(screen)


def cells(screen: pyte.Screen) -> list[list[object]]:
    """What is seen: the colour of a blank is not."""
    return [
        [
            cell._replace(fg="") if cell.data == " " and not cell.reverse else cell
            for cell in (screen.buffer[y][x] for x in range(WIDTH))
        ]
        for y in range(HEIGHT)
    ]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    erases=st.booleans(),
    first=screens,
    updates=st.lists(
        st.tuples(
            screens,
            st.integers(1, WIDTH - 1),
            st.integers(0, HEIGHT - 1),
            st.integers(0, HEIGHT - 1),
            st.integers(1, WIDTH),
        ),
        max_size=4,
    ),
)
def test_the_terminal_shows_what_textual_would_have_written(
    erases: bool, first: list[Strip], updates: list[tuple[list[Strip], int, int, int, int]]
) -> None:
    painter = Painter(erases=erases)
    (lean, lean_stream), (whole, whole_stream) = terminal(), terminal()
    drawn = [
        LayoutUpdate([[row] for row in first], Region(0, 0, WIDTH, HEIGHT)),
        *(chops(rows, cut, min(a, b), max(a, b), end) for rows, cut, a, b, end in updates),
    ]
    for update in drawn:
        lean_stream.feed(painter.paint(update, ColorSystem.TRUECOLOR) or "")
        whole_stream.feed(update.render_segments(CONSOLE))
        assert cells(lean) == cells(whole)


def test_a_row_that_did_not_change_is_not_written() -> None:
    painter = Painter()
    rows = [Strip([Segment("same " * 4, STYLES[1])]).adjust_cell_length(WIDTH)] * HEIGHT
    painter.paint(chops(rows, 9, 0, 3, WIDTH), None)
    assert painter.paint(chops(rows, 9, 0, 3, WIDTH), None) == ""


def test_of_a_row_that_grows_only_the_new_end_is_written() -> None:
    painter = Painter()
    before = Strip([Segment("hello wor", STYLES[1])]).adjust_cell_length(WIDTH)
    after = Strip([Segment("hello world", STYLES[1])]).adjust_cell_length(WIDTH)
    whole = Region(0, 0, WIDTH, 1)
    painter.paint(LayoutUpdate([[before]], whole), ColorSystem.TRUECOLOR)
    update = ChopsUpdate([{0: after}], [(0, 0, WIDTH)], [[WIDTH]])
    written = painter.paint(update, ColorSystem.TRUECOLOR)
    assert written == "\x1b[1;10H\x1b[38;2;255;0;0mld\x1b[0m"


def test_after_something_else_wrote_to_the_terminal_all_is_written_again() -> None:
    painter = Painter()
    row = Strip([Segment("hello")]).adjust_cell_length(WIDTH)
    update = ChopsUpdate([{0: row}], [(0, 0, WIDTH)], [[WIDTH]])
    painter.paint(update, None)
    assert painter.paint(update, None) == ""
    painter.forget()
    assert "hello" in (painter.paint(update, None) or "")


class Streaming(ThemedApp):
    """A transcript whose drawings are painted, and counted."""

    CSS_PATH = paths.bundled("styles") / "transcript.tcss"

    def __init__(self) -> None:
        super().__init__()
        self.painter = Painter()
        self.written = self.layouts = 0

    def compose(self) -> ComposeResult:
        yield Transcript()

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self.count_layout())

    def count_layout(self) -> None:
        self.layouts += 1

    def _display(self, screen: Any, renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate):
            self.written += len(self.painter.paint(renderable, ColorSystem.TRUECOLOR) or "")
        super()._display(screen, renderable)


async def test_streaming_costs_few_bytes_and_no_layout() -> None:
    app = Streaming()
    async with app.run_test(size=(120, 40)) as pilot:
        transcript = app.query_one(Transcript)
        paragraph = "The **quick** brown fox `jumps()` over it.\n\n- item one\n- item `two`\n\n"
        transcript.append_text(paragraph * 40)
        transcript.flush()
        await pilot.pause()
        app.written = app.layouts = 0
        text = paragraph * 40
        for at in range(0, len(text), 40):  # What comes between two drawings at 400 a second.
            transcript.append_text(text[at : at + 40])
            transcript.flush()
            await pilot.pause()
        assert 5 < app.written / len(text) < 100
        assert app.layouts == 0
