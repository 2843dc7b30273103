"""What is read on each theme: the contrast of every word on the screens, as they are painted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.color import Color
from rich.style import Style
from textual.geometry import Region

from secretary_tui.sessions import ui_state
from secretary_tui.widgets.themes import ANSI, CONTRAST, DARK, LIGHT, PLAIN
from tests.library import agent_file
from tests.screens.desk import Desk, at_desk, routing
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use
from tests.snapshots.stored_runs import store_runs

Serve = Callable[..., ScriptedServer]

WORST = {DARK.name: 4.5, LIGHT.name: 4.5, CONTRAST.name: 7.0}
"""WCAG 2.2: 1.4.3 (AA) and 1.4.6 (AAA)."""
RED, MAGENTA = 1, 5
"""Of the sixteen colours those that are read on black and on white."""
CHANGE = {
    "file_path": "login.py",
    "old_string": "    return True\n",
    "new_string": "    return verify(name, password)\n",
}
ANSWER = (
    "# Findings\n\nThe login takes **any** password: `return True`, see "
    "[the guide](https://example.org).\n\n> A quote\n\n- one\n- [x] two\n\n"
    "```python\ndef login(name):  # a comment\n    return 42 + len('text')\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n"
)


def words(desk: Desk) -> Iterator[tuple[str, Style]]:
    """Every piece of the screen with a letter or a digit in it, and its style.

    Of the palette only itself: what is behind it is faded on purpose. The cursor of its input is
    Textual's.
    """
    palette = desk.app.screen.query("CommandPalette #--input, CommandPalette CommandList")
    part = Region.from_union([each.region for each in palette or [desk.app.screen]])
    strips = desk.app.screen._compositor.render_strips(desk.app.size)
    for strip in strips[part.y : part.bottom]:
        for segment in strip.crop(part.x, part.right):
            if palette and len(segment.text) == 1:
                continue
            if segment.style is not None and any(c.isalnum() for c in segment.text):
                yield segment.text, segment.style


async def walk(desk: Desk, check: Callable[[str], None]) -> None:
    """The main job with everything it shows, then every other screen."""
    await desk.press("f5", "down", "down")
    check("library")
    await desk.press("slash")
    await desk.type("co")
    check("filter")
    await desk.press("escape", "escape")
    await desk.matched("design the database schema and write its migration")
    check("match panel")
    await desk.press("question_mark")
    check("explanation")
    await desk.press("question_mark", "enter")
    await desk.sees("wants to use Edit")
    check("permission")
    await desk.press("y")
    await desk.finished()
    desk.transcript.focus()
    check("transcript")
    await desk.press("home", "down", "down", "space")
    check("transcript, a call unfolded")
    await desk.press("slash", *"login", "enter")
    check("transcript, searched")
    await desk.press("escape", "escape")
    for key in ("f1", "f2", "f3", "f4", "f7", "f10", "ctrl+p"):
        await desk.press(key)
        await desk.until(lambda: desk.app.screen is not desk.main)
        await desk.press("down")
        await desk.pilot.pause()
        check(key)
        while desk.app.screen is not desk.main:
            await desk.press("escape")


@pytest.fixture
def shop(project: Path, home: Path, serve: Serve) -> Path:
    """Agents of every colour, a file with a problem, earlier runs, and a run to come."""
    agents = project / ".claude" / "agents"
    for color in ("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"):
        (agents / f"a-{color}.md").write_text(agent_file(f"a-{color}", "Paints.", "Read", color))
    (agents / "odd.md").write_text("---\nname: odd\ndescription: Use it: always\n---\nHi.\n")
    (agents / "binary.md").write_bytes(b"\x00\x01" * 50)
    store_runs(project)
    serve(
        routing(("schema-smith", 92), ("code-critic", 61)),
        answer(text("The login has to look."), tool_use("Edit", CHANGE)),
        answer(text(ANSWER)),
    )
    return project


def luminance(color: Color) -> float:
    """Relative luminance as WCAG defines it."""
    assert color.triplet is not None, color
    parts = (
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
        for c in color.triplet.normalized
    )
    red, green, blue = parts
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(style: Style) -> float:
    assert style.color is not None
    assert style.bgcolor is not None
    one, other = luminance(style.color), luminance(style.bgcolor)
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def _number(color: Color | None) -> int | None:
    """Which of the terminal's colours it is; None for the terminal's default."""
    return None if color is None else color.number


@pytest.mark.parametrize("theme", WORST)
async def test_every_word_is_read_on_what_it_stands_on(theme: str, shop: Path) -> None:
    ui_state.remember(theme=theme)
    poor: dict[tuple[str, str], str] = {}
    async with at_desk(shop, size=(150, 40)) as desk:
        desk.app.appearance.keep(theme)

        def check(where: str) -> None:
            assert desk.app.theme == theme
            for piece, style in words(desk):
                if (found := contrast(style)) < WORST[theme]:
                    poor[where, str(style)] = f"{found:.1f} {piece.strip()[:30]!r}"

        await walk(desk, check)
    assert not poor, "\n".join(f"{where}: {what} {style}" for (where, style), what in poor.items())


@pytest.mark.parametrize(("theme", "inks"), [(ANSI.name, {MAGENTA, RED}), (PLAIN.name, set())])
async def test_on_a_terminals_own_colours_words_need_no_background(
    theme: str, inks: set[int], shop: Path
) -> None:
    odd: dict[tuple[str, str], str] = {}
    ui_state.remember(theme=theme)
    async with at_desk(shop, size=(150, 40)) as desk:
        desk.app.appearance.keep(theme)

        def check(where: str) -> None:
            for piece, style in words(desk):
                ink, ground = _number(style.color), _number(style.bgcolor)
                if (ink, ground) not in ((None, None), *((i, None) for i in inks)):
                    odd[where, str(style)] = piece.strip()[:30]

        await walk(desk, check)
    assert not odd, "\n".join(f"{where}: {what!r} {style}" for (where, style), what in odd.items())


@pytest.mark.parametrize("theme", [CONTRAST.name, ANSI.name, PLAIN.name])
async def test_a_list_marks_its_row_where_no_colour_does(theme: str, shop: Path) -> None:
    unmarked: list[str] = []
    async with at_desk(shop, size=(80, 24)) as desk:
        desk.app.appearance.keep(theme)
        for key in ("f2", "f3", "f4", "f7", "ctrl+p"):
            await desk.press(key)
            await desk.until(lambda: desk.app.screen is not desk.main)
            await desk.press("down")
            await desk.pilot.pause()
            if not any(s.reverse or s.underline for text, s in words(desk) if len(text) > 3):
                unmarked.append(key)
            while desk.app.screen is not desk.main:
                await desk.press("escape")
    assert not unmarked
