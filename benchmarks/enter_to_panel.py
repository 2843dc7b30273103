"""From Enter to the match panel, without a model, in a real terminal (tmux).

    python -m benchmarks.enter_to_panel [--project DIR] [--agents 0 200] [--sittings 5] [--quick]
        [--typing 0] [--python COMMAND]

Each sitting starts the program and, as soon as the agents are there, sends a request and Enter
without a pause between them: nobody is quicker. Then follow four more requests, and one right
after a file was added to the library. In the first turn of two, the caches are those of a machine
that never ran the program; in the second, those that the first left. The time runs from sending
Enter until the panel's text is on the pane, so it includes tmux and the polling of this script,
about 5 ms. `--typing` waits so many seconds between the first letter and Enter; `--agents` are
those of the made-up library, beside the ten bundled ones.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.quick import add_quick
from benchmarks.sample_library import project_or_sample

REQUESTS = (
    "review the auth module for security holes",
    "why does the checkout page take ten seconds",
    "write unit tests for the parser",
    "design a schema for orders and invoices",
    "deploy the service to kubernetes",
)
ADDED = """---
name: shoe-fitter
description: Chooses shoes for runners by gait, distance and ground
---
You choose shoes.
"""
EMPTY_BOX = r"What should be done\?"
PANEL = r"ranked on this machine in \d+ ms"
_NUMBERS = itertools.count()


class Sitting:
    """The program in a pane, from its start to its end."""

    def __init__(self, python: str, home: Path, project: Path) -> None:
        # One of its own: a killed server lingers.
        self._socket = f"enter-to-panel-{os.getpid()}-{next(_NUMBERS)}"
        self._folder = project / ".claude" / "agents"
        self._command = (
            f"env -u ANTHROPIC_API_KEY -u XDG_STATE_HOME -u XDG_CACHE_HOME -u XDG_CONFIG_HOME "
            f"HOME={home} {python} -m secretary_tui --offline --project {shlex.quote(str(project))}"
        )

    def times(self, typing_s: float) -> dict[str, list[float]]:
        """Milliseconds of the first request, of those after it, and after the library changed."""
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", self._command)
        try:
            self._wait_for("routing only")
            agents = int(re.findall(r"(\d+) agents", self._pane)[-1])
            self._wait_for(EMPTY_BOX)
            first, *others = REQUESTS
            first_time = self._ask(first, typing_s)
            found = {"first": [first_time], "later": [self._ask(each) for each in others]}
            self._folder.mkdir(parents=True, exist_ok=True)
            added = self._folder / "shoe-fitter.md"
            added.write_text(ADDED)
            self._wait_for(rf"{agents + 1} agents")
            found["after a change"] = [self._ask(first)]
            added.unlink()
            return found
        finally:
            self._tmux("kill-server")

    def _ask(self, request: str, typing_s: float = 0) -> float:
        """Milliseconds from Enter to the panel of a request; leaves the box empty again."""
        self._tmux("send-keys", "-l", request[:1])
        time.sleep(typing_s)
        self._tmux("send-keys", "-l", request[1:])
        self._wait_for(re.escape(request[-20:]))
        self._tmux("send-keys", "Enter")
        took = self._wait_for(PANEL)
        time.sleep(0.7)  # Keys that come at once are not for the panel.
        self._tmux("send-keys", "Escape")
        self._wait_for(re.escape(request[-20:]) + r"\s*│\n╰")  # It is in the box again.
        self._tmux("send-keys", "C-c")
        self._wait_for(EMPTY_BOX)
        return took

    def _wait_for(self, pattern: str, seconds: float = 30) -> float:
        """Milliseconds until a pattern is on the pane."""
        started = time.perf_counter()
        while not re.search(pattern, pane := self._pane):
            if time.perf_counter() - started > seconds:
                raise SystemExit(f"{pattern!r} never appeared on\n{pane}")
            time.sleep(0.003)  # The rest of the machine is the program's.
        return (time.perf_counter() - started) * 1000

    @property
    def _pane(self) -> str:
        return self._tmux("capture-pane", "-p")

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-L", self._socket, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, help="a library; made-up ones without it")
    parser.add_argument("--agents", type=int, nargs="+", default=[0, 200])
    parser.add_argument("--sittings", type=int, default=5)
    parser.add_argument("--typing", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--python", default=shlex.quote(sys.executable), help="that of a checkout")
    add_quick(parser, sittings=1)
    options = parser.parse_args()
    # A program that may not keep its bytecode compiles itself at every start; nobody's does.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for size in options.agents:
        found: dict[tuple[str, str], list[float]] = defaultdict(list)
        with project_or_sample(options.project, size) as project:
            for _ in range(options.sittings):
                with tempfile.TemporaryDirectory() as home:
                    state = Path(home) / ".local" / "state" / "secretary-tui"
                    state.mkdir(parents=True)
                    (state / "ui.json").write_text('{"onboarded": true}')
                    for cache in ("cold", "warm"):
                        sitting = Sitting(options.python, Path(home), project)
                        for kind, times in sitting.times(options.typing).items():
                            found[kind, cache if kind == "first" else ""] += times
        print(f"{options.project or f'{size} made-up agents and the bundled ones'}")
        for (kind, cache), times in found.items():
            name = f"{kind} request, {cache} cache" if cache else f"{kind}"
            middle = statistics.median(times)
            late = sorted(times)[max(0, round(0.95 * len(times)) - 1)]
            print(f"  {name:<28} p50 {middle:5.0f} ms   p95 {late:5.0f} ms   ({len(times)})")


if __name__ == "__main__":
    main()
