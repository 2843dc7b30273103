"""What loading the dispatch graph costs those who type: keys while it is imported, and after.

    python -m benchmarks.coordinator [--project DIR] [--runs 5] [--quick]

The program runs in a real pseudo-terminal. The first key begins the import, in a thread; each key
is timed from being sent until its letter is painted. The same keys after everything is loaded are
the control. Also: a request sent at once after the start, before the graph can be there, and the
graph's own cost per step.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.quick import add_quick
from benchmarks.sample_library import project_or_sample
from tests.e2e.terminal import Terminal

LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
"""None of them occurs in an escape sequence or on the screen."""
BACKSPACE = "\x7f"
IMPORT_S = 3.0


def start(home: Path, project: Path) -> Terminal:
    environment = {"HOME": str(home)} | {
        f"XDG_{name}_HOME": str(home / f".{name.lower()}")
        for name in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    state = home / ".state" / "secretary-tui"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    (state / "ui.json").write_text('{"onboarded": true}')
    terminal = Terminal("--offline", "--project", str(project), cwd=home, env=environment)
    terminal.wait_for("routing only")
    return terminal


def key_delays(terminal: Terminal, seconds: float) -> list[float]:
    """Type letters one by one into the empty box; delays in ms."""
    delays = []
    until = time.perf_counter() + seconds
    for letter in itertools.cycle(LETTERS):
        if time.perf_counter() > until:
            return delays
        sent = time.perf_counter()
        terminal.type(letter)
        terminal.wait_for(letter)
        delays.append((time.perf_counter() - sent) * 1000)
        terminal.type(BACKSPACE)
        terminal.wait_until_gone(letter)
    return delays


def report(name: str, delays: Sequence[float]) -> None:
    ordered = sorted(delays)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    middle = statistics.median(ordered)
    print(f"{name:44} median {middle:6.1f}  p99 {p99:6.1f}  worst {ordered[-1]:6.1f} ms")


async def steps(project: Path) -> None:
    """Time the graph's own work, request by request."""
    from secretary_tui import config
    from secretary_tui.people import RouteAction, RouteChoice
    from secretary_tui.secretary import Secretary

    secretary = Secretary(project, config.load(project), offline=True)
    secretary.load()
    secretary.library.warm_up()
    begun = time.perf_counter()
    await secretary.coordinator.begin("review the login for security holes")
    opened = time.perf_counter() - begun
    await secretary.coordinator._settle()
    print(f"the first step {opened * 1000:.0f} ms; the graph is there after "
          f"{(time.perf_counter() - begun) * 1000:.0f} ms")  # fmt: skip
    times = []
    for _ in range(30):
        await secretary.coordinator.begin("review the login for security holes")
        begun = time.perf_counter()
        await secretary.coordinator._settle()
        await secretary.coordinator.choose(RouteChoice(RouteAction.CANCEL))
        times.append((time.perf_counter() - begun) * 1000)
    report("a whole request in the graph, with its file", times)
    await secretary.aclose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, help="a library; a made-up one without it")
    parser.add_argument("--runs", type=int, default=5)
    add_quick(parser, runs=1)
    options = parser.parse_args()
    loading, after, sent_at_once = [], [], []
    with tempfile.TemporaryDirectory() as folder, project_or_sample(options.project) as project:
        home = Path(folder)
        for _ in range(options.runs):
            with start(home, project) as terminal:
                loading += key_delays(terminal, IMPORT_S)
                after += key_delays(terminal, IMPORT_S)
            with start(home, project) as terminal:
                terminal.type("review the login for security holes")
                terminal.wait_for("security holes")
                begun = time.perf_counter()
                terminal.type("\r")
                terminal.wait_for("ranked on this machine")
                sent_at_once.append((time.perf_counter() - begun) * 1000)
        report("a key while the graph is imported", loading)
        report("a key after that", after)
        report("Enter to panel, sent at once after the start", sent_at_once)
        os.environ["HOME"] = str(home)
        asyncio.run(steps(project))


if __name__ == "__main__":
    main()
