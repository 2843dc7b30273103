"""The benchmarks run in a plain clone: on a library that is made up where none is named."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.sample_library import write_collections, write_project
from secretary_tui.registry.agent_index import AgentStatus, LiveIndex

ROOT = Path(__file__).resolve().parents[1]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_names_modules_that_are_there(name: str) -> None:
    assert import_module(f"benchmarks.{name}").__doc__


def test_a_seed_makes_the_same_library_again(tmp_path: Path) -> None:
    def texts(folder: str) -> list[bytes]:
        made = write_project(tmp_path / folder, 30)
        return [path.read_bytes() for path in sorted(made.rglob("*.md"))]

    assert texts("one") == texts("two")
    assert len(set(texts("one"))) == 30


def test_every_agent_of_a_large_library_is_valid_and_has_a_name_of_its_own(tmp_path: Path) -> None:
    index = LiveIndex(write_project(tmp_path, 2_500), bundled=False).snapshot
    assert {entry.status for entry in index.entries} == {AgentStatus.ACTIVE}
    assert len({entry.id for entry in index.entries}) == 2_500
    assert index.problems == ()


def test_the_collections_hold_what_is_in_bad_order_too(tmp_path: Path) -> None:
    corpora = write_collections(tmp_path)
    index = LiveIndex(corpora / "rough", bundled=False).snapshot
    assert 0 < len(index.active) < 64
    assert index.problems


@pytest.mark.parametrize("name", ["corpora", "routing"])
def test_one_runs_without_an_argument(name: str) -> None:
    run = [sys.executable, "-m", f"benchmarks.{name}"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "made-up" in done.stdout
