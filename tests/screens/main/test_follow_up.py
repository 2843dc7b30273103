"""A message after a run: the panel's first row goes on with that run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from secretary_tui.sessions.store import list_runs
from tests.screens.desk import ROUTED, at_desk
from tests.servers.anthropic_server import ScriptedServer, answer, text

Serve = Callable[..., ScriptedServer]

FOUND = answer(text("Two holes:\n\n1. **SQL injection** in search.py\n2. **No lockout**"))


async def test_enter_on_the_first_row_goes_on_with_the_run(project: Path, serve: Serve) -> None:
    server = serve(ROUTED, FOUND, answer(text("The lockout is missing in login.py.")))
    async with at_desk(project, size=(120, 30)) as desk:
        await desk.matched()
        await desk.press("enter")
        await desk.sees("Two holes")
        await desk.finished()
        await desk.send("tell me more about the second one")
        await desk.sees("go on with security-auditor", "“the second one” is in what was said")
        await desk.press("enter")
        await desk.sees("The lockout is missing in login.py.")
        await desk.finished()
        sent = json.dumps(server.requests[-1].body["messages"])
        assert "tell me more about the second one" in sent
        assert "SQL injection" in sent
        assert len(server.requests) == 3, "no model was asked who is meant"
    assert len(list_runs(project)) == 1
