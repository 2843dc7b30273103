"""The history over thousands of runs: until it shows, until all are listed, until words are found.

    python -m benchmarks.history [--runs 1000 5000] [--kilobytes 30] [--times 5] [--quick]

The real app, headless at 120×40, over logs written for the purpose: each a request, a system
prompt of 6 kB and so many kilobytes of answers. Files are read once before (a warm disk). The time
of `opens` runs from the key to a list that has its first rows; the longest pause is how long the
event loop did not answer meanwhile, which is what typing would feel.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.quick import add_quick


def write_runs(project: Path, runs: int, kilobytes: int) -> None:
    from secretary_tui.sessions.run_log import project_runs_dir

    folder = project_runs_dir(project)
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    words = [f"w{number * 7919 % 100_003:05}" for number in range(5_000)]
    pool = " ".join(chance.choices(words, k=200_000))
    for number in range(runs):
        at = chance.randrange(len(pool) - kilobytes * 1000 - 8_000)
        run_id = f"20260101-{number:06}-{number % 65536:04x}"
        started = {
            "type": "run_started",
            "run_id": run_id,
            "agent": f"agent-{number % 17}",
            "agent_path": "/a.md",
            "agent_hash": "0",
            "request": pool[at : at + 80],
            "task": "t",
            "system": pool[at : at + 6_000],
            "engine": "anthropic",
            "model": "claude-sonnet-5-5",
            "tools": ["Read"],
            "permission_mode": "ask",
            "project": str(project),
            "started_at": "2026-01-01T00:00:00+00:00",
        }
        usage = {"input_tokens": 1, "output_tokens": 1}
        finished = {
            "type": "run_finished",
            "outcome": ("done", "failed", "partial", "interrupted")[number % 4],
            "stop_reason": "end_turn",
            "text": "",
            "usage": usage,
            "cost_usd": number % 30 / 100,
            "turns": 1,
            "elapsed_s": 1.0,
        }
        deltas = [
            {"type": "text_delta", "text": pool[at + start : at + start + 1_000]}
            for start in range(0, kilobytes * 1000, 1_000)
        ]
        if number == runs // 2:
            deltas.append({"type": "text_delta", "text": "the one needle"})
        rows = (started, *deltas, finished)
        (folder / f"{run_id}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


async def longest_pause(stop: asyncio.Event) -> float:
    worst = 0.0
    while not stop.is_set():
        before = time.perf_counter()
        await asyncio.sleep(0.002)
        worst = max(worst, time.perf_counter() - before - 0.002)
    return worst


async def until(condition: Callable[[], Any]) -> None:
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.001)


async def measure(project: Path) -> dict[str, float]:
    from textual.widgets import Input

    from secretary_tui.app import AppOptions, SecretaryApp
    from secretary_tui.screens.past.history import HistoryScreen
    from secretary_tui.sessions.query import parse_query
    from secretary_tui.widgets.lists.row_list import RowList

    app = SecretaryApp(AppOptions(project))
    found: dict[str, float] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.screen_stack and app.main.is_whole)
        await pilot.pause(0.5)
        stop = asyncio.Event()
        watching = asyncio.create_task(longest_pause(stop))
        began = time.perf_counter()
        screen = HistoryScreen(project)
        app.push_screen(screen)
        await until(lambda: screen.is_mounted and screen.query(RowList))
        await until(lambda: screen.query_one(RowList)._drawn)
        found["opens"] = time.perf_counter() - began
        await until(lambda: not screen._looking)
        found["all listed"] = time.perf_counter() - began
        for name, line in (
            ("needle", "needle"),
            ("in all", "w"),
            ("in none", "nowhere"),
            ("filter", "outcome:failed cost>0.1"),
        ):
            began = time.perf_counter()
            screen.query_one(Input).value = line
            query = parse_query(line)
            await until(lambda q=query: screen._query == q and not screen._looking)
            found[name] = time.perf_counter() - began
        stop.set()
        found["longest pause"] = await watching
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[1_000, 5_000])
    parser.add_argument("--kilobytes", type=int, default=30)
    parser.add_argument("--times", type=int, default=5)
    add_quick(parser, runs=[300], times=1)
    options = parser.parse_args()
    for runs in options.runs:
        with tempfile.TemporaryDirectory() as home:
            os.environ["HOME"] = home
            for name in ("CONFIG", "DATA", "STATE", "CACHE"):
                os.environ[f"XDG_{name}_HOME"] = str(Path(home) / name.lower())
            from secretary_tui.sessions import ui_state

            project = Path(home) / "project"
            project.mkdir()
            ui_state.remember(onboarded=True)
            write_runs(project, runs, options.kilobytes)
            rounds = [asyncio.run(measure(project)) for _ in range(options.times)]
        print(f"\n{runs:,} runs of {options.kilobytes} kB, ms, median (worst)")
        for name in rounds[0]:
            values = [each[name] * 1000 for each in rounds]
            print(f"  {name:<14} {statistics.median(values):7.0f} ({max(values):.0f})")


if __name__ == "__main__":
    main()
