"""The first run in a folder asks once whether it is trusted; looking around doesn't."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui.delegation.permissions.folder_trust import forget, is_trusted
from secretary_tui.widgets.panels.panel import Panel
from tests.screens.desk import REQUEST, ROUTED, Desk, at_desk, routing
from tests.servers.anthropic_server import ScriptedServer, answer, text, tool_use

Serve = Callable[..., ScriptedServer]

DONE = answer(text("All is well."))
QUESTION = "Do you trust what is in ~/shop?"


@pytest.fixture
def stranger(project: Path) -> Path:
    """The project, before anybody said anything about it."""
    forget(project)
    return project


async def accepted(desk: Desk) -> None:
    await desk.matched()
    await desk.press("enter")
    await desk.sees(QUESTION)


async def test_the_index_says_so_and_the_first_run_asks_once(stranger: Path, serve: Serve) -> None:
    (stranger / "CLAUDE.md").write_text("Be kind.")
    server = serve(ROUTED, DONE, ROUTED, DONE)
    async with at_desk(stranger) as desk:
        await desk.sees("folder not trusted yet")
        await accepted(desk)
        await desk.sees("It brings CLAUDE.md,", ".claude/agents.")
        assert len(server.requests) == 1, "only the route was asked for"
        await desk.press("t")
        await desk.sees("All is well.")
        await desk.finished()
        assert is_trusted(stranger)
        assert "not trusted yet" not in desk.text
        await desk.press("ctrl+n")
        await desk.matched()
        await desk.press("enter")
        await desk.finished()
        assert len(server.requests) == 4


async def test_esc_runs_nothing_and_gives_the_request_back(stranger: Path, serve: Serve) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(stranger) as desk:
        await accepted(desk)
        await desk.press("escape")
        await desk.finished()
        await desk.says("is not trusted yet")
        assert desk.main.request.text == REQUEST
    assert not is_trusted(stranger)
    assert len(server.requests) == 1


async def test_only_reading_refuses_what_is_more_and_is_not_remembered(
    stranger: Path, serve: Serve
) -> None:
    call = answer(tool_use("Bash", {"command": "touch made"}))
    server = serve(routing(("release-scribe", 92)), call, DONE)
    async with at_desk(stranger) as desk:
        await desk.matched("write release notes")
        await desk.press("enter")
        await desk.sees(QUESTION)
        await desk.press("r")
        await desk.sees("All is well.")
        await desk.finished()
    assert "This run is read-only" in json.dumps(server.requests[-1].body["messages"])
    assert not (stranger / "made").exists()
    assert not is_trusted(stranger)


async def test_a_key_pressed_before_the_question_stood_there_is_no_answer(
    stranger: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(ROUTED, DONE)
    async with at_desk(stranger) as desk:
        await accepted(desk)
        monkeypatch.setattr(Panel, "GRACE_S", 3600.0)
        await desk.press("t")
        assert desk.main.request.text == "t"
        assert not is_trusted(stranger)
        await desk.sees(QUESTION)
