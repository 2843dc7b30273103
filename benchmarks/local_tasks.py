"""What the local model can do and how long it takes: small tasks, each judged by a program.

    python -m benchmarks.local_tasks [--tasks FOLDER] [--only ID,…] [--limit N] [--quick]
        [--model-file FILE] [--product DIR] [--cold] [--restart] [--json FILE]

Each task runs as `secretary-tui run` in a repository of its own, with a home folder that holds no
settings and no key. The home is the same for all tasks (what the program keeps from run to run is
there), with `--cold` it is new for each. Times run from the start of the process: the first line
out, the first word (of an edit, the first tool's start, if that is sooner; the end, if none ever
came), the end. Memory is the highest sum of resident memory of the process and its children, looked
at four times a second (Linux). `--product` measures another checkout, by its own `.venv`;
`--restart` runs the first task of three agents again at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

from benchmarks.quick import add_quick
from benchmarks.task_set import (
    NOT_FOUND,
    Task,
    add_task_options,
    chosen_tasks,
    clean_environ,
    command,
)
from secretary_tui.config import load
from secretary_tui.engines.local.weights import resolve_local_model

LIMIT_S = 240
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)
_TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens")


@dataclass(slots=True)
class Row:
    """How one task went; times in seconds from the start of the process."""

    id: str
    kind: str
    sign_s: float = 0.0
    first_s: float = 0.0
    end_s: float = 0.0
    memory_mb: float = 0.0
    prompt_tokens: int = 0
    output_tokens: int = 0
    turns: int = 0
    outcome: str = "no end"
    answer: str = ""
    faults: tuple[str, ...] = ()

    def take(self, event: dict[str, Any], at: float, *, is_edit: bool) -> None:
        """Count an event of the run that came so many seconds after its start."""
        match event["type"]:
            case "text_delta" if event["text"].strip():
                self.first_s = self.first_s or at
            case "tool_started" if is_edit:
                self.first_s = self.first_s or at
            case "turn_discarded":
                self.first_s = 0.0
            case "usage_added":
                self.prompt_tokens += sum(event["usage"][key] for key in _TOKENS)
                self.output_tokens += event["usage"]["output_tokens"]
            case "turn_started":
                self.turns += 1
            case "run_finished":
                self.outcome, self.answer = event["outcome"], event["text"]
            case "run_failed":
                self.outcome = f"failed: {event['error']}"

    def __str__(self) -> str:
        verdict = "right" if not self.faults else f"WRONG {'; '.join(self.faults)[:160]}"
        return (
            f"{self.id:<20} sign {self.sign_s:4.1f}  first {self.first_s:5.1f}  "
            f"end {self.end_s:5.1f} s  {self.prompt_tokens:5} + {self.output_tokens:4} tokens  "
            f"{self.turns} turns  {self.memory_mb:5.0f} MB  {verdict}"
        )


class MemoryWatch(threading.Thread):
    """Looks at the memory of a process and its children until it is stopped."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._stopped = threading.Event()
        self._peak_mb = 0.0
        self.start()

    def run(self) -> None:
        while not self._stopped.wait(0.25):
            self._peak_mb = max(self._peak_mb, sum(map(_resident_mb, _family(self._pid))))

    def stop(self) -> float:
        """Stop, and give the most there was."""
        self._stopped.set()
        self.join()
        return self._peak_mb


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for member in found:  # It grows while it is walked.
        found += [child for child, parent in parents.items() if parent == member]
    return found


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_MB
    except OSError:
        return 0.0


def run_task(task: Task, options: argparse.Namespace, home: Path) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        root = task.lay_out(options.tasks, Path(folder))
        if options.cold:
            home = Path(folder)
        environ = clean_environ(home, SECRETARY_TUI_LOCAL_MODEL=str(options.model_file))
        words = ["timeout", "-k", "5", str(LIMIT_S), *command(options.product, task, "local")]
        row = Row(task.id, task.kind)
        began = time.perf_counter()
        with subprocess.Popen(
            words, cwd=root, env=environ, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
        ) as process:
            memory = MemoryWatch(process.pid)
            for line in process.stdout or ():
                at = time.perf_counter() - began
                row.sign_s = row.sign_s or at
                with contextlib.suppress(ValueError):  # The last line of a killed process.
                    row.take(json.loads(line), at, is_edit=task.changes_files)
        row.end_s, row.memory_mb = time.perf_counter() - began, memory.stop()
        row.sign_s, row.first_s = row.sign_s or row.end_s, row.first_s or row.end_s
        failed = [] if row.outcome in ("done", "partial") else [row.outcome]
        row.faults = (*failed, *task.faults(root, row.answer))
    print(row, flush=True)
    return row


def print_table(rows: list[Row]) -> None:
    print()
    for kind in dict.fromkeys(row.kind for row in rows):
        print(f"{kind:<16} {_right(row for row in rows if row.kind == kind)}")
    print(f"{'all':<16} {_right(rows)}")
    lost = sum(f"has {NOT_FOUND}" in row.faults for row in rows)
    print(f"{'could not find':<16} {lost}")
    for name, times in (
        ("sign of life", [row.sign_s for row in rows]),
        ("first word", [row.first_s for row in rows]),
        ("end", [row.end_s for row in rows]),
    ):
        print(f"{name:<16} median {statistics.median(times):.1f} s, worst {max(times):.1f} s")
    tokens = [row.prompt_tokens for row in rows]
    print(f"{'prompt':<16} median {statistics.median(tokens):.0f} tokens, most {max(tokens)}")
    print(f"{'memory':<16} {max(row.memory_mb for row in rows):.0f} MB at most")


def _right(rows: Iterable[Row]) -> str:
    verdicts = [not row.faults for row in rows]
    return f"{sum(verdicts)} of {len(verdicts)} right"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_task_options(parser)
    parser.add_argument("--product", type=Path, metavar="DIR", help="another checkout")
    parser.add_argument("--model-file", type=Path, help="by default that of the settings")
    parser.add_argument("--cold", action="store_true", help="a new home for each task")
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all rows, with the answers")
    add_quick(parser, limit=3)
    options = parser.parse_args()
    options.model_file = options.model_file or resolve_local_model(load(Path.cwd()))
    if options.model_file is None:
        parser.error("there is no local model: name one with --model-file")
    options.model_file = options.model_file.resolve()
    tasks = chosen_tasks(options)
    with tempfile.TemporaryDirectory() as home:
        rows = [run_task(task, options, Path(home)) for task in tasks]
        print_table(rows)
        if options.restart:
            print("\nsecond run of an agent after a restart")
            first = {task.agent: task for task in reversed(tasks)}
            rows += [run_task(task, options, Path(home)) for task in list(first.values())[-3:]]
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")


if __name__ == "__main__":
    main()
