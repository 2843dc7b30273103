"""The three columns of a wide screen, and what stays when the screen gets another size."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Static

from tests.library import agent_file
from tests.screens.desk import ROUTED, Desk, at_desk
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use, wait_for

Serve = Callable[..., ScriptedServer]

SIZES = ((160, 45), (120, 40), (80, 24), (60, 20), (200, 50))
TODOS = {
    "todos": [
        {"content": "Read the login", "status": "completed", "activeForm": "Reading"},
        {"content": "Look for holes", "status": "in_progress", "activeForm": "Looking for holes"},
        {"content": "Report", "status": "pending", "activeForm": "Reporting"},
    ]
}


def page(desk: Desk) -> str:
    return str(desk.main.query_one("#details-page", Static).content)


async def test_the_third_column_tells_of_the_run_and_while_browsing_of_the_agent(
    project: Path, serve: Serve
) -> None:
    gate = threading.Event()
    planner = project / ".claude" / "agents" / "security-auditor.md"
    planner.write_text(agent_file("security-auditor", "Audits code.", "Read, TodoWrite", "red"))
    serve(ROUTED, answer(tool_use("TodoWrite", TODOS)), wait_for(gate, answer(text("Done."))))
    async with at_desk(project, size=(160, 45)) as desk:
        assert "Reviews code changes" in page(desk)
        await desk.matched()
        await desk.press("enter")
        await desk.until(lambda: "1 of 3" in page(desk))
        for said in ("working", "✓ Read the login", "● Looking for holes", "○ Report", "92 %"):
            assert said in page(desk)
        await desk.press("f5", "down")
        assert "working" not in page(desk)
        await desk.press("escape")
        assert "working" in page(desk)
        gate.set()
        await desk.finished()
        await desk.until(lambda: "✓ done" in page(desk))
        assert "tok $" in page(desk)


@pytest.mark.parametrize(("width", "beside"), [(139, False), (140, True)])
async def test_from_140_columns_on_there_are_three(
    width: int, beside: bool, project: Path, serve: Serve
) -> None:
    serve(ROUTED, answer(text("Done.")))
    async with at_desk(project, size=(width, 40)) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.finished()
        await desk.until(lambda: desk.main.query_one("#details").display is beside)
        assert desk.transcript.display
        assert desk.main.library.display


async def test_at_180_columns_a_diff_has_two_sides_between_the_other_columns(
    project: Path, serve: Serve
) -> None:
    write = {"file_path": "login.py", "content": "def login():\n    return check()\n"}
    serve(ROUTED, answer(tool_use("Write", write)), answer(text("Done.")))
    async with at_desk(project, size=(180, 45)) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.until(lambda: desk.main.panels.open is not None or not desk.main.tabs.busy)
        await desk.press("y")
        await desk.finished()
        desk.transcript.focus()
        desk.transcript.toggle_all()
        await desk.pilot.pause()
        assert desk.transcript.size.width >= 102


async def test_another_size_keeps_focus_place_panel_and_draft(project: Path, serve: Serve) -> None:
    gate = threading.Event()
    long = "\n\n".join(f"Paragraph {n}." for n in range(200))
    serve(ROUTED, answer(text(long)), ROUTED, wait_for(gate, answer(text("Late."))))
    async with at_desk(project, size=(160, 45)) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.finished()
        transcript = desk.transcript
        transcript.flush()
        transcript.focus()
        transcript.scroll_to(y=40, animate=False, immediate=True)
        await desk.until(lambda: transcript.content.index.settled)
        assert not transcript.lines.following
        first = desk.text.split("Paragraph ")[1].split(".")[0]
        desk.main.request.insert("a draft")
        for size in SIZES:
            await desk.pilot.resize_terminal(*size)
            await desk.until(lambda: f"Paragraph {first}." in desk.text)
            assert desk.main.focused is transcript
            assert desk.main.request.text == "a draft"
        await desk.press("f5", "down", "down")
        row = desk.main.library.index.highlighted
        for size in SIZES:
            await desk.pilot.resize_terminal(*size)
            assert desk.main.focused is desk.main.library.index
            assert desk.main.library.index.highlighted == row
        desk.main.request.focus()
        desk.main.request.clear()
        await desk.matched()
        for size in SIZES:
            await desk.pilot.resize_terminal(*size)
            assert desk.main.panels.match.is_open
            await desk.until(lambda low=size[1]: 0 < desk.main.request.region.bottom <= low)
        gate.set()
        await asyncio.sleep(0)
