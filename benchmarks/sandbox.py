"""What safety costs: milliseconds for each Bash call behind each kind of wall, and for the parser.

python -m benchmarks.sandbox [CALLS]
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from secretary_tui.delegation.permissions.command_coverage import gaps
from secretary_tui.delegation.permissions.folder_trust import is_trusted, trust
from secretary_tui.delegation.permissions.rules import parse_rules
from secretary_tui.delegation.permissions.shell_grammar import read_script
from secretary_tui.delegation.sandbox.landlock import MIN_ABI, landlock_abi
from secretary_tui.delegation.sandbox.sandbox import sandbox_status
from secretary_tui.delegation.tools import bash

COMMANDS = (
    "git status",
    "git diff --stat HEAD && git log --oneline -5 | head -3",
    "rg -n 'def (main|run)' src | sort -u > /dev/null 2>&1",
    "for f in *.py; do python -m py_compile $f; done",
    "true; " * 51 + "curl x",
)


async def main(calls: int) -> None:
    kinds = ["none", *(["landlock"] if landlock_abi() >= MIN_ABI else [])]
    kinds += ["bubblewrap"] if sandbox_status()[0] == "bubblewrap" else []
    with tempfile.TemporaryDirectory() as name:
        for files in (10, 5000):
            workspace = _project(Path(name) / str(files), files)
            for kind in kinds:
                bash.sandbox_status = lambda kind=kind: (kind, "")  # type: ignore[misc]
                await bash.run_bash("true", workspace)
                times = []
                for _ in range(calls):
                    started = time.perf_counter()
                    await bash.run_bash("true", workspace)
                    times.append((time.perf_counter() - started) * 1000)
                print(f"Bash `true`, {files:5} files, {kind:10} {_spread(times)}")
        began = time.perf_counter()
        read_script("true")
        loading = (time.perf_counter() - began) * 1000
        print(f"shell parser, first call (loads the grammar) {loading:.1f} ms")
        rules = [rule for text in ("Bash(git:*)", "Bash(rg:*)") for rule in parse_rules(text)]
        for command in COMMANDS:

            def look(command: str = command) -> None:
                read_script.cache_clear()
                gaps(command, rules, lambda path, writes: "")

            print(f"rules against {command[:40]!r:45} {_spread(_timed(look))}")
        trust(Path(name))
        print(f"is the folder trusted {_spread(_timed(lambda: is_trusted(Path(name))))}")


def _timed(work: Callable[[], object], rounds: int = 200) -> list[float]:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return times


def _spread(times: list[float]) -> str:
    return f"median {statistics.median(times):7.2f} ms, best {min(times):7.2f} ms"


def _project(folder: Path, files: int) -> Path:
    (folder / ".git").mkdir(parents=True)
    for number in range(files):
        path = folder / "src" / str(number % 50) / f"{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("pass\n")
    return folder


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
