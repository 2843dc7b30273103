"""Runs as their logs tell them: fixed times, tokens and prices, so that they always look alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from secretary_tui import events
from secretary_tui.delegation.undo.snapshots import Snapshots
from secretary_tui.delegation.workspace.workspace import Workspace
from secretary_tui.events import Outcome, RunEvent, Usage
from secretary_tui.sessions.run_log import project_runs_dir

ANSWER = """\
The login accepts **every** password: `login` returns `True` before it looks at anything.

| place | risk | what to do |
|---|---|---|
| `login.py:2` | high | compare a salted hash |
| `session.py:14` | low | set `HttpOnly` |

```python
def login(name: str, password: str) -> bool:
    return verify(password, stored_hash(name))
```

1. Fix the login first.
2. Then rotate the sessions.
"""
USAGE = Usage(input_tokens=4210, output_tokens=380, cache_read_tokens=0, cache_write_tokens=0)


def store_runs(project: Path) -> None:
    """Write four runs that ended in four ways; the newest is the one with all kinds of blocks."""
    _store(
        project,
        "20260110-090000-aaaa",
        "2026-01-10T09:00:00.000+00:00",
        "release-scribe",
        "write the release notes for 1.4",
        [events.RunFailed("The API refused the key.", "Check it.", False, USAGE, None, 1.2)],
    )
    _store(
        project,
        "20260111-101500-bbbb",
        "2026-01-11T10:15:00.000+00:00",
        "schema-smith",
        "add a table for invoices, with an index on the customer",
        [_finished("Added.", outcome=Outcome.INTERRUPTED)],
    )
    _store(
        project,
        "20260112-113000-cccc",
        "2026-01-12T11:30:00.000+00:00",
        "code-critic",
        "review the payment module before merging",
        [events.TextDelta("I look at the")],
    )
    _store(
        project,
        "20260113-124500-dddd",
        "2026-01-13T12:45:00.000+00:00",
        "security-auditor",
        "audit the login code for security holes",
        _whole_run(),
    )


def store_changes(project: Path) -> None:
    """Let the newest run have edited two files, made one and run a command; one changed since."""
    snapshots = Snapshots(Workspace.at(project), "20260113-124500-dddd")
    login, session = project / "login.py", project / "session.py"
    session.write_text("COOKIE = {}\nLIFETIME = 3600\n")
    for path, after in (
        (login, "def login(name, password):\n    return verify(password, stored_hash(name))\n"),
        (session, 'COOKIE = {"httponly": True}\nLIFETIME = 3600\n'),
        (project / "docs" / "security.md", "# Security\n\nPasswords are hashed.\n"),
    ):
        before = path.read_bytes() if path.exists() else None
        with snapshots.writing(f"t-{path.name}", "Edit", path, before, after.encode()):
            path.parent.mkdir(exist_ok=True)
            path.write_text(after)
    snapshots.begin_command()
    (project / "build.log").write_text("ok\n")
    snapshots.end_command("t-bash", sandboxed=True)
    snapshots.close()
    login.write_text(login.read_text() + "\n\n# Checked by hand.\n")


def _whole_run() -> list[RunEvent]:
    patch = (
        "--- a/login.py\n+++ b/login.py\n@@ -1,2 +1,2 @@\n"
        " def login(name, password):\n-    return True\n+    return verify(name, password)\n"
    )
    return [
        events.TurnStarted(1),
        events.ThinkingDelta("The login is short, so I read all of it first."),
        events.ToolStarted("t1", "Read", "login.py", {"file_path": "login.py"}),
        events.ToolFinished("t1", "Read", "1\tdef login(name, password):", False, 0.004),
        events.ToolStarted("t2", "Grep", "password", {"pattern": "password"}),
        events.ToolFinished("t2", "Grep", "login.py:1", False, 0.011),
        events.ToolStarted("t3", "Edit", "login.py", {"file_path": "login.py"}),
        events.PermissionAsked("t3", "Edit", "login.py", patch),
        events.PermissionAnswered("t3", "deny", "user", "only report for now"),
        events.ToolFinished("t3", "Edit", "denied: only report for now", True, 0.0),
        events.TurnStarted(2),
        events.TextDelta(ANSWER),
        _finished(ANSWER, turns=2),
    ]


def _finished(text: str, *, outcome: Outcome = Outcome.DONE, turns: int = 1) -> RunEvent:
    return events.RunFinished(outcome, "end_turn", text, USAGE, 0.0183, turns, 8.4)


def _store(
    project: Path, run_id: str, at: str, agent: str, request: str, rest: Sequence[RunEvent]
) -> None:
    started = events.RunStarted(
        run_id=run_id,
        agent=agent,
        agent_path=str(project / ".claude" / "agents" / f"{agent}.md"),
        agent_hash="0" * 64,
        request=request,
        task=request,
        system=f"You are {agent}.",
        engine="anthropic",
        model="claude-sonnet-5-5",
        tools=("Read", "Grep", "Glob"),
        permission_mode="ask",
        project=str(project),
        started_at=at,
        confidence=92,
    )
    lines = [json.dumps({**events.to_json(event), "at": at}) for event in (started, *rest)]
    folder = project_runs_dir(project)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{run_id}.jsonl").write_text("\n".join(lines) + "\n")
