"""The figures that the README quotes hold on the labelled requests."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LABELS = ROOT / ".." / "shared" / "routing" / "dev.jsonl"


@pytest.mark.skipif(not LABELS.exists(), reason="the labelled requests are not on this machine")
def test_the_local_ranking_is_as_good_as_it_says():
    run = [sys.executable, "-m", "benchmarks.routing"]
    out = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    ours = next(line for line in out.splitlines() if line.strip().startswith("ours"))
    first = float(ours.split("typos")[1].split("%")[0])
    assert first >= 61
    strong = next(line for line in out.splitlines() if line.strip().startswith("above 70"))
    assert int(strong.rsplit(",", 1)[1].split("%")[0]) >= 80
    accepts = next(line for line in out.splitlines() if "recommended (> 70)" in line)
    assert "false accepts 0 of" in accepts
