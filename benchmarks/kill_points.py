"""Kill runs with SIGKILL at random points and go on with them: how many are recovered?

    python -m benchmarks.kill_points [--points 60] [--seed 1] [--quick]

A point is around the n-th write or rename that reaches the disk (before it, in the middle of it,
after it) or some moment in time; every fifth continuation is killed, too. What must hold after
each is in `tests/kills/lab.py`; the first point where it doesn't ends this with what was wrong.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from benchmarks.quick import add_quick
from tests.kills.lab import Kill, Lab


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    add_quick(parser, points=5)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    began = time.monotonic()
    killed = recorded = unknown = 0
    with tempfile.TemporaryDirectory() as folder, Lab(Path(folder)) as lab:
        total = lab.count_points()
        print(f"{total} points in one run", flush=True)
        for number in range(1, options.points + 1):
            kill, again = lab.random_point(draw, total)
            try:
                report = lab.try_point(kill, again)
            except AssertionError as error:
                raise SystemExit(f"point {number}, {kill}, then {again}: {error}") from error
            killed += report.killed
            recorded += report.killed and report.recorded
            unknown += report.unknown
            if number % 10 == 0:
                print(f"{number} tried, {killed} killed", flush=True)
        every = lab.try_point(Kill(total + 1_000))
        assert not every.killed
    print(
        f"{options.points} points tried, {killed} runs killed, {recorded} of them had begun and "
        f"were recovered, {killed - recorded} had shown and done nothing yet; "
        f"{unknown} outcomes were unknown and said so; {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
