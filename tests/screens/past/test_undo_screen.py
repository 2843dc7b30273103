"""The undo screen: what a run changed, and back again, by key."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.screens.past.undo_screen import UndoScreen
from tests.screens.conftest import Serve
from tests.screens.desk import Desk, at_desk, routing
from tests.servers.anthropic_server import answer, text, tool_use


def edit(old: str, new: str) -> object:
    return tool_use("Edit", {"file_path": "login.py", "old_string": old, "new_string": new})


async def run_and_open(desk: Desk, *, by: str) -> None:
    """Let the agent edit a file and make one, then open the undo screen."""
    await desk.matched("make the login look at the password")
    await desk.press("enter")
    for _ in range(2):
        await desk.sees("wants to use")
        await desk.press("y")
    await desk.sees("done · 2 turns")
    await desk.finished()
    if by == "history":
        await desk.press("f3")
        await desk.sees("1 of 1")
    elif by == "transcript":
        desk.transcript.focus()
        await desk.pilot.pause()
    else:
        await desk.send("/undo")
    if by != "command":
        await desk.press("u")
    await desk.until(lambda: isinstance(desk.app.screen, UndoScreen))
    await desk.sees("login.py")


@pytest.fixture
def served(serve: Serve) -> None:
    serve(
        routing(("schema-smith", 92)),
        answer(
            edit("return True", "return check(password)"),
            tool_use("Write", {"file_path": "new/notes.md", "content": "Notes\n"}),
        ),
        answer(text("The login looks now.")),
    )


@pytest.mark.parametrize("by", ["transcript", "history", "command"])
async def test_a_run_is_undone_and_done_again_by_key(project: Path, served: None, by: str) -> None:
    login = project / "login.py"
    before = login.read_text()
    async with at_desk(project) as desk:
        await run_and_open(desk, by=by)
        await desk.sees("+    return check(password)")
        changed = login.read_text()
        await desk.press("u")
        await desk.until(lambda: login.read_text() == before)
        await desk.sees("undone")
        await desk.press("enter")
        await desk.until(lambda: login.read_text() == changed)
        await desk.press("U")
        await desk.until(lambda: login.read_text() == before)
        await desk.until(lambda: not (project / "new").exists())
        await desk.press("escape")
        await desk.until(lambda: not isinstance(desk.app.screen, UndoScreen))


async def test_a_later_edit_is_shown_beside_the_runs_and_kept(project: Path, served: None) -> None:
    login = project / "login.py"
    before = login.read_text()
    async with at_desk(project, size=(120, 40)) as desk:
        await run_and_open(desk, by="transcript")
        await desk.press("escape")
        login.write_text("by hand\n")
        desk.transcript.focus()
        await desk.press("u")
        await desk.sees("What changed since:")
        await desk.sees("+by hand")
        await desk.press("u")
        await desk.says("left alone")
        assert login.read_text() == "by hand\n"
        await desk.press("b")
        await desk.says("Wrote login.py.before-")
    (beside,) = list_beside(project)
    assert beside.read_text() == before


def list_beside(project: Path) -> list[Path]:
    return list(project.glob("login.py.before-*"))


async def test_without_a_run_there_is_nothing_to_undo(project: Path) -> None:
    async with at_desk(project) as desk:
        await desk.send("/undo")
        await desk.says("There is no run to undo yet")
