"""A run killed at any point is in the history, goes on, and repeats nothing that was finished.

`python -m benchmarks.kill_points` tries many more points.
"""

from __future__ import annotations

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
    draw = random.Random()
    points = [*HARD, lab.random_point(draw, 40)]
    with lab:
        for kill, again in points:
            try:
                lab.try_point(kill, again)
            except AssertionError as error:
                raise AssertionError(f"{kill}, then {again}: {error}") from error
