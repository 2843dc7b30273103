"""Pictures of each theme, of each layout, and of the states a screen can be in.

After a wanted change: `pytest tests/snapshots/test_appearances.py --snapshot-update`, look, commit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from secretary_tui import paths
from secretary_tui.app import AppOptions, SecretaryApp
from secretary_tui.flow.run_progress import RunProgress
from secretary_tui.flow.tab_controller import TabController
from secretary_tui.screens.main.library_controller import LibraryController
from secretary_tui.sessions import ui_state
from secretary_tui.widgets.themes import ANSI, CONTRAST, LIGHT, PLAIN
from tests.library import agent_file
from tests.screens.desk import Desk, routing
from tests.servers.anthropic_server import (
    ScriptedServer,
    answer,
    text,
    tool_use,
    wait_for,
)
from tests.snapshots.stored_runs import store_runs
from tests.snapshots.test_pictures import MATCHES, Act, come_to_rest

Serve = Callable[..., ScriptedServer]
Look = Callable[..., bool]

THEMES = [LIGHT.name, CONTRAST.name, ANSI.name, PLAIN.name]
"""The dark one is on all other pictures."""
LAYOUTS = [(60, 20), (160, 45), (200, 50)]
"""The sizes that are not on the other pictures."""


@pytest.fixture
def look(
    project: Path,
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
    steady_time: None,
) -> Look:
    """Compare a picture with the stored one: of a size, in a theme, with glyphs."""
    for each in (TabController, RunProgress):
        monkeypatch.setattr(each, "elapsed_s", property(lambda self: 3.0))

    def compare(act: Act, size: tuple[int, int] = (120, 40), theme: str = "auto") -> bool:
        async def run_before(pilot: Pilot[None]) -> None:
            desk = Desk(pilot)
            await desk.ready()
            desk.app.appearance.keep(theme)
            await act(desk)
            await come_to_rest(desk)

        return snap_compare(
            SecretaryApp(AppOptions(project)), terminal_size=size, run_before=run_before
        )

    return compare


@pytest.fixture
def colourful(project: Path) -> None:
    """An agent of every colour, and one that is odd."""
    agents = project / ".claude" / "agents"
    for color in ("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"):
        (agents / f"in-{color}.md").write_text(agent_file(f"in-{color}", "Paints.", "Read", color))
    (agents / "odd.md").write_text("---\nname: odd\ndescription: Use it: always\n---\nHi.\n")
    (agents / "binary.md").write_bytes(b"\x00\x01" * 50)


async def _library(desk: Desk) -> None:
    await desk.press("f5", "down", "down", "down")


async def _match(desk: Desk) -> None:
    await desk.matched("write release notes")


async def _diff(desk: Desk) -> None:
    await desk.press("f3")
    await desk.sees("4 of 4")
    await desk.press("enter")
    await desk.sees("2 turns ")
    desk.transcript.focus()
    desk.transcript.toggle_all()
    await desk.until(lambda: desk.transcript.content.index.settled)


async def _permission(desk: Desk) -> None:
    await desk.matched("make the login look at the password")
    await desk.press("enter")
    await desk.sees("wants to use Edit")


CHANGE = {
    "file_path": "login.py",
    "old_string": "    return True\n",
    "new_string": "    return verify(name, password)\n",
}


@pytest.mark.parametrize("theme", THEMES)
def test_library_in(theme: str, colourful: None, look: Look) -> None:
    assert look(_library, theme=theme)


@pytest.mark.parametrize("theme", THEMES)
def test_match_panel_in(theme: str, serve: Serve, look: Look) -> None:
    serve(MATCHES)
    assert look(_match, theme=theme)


@pytest.mark.parametrize("theme", THEMES)
def test_transcript_in(theme: str, project: Path, look: Look) -> None:
    store_runs(project)
    assert look(_diff, theme=theme)


@pytest.mark.parametrize("theme", THEMES)
def test_permission_in(theme: str, serve: Serve, look: Look) -> None:
    serve(
        routing(("schema-smith", 92)),
        answer(text("The login has to look at the password."), tool_use("Edit", CHANGE)),
    )
    assert look(_permission, theme=theme)


def test_library_in_ascii(colourful: None, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRETARY_TUI_GLYPHS", "ascii")
    assert look(_library)


def test_transcript_in_ascii(project: Path, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRETARY_TUI_GLYPHS", "ascii")
    store_runs(project)
    assert look(_diff)


@pytest.mark.parametrize("size", LAYOUTS, ids=str)
def test_library_at(size: tuple[int, int], colourful: None, look: Look) -> None:
    assert look(_library, size)


@pytest.mark.parametrize("size", LAYOUTS, ids=str)
def test_match_panel_at(size: tuple[int, int], serve: Serve, look: Look) -> None:
    serve(MATCHES)
    assert look(_match, size)


@pytest.mark.parametrize("size", LAYOUTS, ids=str)
def test_transcript_at(size: tuple[int, int], project: Path, look: Look) -> None:
    store_runs(project)
    assert look(_diff, size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
def test_while_the_agents_are_read(
    size: tuple[int, int],
    project: Path,
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(LibraryController, "load", lambda controller: None)

    async def run_before(pilot: Pilot[None]) -> None:
        desk = Desk(pilot)
        await desk.until(lambda: desk.app.screen_stack and desk.main.is_whole)
        await desk.sees("reading agents")
        await desk.type("write the release notes")
        await come_to_rest(desk)

    app = SecretaryApp(AppOptions(project))
    assert snap_compare(app, terminal_size=size, run_before=run_before)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)], ids=str)
def test_a_long_answer_that_is_read_above_its_end(
    size: tuple[int, int], project: Path, serve: Serve, look: Look
) -> None:
    paragraphs = [f"{n}. The {n}th of many things that are to be said of it." for n in range(300)]
    serve(routing(("schema-smith", 92)), answer(text("\n\n".join(paragraphs))))

    async def act(desk: Desk) -> None:
        await desk.matched("make the login look at the password")
        await desk.press("enter")
        await desk.finished()
        desk.transcript.flush()
        desk.transcript.focus()
        await desk.press("pageup", "pageup")
        await desk.until(lambda: desk.transcript.content.index.settled)

    assert look(act, size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
def test_no_agents(size: tuple[int, int], project: Path, look: Look) -> None:
    for file in (project / ".claude" / "agents").iterdir():
        file.unlink()
    ui_state.remember(onboarded=True)
    (project / paths.PROJECT_CONFIG).write_text("---\nbundled_agents: false\n---\n")

    async def nothing(desk: Desk) -> None:
        await desk.sees("No agents found")

    assert look(nothing, size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
def test_a_run_that_failed(size: tuple[int, int], project: Path, look: Look) -> None:
    store_runs(project)

    async def act(desk: Desk) -> None:
        await desk.press("f3")
        await desk.sees("4 of 4")
        await desk.press("end", "enter")
        await desk.sees("The API refused the key.")

    assert look(act, size)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)], ids=str)
def test_a_run_under_way(size: tuple[int, int], project: Path, serve: Serve, look: Look) -> None:
    gate = threading.Event()
    steps = [
        {"content": "Read the login", "status": "completed", "activeForm": "Reading the login"},
        {"content": "Look for holes", "status": "in_progress", "activeForm": "Looking for holes"},
        {"content": "Report", "status": "pending", "activeForm": "Reporting"},
    ]
    planner = project / ".claude" / "agents" / "schema-smith.md"
    planner.write_text(agent_file("schema-smith", "Plans.", "Read, TodoWrite", "purple"))
    serve(
        routing(("schema-smith", 92)),
        answer(tool_use("TodoWrite", {"todos": steps})),
        wait_for(gate, answer(text("Done."))),
    )

    async def act(desk: Desk) -> None:
        await desk.matched("make the login look at the password")
        await desk.press("enter")
        await desk.sees("Looking for holes", "Done")

    try:
        assert look(act, size)
    finally:
        gate.set()


def test_themes_to_choose_from(look: Look) -> None:
    async def act(desk: Desk) -> None:
        await desk.type("/theme")
        await desk.press("enter")
        await desk.sees("high contrast (7:1)")
        await desk.press("down", "down")

    assert look(act)
