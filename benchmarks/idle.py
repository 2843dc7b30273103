"""What the app costs while nobody does anything: CPU, wake-ups, memory; and how fast `--help` is.

    python -m benchmarks.idle [--seconds 60] [--agents 200] [--quick]

A library of agents is made in a temporary project, the app is started in a pseudo-terminal at
120x40 with its watcher on, and left alone. CPU is that of the process over the time; wake-ups are
its voluntary context switches a second, over all threads.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from benchmarks.first_paint import resident_mb
from benchmarks.quick import add_quick
from benchmarks.sample_library import write_project

SETTLE_S = 6
"""Seconds until the index, the engine and the first look at the files are through."""


def make_project(folder: Path, agents: int) -> Path:
    home = folder / "home"
    state = home / ".local" / "state" / "secretary-tui"
    state.mkdir(parents=True)
    (state / "ui.json").write_text('{"onboarded": true}')
    write_project(folder / "project", agents)
    return home


def start(home: Path, project: Path) -> tuple[int, int]:
    """Start the app in a terminal of its own; gives its process id and the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "PYTHONDONTWRITEBYTECODE"):
            os.environ.pop(name, None)
        os.environ.update(HOME=str(home), TERM="xterm-256color", COLORTERM="truecolor")
        os.chdir(project)
        os.execv(sys.executable, [sys.executable, "-m", "secretary_tui"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    return pid, terminal


def read_for(terminal: int, seconds: float) -> int:
    """Read what it paints, as a terminal does; gives the bytes."""
    until, read = time.monotonic() + seconds, 0
    while (left := until - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                read += len(os.read(terminal, 65536))
            except OSError:  # It has ended.
                break
    return read


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wakeups(pid: int) -> dict[str, int]:
    """Voluntary context switches of each thread, by its number and name."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        lines = (task / "status").read_text().splitlines()
        switches = next(line for line in lines if line.startswith("voluntary_ctxt"))
        found[f"{task.name} {(task / 'comm').read_text().strip()}"] = int(switches.split()[1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--agents", type=int, default=200)
    add_quick(parser, seconds=10.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = make_project(Path(folder), options.agents)
        pid, terminal = start(home, Path(folder) / "project")
        read_for(terminal, SETTLE_S)
        cpu, before = cpu_s(pid), wakeups(pid)
        painted = read_for(terminal, options.seconds)
        cpu, after = cpu_s(pid) - cpu, wakeups(pid)
        memory = resident_mb(pid)
        os.write(terminal, b"\x11")
        read_for(terminal, 1)
        os.close(terminal)
        os.waitpid(pid, 0)
    print(
        f"{options.agents} agents, {options.seconds:.0f} s idle: {cpu / options.seconds:.2%} of a "
        f"core, {memory:.1f} MB resident, {painted / options.seconds:.0f} bytes painted a second"
    )
    for name in sorted(after, key=lambda each: before.get(each, 0) - after[each]):
        rate = (after[name] - before.get(name, 0)) / options.seconds
        if rate >= 0.05:
            print(f"  {rate:6.1f} wake-ups a second  thread {name}")
    times = []
    for _ in range(11):
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "secretary_tui", "--help"], stdout=subprocess.DEVNULL, check=True
        )
        times.append((time.perf_counter() - began) * 1000)
    print(f"--help: median {statistics.median(times):.0f} ms, least {min(times):.0f} ms")


if __name__ == "__main__":
    main()
