"""From Enter to the match panel, without a model, in a real terminal (tmux).

    python -m benchmarks.enter_to_panel [--project DIR] [--runs 20] [--quick]

The time runs from sending Enter until the panel's text is on the pane, so it includes tmux and the
polling of this script, about 5 ms. The screen itself names the time the ranking took.
"""

from __future__ import annotations

import argparse
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
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
EMPTY_BOX = r"What should be done\?"
SOCKET = "enter-to-panel"


def tmux(*words: str) -> str:
    command = ["tmux", "-L", SOCKET, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def wait_for(pattern: str, seconds: float = 30) -> float:
    started = time.perf_counter()
    while not re.search(pattern, pane := tmux("capture-pane", "-p")):
        if time.perf_counter() - started > seconds:
            raise SystemExit(f"{pattern!r} never appeared on\n{pane}")
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, help="a library; a made-up one without it")
    parser.add_argument("--runs", type=int, default=20)
    add_quick(parser, runs=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, project_or_sample(options.project) as project:
        state = Path(home) / ".local" / "state" / "secretary-tui"
        state.mkdir(parents=True)
        (state / "ui.json").write_text('{"onboarded": true}')
        command = (
            f"env -u ANTHROPIC_API_KEY HOME={home} {shlex.quote(sys.executable)} -m secretary_tui "
            f"--offline --project {shlex.quote(str(project))}"
        )
        tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", command)
        try:
            wait_for(r"\d+ agents")
            wait_for("routing only")
            wait_for(EMPTY_BOX)
            times, rankings = [], []
            for turn in range(options.runs + 1):
                request = REQUESTS[turn % len(REQUESTS)]
                tmux("send-keys", "-l", request)
                wait_for(re.escape(request[-20:]))
                tmux("send-keys", "Enter")
                times.append(wait_for(r"ranked on this machine in \d+ ms") * 1000)
                found = re.search(r"in (\d+) ms", tmux("capture-pane", "-p"))
                rankings.append(int(found[1]) if found else 0)
                time.sleep(0.7)  # Keys that come at once are not for the panel.
                tmux("send-keys", "Escape")
                wait_for(re.escape(request[-20:]) + r"\s*│\n╰")  # It is in the box again.
                tmux("send-keys", "C-c")
                wait_for(EMPTY_BOX)
        finally:
            tmux("kill-server")
    times, rankings = times[1:], rankings[1:]
    print(f"Enter → panel: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")
    print(f"of which ranking: median {statistics.median(rankings)} ms, worst {max(rankings)} ms")


if __name__ == "__main__":
    main()
