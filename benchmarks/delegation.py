"""What a run costs beside the model: per turn and per tool call, over the scripted server.

    python -m benchmarks.delegation

The server answers at once, so nearly all of the time is ours: the SDK, the events, the log, the
tools. The same requests by the bare SDK show what of it is the SDK's and the server's.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from secretary_tui.config import Config
from secretary_tui.delegation.delegation import Delegation
from secretary_tui.delegation.permissions.permission_mode import PermissionMode
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from secretary_tui.delegation.undo.snapshots import Snapshots
from secretary_tui.delegation.workspace.workspace import Workspace
from secretary_tui.engines.anthropic_api import AnthropicEngine
from secretary_tui.events import RunEvent, ToolFinished, ToolStarted, TurnStarted
from secretary_tui.people import ToolDecision
from secretary_tui.sessions.run_log import RunLog
from tests.delegation.conftest import ScriptedPerson, make_agent
from tests.servers.anthropic_server import ScriptedServer, Step, answer, text, tool_use

TURNS = 40
PROJECT_FILES = 3_000


async def run_all(
    server: ScriptedServer, workspace: Path, run_id: str
) -> tuple[float, list[float]]:
    """Run to the end with a log; gives the seconds in all, and of each tool call."""
    from secretary_tui.delegation.run_delegation import run_delegation

    environ = {"ANTHROPIC_API_KEY": "sk-ant-test-key", "ANTHROPIC_BASE_URL": server.url}
    engine = AnthropicEngine(Config(), environ)
    await engine.client()
    delegation = Delegation(
        run_id=run_id,
        agent=make_agent(workspace, prompt="You test.", tools=("Read", "Edit", "Bash")),
        request="go",
        task="go",
        workspace=workspace,
        permission_mode=PermissionMode.ACCEPT_EDITS,
    )
    person = ScriptedPerson(*[ToolDecision.ONCE] * TURNS)
    began, first, calls = 0.0, 0.0, []
    with RunLog.create(workspace, run_id) as log:
        async for event in run_delegation(delegation, engine, person):
            log.append(event)
            now = time.perf_counter()
            if isinstance(event, TurnStarted) and not first:
                first = now
            calls += _timed(event, now, began)
            began = now if isinstance(event, ToolStarted) else began
    await engine.aclose()
    return time.perf_counter() - first, calls


def _timed(event: RunEvent, now: float, began: float) -> list[float]:
    return [now - began] if isinstance(event, ToolFinished) else []


async def bare(server: ScriptedServer, turns: int) -> float:
    """Stream the same answers by the SDK alone."""
    import anthropic

    client = anthropic.AsyncAnthropic(api_key="x", base_url=server.url, max_retries=0)
    began = time.perf_counter()
    for _ in range(turns):
        async with client.beta.messages.stream(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}]
        ) as stream:
            await stream.get_final_message()
    seconds = time.perf_counter() - began
    await client.close()
    return seconds


def measure(name: str, steps: list[Step], workspace: Path) -> list[float]:
    with ScriptedServer(*steps, answer(text("Done."))) as server:
        seconds, calls = asyncio.run(run_all(server, workspace, f"r-{name}"))
        per_turn = seconds / (len(steps) + 1) * 1000
    with ScriptedServer(*steps, answer(text("Done."))) as server:
        without = asyncio.run(bare(server, len(steps) + 1)) / (len(steps) + 1) * 1000
    line = f"{name}: {per_turn:.1f} ms a turn (the bare SDK: {without:.1f} ms)"
    if calls:
        line += f", {statistics.median(calls) * 1000:.1f} ms a tool call"
    print(line, flush=True)
    return calls


def measure_snapshots(workspace: Path) -> None:
    for number in range(PROJECT_FILES):
        path = workspace / f"pkg{number % 60}" / f"module{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("x = 1\n" * 300)
    snapshots = Snapshots(Workspace.at(workspace), "r-snapshots")
    times = []
    for number in range(6):
        began = time.perf_counter()
        snapshots.begin_command()
        middle = time.perf_counter()
        (workspace / "pkg0" / "module0.py").write_text(f"x = {number}\n")
        snapshots.end_command(f"c{number}", sandboxed=True)
        times.append((middle - began, time.perf_counter() - middle))
    snapshots.close()
    first, rest = times[0], times[1:]
    before = statistics.median(a for a, _ in rest) * 1000
    after = statistics.median(b for _, b in rest) * 1000
    print(
        f"watching {PROJECT_FILES} files: {first[0] * 1000:.0f} ms before the first command, "
        f"{before:.0f} ms before each later one, {after:.0f} ms after each"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, workspace = Path(folder) / "home", Path(folder) / "work"
        home.mkdir()
        workspace.mkdir()
        for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = str(home)
        (workspace / "a.txt").write_text("0\n")
        look = tool_use("Read", {"file_path": "a.txt"})
        measure("warm-up", [answer(look)], workspace)
        measure("Read", [answer(text("I look."), look)] * TURNS, workspace)
        edits = [
            answer(
                tool_use(
                    "Edit",
                    {"file_path": "a.txt", "old_string": f"{n}\n", "new_string": f"{n + 1}\n"},
                )
            )
            for n in range(TURNS)
        ]
        measure("Edit", edits, workspace)
        commands = [answer(tool_use("Bash", {"command": "true"})) for _ in range(TURNS)]
        calls = measure("Bash", commands, workspace)
        began = time.perf_counter()
        for _ in range(TURNS):
            subprocess.run(["/bin/sh", "-c", "true"], check=True)
        plain = (time.perf_counter() - began) / TURNS * 1000
        print(
            f"a command, {sandbox_status()[0]}: {statistics.median(calls) * 1000:.1f} ms; "
            f"a plain shell: {plain:.1f} ms"
        )
        measure_snapshots(workspace)


if __name__ == "__main__":
    main()
