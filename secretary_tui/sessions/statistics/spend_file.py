"""What was spent, by whom and when: one small file for all projects, which only grows.

A line for each answer of a model that was paid for, of runs and of routing alike. The logs of the
runs stay the truth about each run; this is what makes a day's total cheap to show. Like drafts, it
is not worth a failure: a folder that can't be written costs the memory, not the run.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.sessions.store import RunSummary
from secretary_tui.spend import Spend

MAX_BYTES = 4_000_000
"""A longer file is put aside as `spent.1.jsonl`, in the place of the one before."""
_BLOCK = 64 * 1024


def note_spent(
    kind: str,
    project: Path,
    tokens: int,
    cost_usd: float | None,
    *,
    run_id: str = "",
    agent: str = "",
    model: str = "",
) -> None:
    """Write down one paid answer; `kind` is run or routing."""
    row = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "kind": kind,
        "project": str(project),
        "run": run_id,
        "agent": agent,
        "model": model,
        "tokens": tokens,
        "cost_usd": cost_usd,
    }
    path = _file()
    with contextlib.suppress(OSError):
        paths.make_private_folder(path.parent)
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_size > MAX_BYTES:
                path.replace(_old_file())
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, json.dumps(row).encode() + b"\n")
        finally:
            os.close(handle)


def spent_today(now: datetime | None = None) -> Spend:
    """Add up what was spent since midnight, local time."""
    now = now or datetime.now().astimezone()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    total = Spend()
    for row in _newest_first(_file()):
        at = _time(row)
        if at is None:
            continue
        if at < midnight:
            break
        total += Spend.of(_price(row), other_tokens=_tokens(row))
    return total


def with_whole_costs(runs: Iterable[RunSummary]) -> tuple[RunSummary, ...]:
    """Give the runs with what all their continuations cost, where that is known.

    The end of a log, which a list reads, knows the last continuation only.
    """
    costs = whole_costs()
    return tuple(with_whole_cost(run, costs) for run in runs)


def with_whole_cost(run: RunSummary, costs: Mapping[str, float]) -> RunSummary:
    """Give one run with what all its continuations cost (`whole_costs`)."""
    if run.id not in costs:
        return run
    return replace(run, cost_usd=max(costs[run.id], run.cost_usd or 0.0))


def whole_costs() -> Mapping[str, float]:
    """What each run has cost in US dollars, by its id, as far as that was written down."""
    costs: dict[str, float] = {}
    for row in (*_newest_first(_old_file()), *_newest_first(_file())):
        run_id, price = str(row.get("run") or ""), _price(row)
        if run_id and price is not None:
            costs[run_id] = costs.get(run_id, 0.0) + price
    return costs


def _newest_first(path: Path) -> Iterator[Mapping[str, Any]]:
    """Read backwards, a block at a time; damaged lines are left out."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        at, rest = file.seek(0, os.SEEK_END), b""
        while at > 0:
            start = max(0, at - _BLOCK)
            file.seek(start)
            first, *lines = (file.read(at - start) + rest).split(b"\n")
            rest, at = first, start
            for line in reversed(lines):
                yield from _parsed(line)
        yield from _parsed(rest)


def _parsed(line: bytes) -> Iterator[Mapping[str, Any]]:
    with contextlib.suppress(ValueError, RecursionError):
        row = json.loads(line)
        if isinstance(row, dict):
            yield row


def _time(row: Mapping[str, Any]) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(row.get("at")))
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def _tokens(row: Mapping[str, Any]) -> int:
    tokens = row.get("tokens")
    return tokens if isinstance(tokens, int) and tokens >= 0 else 0


def _price(row: Mapping[str, Any]) -> float | None:
    price = row.get("cost_usd")
    if isinstance(price, int | float) and math.isfinite(price) and price >= 0:
        return float(price)
    return None


def _file() -> Path:
    return paths.state_dir() / "spent.jsonl"


def _old_file() -> Path:
    return paths.state_dir() / "spent.1.jsonl"
