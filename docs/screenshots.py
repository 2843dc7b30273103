"""Make the pictures of the README: drives the real app and saves what it shows as SVG.

    python docs/screenshots.py

The library is a small one of the project's own beside the bundled agents; the model's answers come
from the scripted server of the tests, so that the pictures are the same every time.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from textual.app import App

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from secretary_tui.delegation.permissions.folder_trust import trust  # noqa: E402
from tests.library import make_library  # noqa: E402
from tests.servers.anthropic_server import (  # noqa: E402
    ScriptedServer,
    answer,
    json_answer,
    text,
    tool_use,
)
from tests.sessions.stored_decisions import store  # noqa: E402
from tests.snapshots.stored_runs import store_runs  # noqa: E402

PICTURES = ROOT / "docs" / "images"
REQUEST = "audit the login code for security holes"
LOGIN = """\
import sqlite3

def login(db: sqlite3.Connection, name: str, password: str) -> bool:
    row = db.execute(f"select * from users where name = '{name}'").fetchone()
    return row is not None and row[1] == password
"""
ROUTE = {
    "clear": True,
    "intent": "Audit the login code for security vulnerabilities.",
    "questions": [],
    "matches": [
        {
            "agent": "security-auditor",
            "confidence": 93,
            "reason": "It audits authentication code, which is what login.py is.",
        },
        {
            "agent": "code-critic",
            "confidence": 58,
            "reason": "It reviews code for security slips among other things.",
        },
    ],
    "recommendation": "security-auditor",
    "workflow": None,
}
FINDINGS = """\
Two findings in `login.py`, both to be fixed before a release.

| # | severity | where | what |
|---|---|---|---|
| 1 | high | line 4 | SQL injection: the name is pasted into the query |
| 2 | high | line 5 | passwords are compared in plain text |

For the first, pass the name as a parameter:

```python
row = db.execute("select * from users where name = ?", (name,)).fetchone()
```
"""
FIX = {
    "file_path": "login.py",
    "old_string": "f\"select * from users where name = '{name}'\"",
    "new_string": '"select * from users where name = ?", (name,)',
}


async def until(condition: Callable[[], bool], pilot: object) -> None:
    for _ in range(600):
        await pilot.pause(0.05)  # type: ignore[attr-defined]
        if condition():
            return
    raise SystemExit("the screen never got there")


async def take(project: Path, size: tuple[int, int], suffix: str) -> None:
    from secretary_tui.app import AppOptions, SecretaryApp
    from secretary_tui.widgets.panels.permission_panel import PermissionPanel

    app = SecretaryApp(AppOptions(project))
    async with app.run_test(size=size) as pilot:
        screen = app.main
        await until(lambda: "agents" in screen.status.library and screen.is_whole, pilot)
        await until(lambda: screen.status.engine != "…", pilot)
        app.save_screenshot(str(PICTURES / f"library{suffix}.svg"))
        screen.request.insert(REQUEST)
        await pilot.press("enter")
        await until(lambda: screen.panels.match.is_open, pilot)
        await until(lambda: "ranked by" in str(screen.query_one("#match-text").render()), pilot)
        await asyncio.sleep(0.6)  # Until the panel answers to keys.
        await pilot.pause()
        app.save_screenshot(str(PICTURES / f"match{suffix}.svg"))
        await pilot.press("enter")
        await until(lambda: bool(screen.tabs.last_answer) and not screen.tabs.busy, pilot)
        await pilot.pause(0.3)
        app.save_screenshot(str(PICTURES / f"run{suffix}.svg"))
        screen.request.insert("@schema-smith fix the query in login.py")
        await pilot.press("enter")
        await until(lambda: screen.panels.match.is_open, pilot)
        await asyncio.sleep(0.6)
        await pilot.press("enter")
        panel = screen.query_one(PermissionPanel)
        await until(lambda: panel.is_open, pilot)
        await pilot.pause(0.3)
        app.save_screenshot(str(PICTURES / f"permission{suffix}.svg"))
        await asyncio.sleep(0.6)
        await pilot.press("escape")
        await until(lambda: not screen.tabs.busy, pilot)


async def take_statistics(project: Path, size: tuple[int, int], suffix: str) -> None:
    """What three weeks of one project look like, on a machine that has seen nothing else."""
    from secretary_tui.app import AppOptions, SecretaryApp

    app = SecretaryApp(AppOptions(project))
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.main.is_whole and app.main.status.engine != "…", pilot)
        await pilot.press("f10")
        await until(lambda: "21 requests" in _text(app), pilot)
        app.save_screenshot(str(PICTURES / f"statistics{suffix}.svg"))


def _text(app: App[None]) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips(app.size))


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ.update(HOME=str(home), ANTHROPIC_API_KEY="for-the-pictures", TZ="UTC")
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
        time.tzset()
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ.pop(f"XDG_{name}_HOME", None)
        for size, suffix in (((120, 36), ""), ((80, 24), "-80x24")):
            project = home / "shop"
            make_library(project)
            (project / "login.py").write_text(LOGIN)
            trust(project)
            steps = (
                json_answer(ROUTE),
                answer(text("I read the file first."), tool_use("Read", {"file_path": "login.py"})),
                answer(text(FINDINGS)),
                answer(text("The query takes a parameter."), tool_use("Edit", FIX)),
                answer(text("Then I leave it as it is.")),
            )
            with ScriptedServer(*steps) as server:
                os.environ["ANTHROPIC_BASE_URL"] = server.url
                asyncio.run(take(project, size, suffix))
        past = home / "past"
        make_library(past)
        store(past)
        store_runs(past)
        for size, suffix in (((120, 36), ""), ((80, 24), "-80x24")):
            asyncio.run(take_statistics(past, size, suffix))
    for picture in sorted(PICTURES.glob("*.svg")):
        print(picture.relative_to(ROOT))


if __name__ == "__main__":
    main()
