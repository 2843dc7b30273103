"""The two lines at the bottom: what is dropped when there is no room, and where clicks land."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from secretary_tui.widgets.key_bar import KeyBar, KeyHint
from secretary_tui.widgets.status_bar import StatusBar, format_tokens

HINTS = (KeyHint("Enter", "send", "enter"), KeyHint("F1", "help", "f1"))


class Lines(App[None]):
    """Only the two lines."""

    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[str] = []

    def compose(self) -> ComposeResult:
        yield StatusBar(id="status")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        for widget in self.screen.children:
            widget.styles.height = 1
        self.query_one(KeyBar).hints = HINTS
        status = self.query_one(StatusBar)
        status.mode, status.engine, status.library = "aware", "Claude API", "14 agents"
        status.folder, status.tokens, status.cost = "~/shop", 12_345, 0.5

    def on_key_bar_pressed(self, message: KeyBar.Pressed) -> None:
        self.pressed.append(message.key)


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 tok"), (999, "999 tok"), (12_345, "12.3k tok"), (2_500_000, "2.5M tok")],
)
def test_tokens_are_shortened(count: int, shown: str) -> None:
    assert format_tokens(count) == shown


async def test_the_status_line_shows_all_where_there_is_room() -> None:
    app = Lines()
    async with app.run_test(size=(100, 5)):
        line = app.query_one(StatusBar).render().plain
        assert line == "aware │ Claude API │ 14 agents │ 12.3k tok $0.50 │ ~/shop"


async def test_the_status_line_keeps_what_matters_most() -> None:
    app = Lines()
    async with app.run_test(size=(24, 5)):
        assert app.query_one(StatusBar).render().plain == "aware │ Claude API"


async def test_what_a_run_waits_for_stands_beside_it_and_leaves_first() -> None:
    app = Lines()
    async with app.run_test(size=(60, 5)) as pilot:
        status = app.query_one(StatusBar)
        status.activity, status.progress = "● coder 12 s", "reading the prompt 43 %"
        assert status.render().plain.startswith("● coder 12 s │ reading the prompt 43 %")
        await pilot.resize_terminal(30, 5)
        assert status.render().plain.startswith("● coder 12 s │ aware")


async def test_an_unknown_price_is_not_shown_as_nothing() -> None:
    app = Lines()
    async with app.run_test(size=(100, 5)):
        status = app.query_one(StatusBar)
        status.cost = None
        assert "12.3k tok $?" in status.render().plain


async def test_hints_that_do_not_fit_are_left_out_whole() -> None:
    app = Lines()
    async with app.run_test(size=(13, 5)):
        assert app.query_one(KeyBar).render().plain == "Enter send  "


async def test_a_click_presses_the_hint_under_the_pointer() -> None:
    app = Lines()
    async with app.run_test(size=(40, 5)) as pilot:
        await pilot.click("#keys", offset=(13, 0))
        await pilot.click("#keys", offset=(1, 0))
        await pilot.click("#keys", offset=(35, 0))
        assert app.pressed == ["f1", "enter"]
