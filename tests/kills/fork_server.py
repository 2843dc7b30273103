"""Runs the command line in children of a warm process, and can kill one at an exact point.

A line of JSON on standard input starts a child: `{"args": [...], "cwd": "...", "env": {...},
"out": "FILE", "kill": {"at": 7, "when": "before" | "half" | "after"} | null}`. A line comes back
when it has ended: `{"status": 0}`, negative for a signal. `at` counts what reaches the disk: writes
to files of the state folder and of the project, and renames.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
from importlib import import_module
from typing import Any

WARM = (
    "delegation.tools.toolbox",
    "delegation.loop.model_call",
    "verbs.run",
    "verbs.sessions.sessions_verb",
)
"""What every run would import for a second, the SDK among it."""


def main() -> None:
    for name in WARM:
        import_module(f"secretary_tui.{name}")
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(order)
        print(json.dumps({"pid": child}), flush=True)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status)}), flush=True)


def _run(order: dict[str, Any]) -> None:
    os.chdir(order["cwd"])
    os.environ.update(order["env"])
    handle = os.open(order["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(handle, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(order["out"] + ".err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    if order["kill"]:
        _kill_at(**order["kill"])
    from secretary_tui.cli import main as command_line

    os._exit(command_line(order["args"]))


def _kill_at(at: int, when: str) -> None:
    """End this process with SIGKILL around the `at`-th thing that reaches the disk."""
    write, replace = os.write, os.replace
    seen = 0

    def is_it() -> bool:
        nonlocal seen
        seen += 1
        return seen == at

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def counted_write(handle: int, data: Any) -> int:
        if not stat.S_ISREG(os.fstat(handle).st_mode) or not is_it():
            return write(handle, data)
        if when == "half":
            write(handle, bytes(data)[: len(data) // 2])
        if when == "after":
            write(handle, data)
        die()
        return 0

    def counted_replace(source: Any, target: Any, **folders: Any) -> None:
        hit = is_it()
        if hit and when != "after":
            die()
        replace(source, target, **folders)
        if hit:
            die()

    os.write = counted_write  # type: ignore[assignment]
    os.replace = counted_replace  # type: ignore[assignment]


if __name__ == "__main__":
    main()
