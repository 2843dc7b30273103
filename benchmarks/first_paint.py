"""First paint and memory after start, beside a minimal Textual app, in tmux, in one run.

    python -m benchmarks.first_paint [--project DIR] [--runs 10] [--size 120x40] [--quick]
        [--peer NAME COMMAND MARK]...

The time runs from starting the process in a fresh tmux pane to its text being on the pane. The
minimal app is a Header, an Input and a Footer; the ratio is the median of the turns' ratios, since
what slows the machine down slows both runs of a turn. Needs tmux; nothing else. A `--peer` is
another program that takes part in each turn, with a pattern that its first screen holds, such as
`--peer posting posting Collection`.
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
from pathlib import Path

from benchmarks.quick import add_quick
from benchmarks.sample_library import project_or_sample

_NUMBERS = itertools.count()
MINIMAL = """
from textual.app import App
from textual.widgets import Footer, Header, Input

class Minimal(App):
    BINDINGS = [("q", "quit", "Quit")]
    def compose(self):
        yield Header()
        yield Input(placeholder="ready to type")
        yield Footer()

Minimal().run()
"""


def tmux(socket: str, *words: str) -> str:
    done = subprocess.run(
        ["tmux", "-L", socket, *words], capture_output=True, text=True, check=False
    )
    return done.stdout


def resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def measure(
    command: str, marks: list[str], size: str, settle_s: float
) -> tuple[list[float], float]:
    """Milliseconds until each mark is on the screen, and resident MB after `settle_s`."""
    width, height = size.split("x")
    socket = f"first-paint-{os.getpid()}-{next(_NUMBERS)}"  # A killed server lingers on its own.
    tmux(socket, "-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, "sleep 60")
    started = time.perf_counter()
    tmux(socket, "respawn-pane", "-k", f"exec {command}")
    times: list[float] = []
    try:
        while len(times) < len(marks):
            if re.search(marks[len(times)], tmux(socket, "capture-pane", "-p")):
                times.append((time.perf_counter() - started) * 1000)
            elif time.perf_counter() - started > 30:
                raise SystemExit(f"{command} never showed {marks[len(times)]!r}")
        time.sleep(settle_s)
        pid = int(tmux(socket, "display-message", "-p", "#{pane_pid}"))
        return times, resident_mb(pid)
    finally:
        tmux(socket, "kill-server")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, help="a library; a made-up one without it")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--size", default="120x40")
    add_quick(parser, runs=2)
    parser.add_argument("--peer", nargs=3, action="append", default=[], metavar="WORD")
    options = parser.parse_args()
    # A program that may not keep its bytecode compiles itself at every start; nobody's does.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    python = shlex.quote(sys.executable)
    with tempfile.TemporaryDirectory() as folder, project_or_sample(options.project) as project:
        minimal = Path(folder) / "minimal.py"
        minimal.write_text(MINIMAL)
        home = Path(folder) / "home"
        state = home / ".local" / "state" / "secretary-tui"
        state.mkdir(parents=True)
        (state / "ui.json").write_text('{"onboarded": true}')
        ours = (
            f"env -u XDG_STATE_HOME -u XDG_CONFIG_HOME HOME={home} {python} -m secretary_tui "
            f"--project {shlex.quote(str(project))}"
        )
        peers = {
            "minimal Textual app": (f"{python} {minimal}", ["ready to type"]),
            "secretary-tui": (ours, ["What should be done", r"\d agents"]),
        }
        peers |= {name: (command, [mark]) for name, command, mark in options.peer}
        results: dict[str, list[tuple[list[float], float]]] = {name: [] for name in peers}
        for turn in range(options.runs + 1):
            for name, (command, marks) in peers.items():
                result = measure(command, marks, options.size, settle_s=1.5)
                if turn:  # The first turn warms the disk cache.
                    results[name].append(result)
    print(f"{options.size}, median of {options.runs}")
    for name, found in results.items():
        first = statistics.median(times[0] for times, _ in found)
        memory = statistics.median(memory for _, memory in found)
        print(f"{name:<22} first paint {first:6.0f} ms   resident {memory:5.1f} MB")
    ratio = statistics.median(
        ours[0] / base[0]
        for (base, _), (ours, _) in zip(
            results["minimal Textual app"], results["secretary-tui"], strict=True
        )
    )
    index = statistics.median(times[1] for times, _ in results["secretary-tui"])
    print(f"ratio {ratio:.2f}; the index was complete after {index:.0f} ms")


if __name__ == "__main__":
    main()
