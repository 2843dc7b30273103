"""What the match panel does ahead of a run: it looks up, warns, and lets a local model be ready."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from secretary_tui.engines.local.local_engine import LocalEngine
from tests.models import smollm2
from tests.screens.conftest import Serve
from tests.screens.desk import ROUTED, Desk, at_desk
from tests.servers.anthropic_server import ScriptedServer, answer, text

__all__ = ["smollm2"]
REQUEST = "audit login.py for security holes"
DONE = answer(text("All is well."))


def sent(server: ScriptedServer) -> str:
    """What the agent was told: the messages of the second request."""
    return json.dumps(server.requests[1].body["messages"])


async def run(desk: Desk, *keys: str) -> None:
    await desk.matched(REQUEST)
    await desk.press(*keys, "enter")
    await desk.sees("All is well.")
    await desk.finished()


async def test_what_the_request_names_is_shown_and_given_to_the_agent(
    project: Path, serve: Serve
) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched(REQUEST)
        assert desk.match_text.splitlines()[1].strip() == "with: login.py  c leaves it out"
        await desk.press("enter")
        await desk.sees("All is well.")
        await desk.finished()
    assert "return True" in sent(server)


async def test_a_key_leaves_it_out(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await run(desk, "c")
    assert "return True" not in sent(server)


async def test_another_task_is_looked_up_anew(project: Path, serve: Serve) -> None:
    (project / "logout.py").write_text("def logout():\n    return 41\n")
    server = serve(ROUTED, DONE)
    async with at_desk(project) as desk:
        await desk.matched(REQUEST)
        await desk.press("e")
        desk.main.request.replace_text("audit logout.py")
        await desk.press("enter")
        await desk.sees("with: logout.py")
        await desk.press("enter")
        await desk.sees("All is well.")
        await desk.finished()
    assert "return 41" in sent(server)
    assert "return True" not in sent(server)


@pytest.mark.model
async def test_a_local_model_is_loaded_while_the_panel_waits_and_warns_of_what_is_too_much(
    project: Path, smollm2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETARY_TUI_LOCAL_MODEL", str(smollm2))
    monkeypatch.setenv("SECRETARY_TUI_ENGINE", "local")
    async with at_desk(project) as desk:
        await desk.matched(REQUEST)
        assert "too much" not in desk.match_text
        engine = desk.main.secretary.engine
        assert isinstance(engine, LocalEngine)
        await desk.until(lambda: engine.is_up)
        await desk.press("escape")
        await desk.matched("audit all files for security holes")
        assert "Many files are too much for the small local model" in desk.match_text
        await desk.press("escape")
