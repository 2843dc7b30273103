"""The engine of one run: shown with what it can't do, changed in the match panel, then logged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.events import RunStarted
from secretary_tui.sessions.store import list_runs, load_run
from tests.screens.desk import ROUTED, at_desk
from tests.servers.anthropic_server import ScriptedServer, answer, text

Serve = Callable[..., ScriptedServer]


def describe_gateway(url: str) -> None:
    """Let the user's settings know a second server."""
    settings = paths.user_config()
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(
        f"---\nengines:\n  gateway: {{title: Gateway, base_url: {url}, key_variable: GATEWAY_KEY,"
        " model: big-1}\n---\n"
    )


async def test_m_takes_another_engine_for_this_run_and_says_what_it_cannot_do(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "key-of-the-gateway")
    api = serve(ROUTED)
    with ScriptedServer(answer(text("All is well."))) as gateway:
        describe_gateway(gateway.url)
        async with at_desk(project) as desk:
            await desk.matched()
            await desk.sees("m engine")
            await desk.press("m")
            while "Gateway" not in desk.match_text:
                await desk.press("m")
            assert "runs on Gateway" in desk.match_text
            assert "no pictures or PDFs, no web search, price unknown" in desk.match_text
            assert "big-1" in desk.match_text
            await desk.press("enter")
            await desk.sees("All is well.")
            await desk.finished()
    assert len(api.requests) == 1
    assert gateway.requests[0].headers["authorization"] == "Bearer key-of-the-gateway"
    (run,) = list_runs(project)
    started = load_run(run.id).events[0]
    assert isinstance(started, RunStarted)
    assert (started.engine, started.model) == ("gateway", "big-1")
