"""A run killed at any point is in the history, goes on, and repeats nothing that was finished.

A point of the run is drawn anew each time, and its seed printed; `SECRETARY_TUI_TEST_SEED` repeats
one. `python -m benchmarks.kill_points` tries many more points.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.kills.lab import Kill, Lab

HARD = [(Kill(20, "half"), None), (Kill(13, "after"), Kill(17, "before"))]
"""In the middle of a command and its log; right after an edit, and again while it goes on."""


@pytest.fixture
def lab(home: Path) -> Lab:
    return Lab(home)


def test_a_killed_run_goes_on_and_does_each_thing_once(lab: Lab) -> None:
    seed = int(os.environ.get("SECRETARY_TUI_TEST_SEED") or random.randrange(1 << 32))
    print(f"SECRETARY_TUI_TEST_SEED={seed}")
    points = [*HARD, lab.random_point(random.Random(seed), 40)]
    with lab:
        for kill, again in points:
            try:
                lab.try_point(kill, again)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {kill}, then {again}: {error}") from error
