"""How many threads write an answer: as many as help on a machine that is as busy as this one."""

from __future__ import annotations

import pytest

from secretary_tui.engines.local.cores import writing_threads

psutil = pytest.importorskip("psutil")


@pytest.mark.parametrize(
    ("cores", "used_percent", "now", "threads"),
    [
        (2, 0, 0, 2),
        (2, 60, 0, 1),
        (2, 60, 2, 1),
        (8, 3, 0, 8),
        (8, 90, 8, 7),
        (2, 15, 1, 1),  # Not quiet enough to pay for a new start.
        (2, 15, 2, 2),
        (2, 5, 1, 2),
        (1, 0, 0, 1),
    ],
)
def test_one_less_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, cores: int, used_percent: float, now: int, threads: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: used_percent)
    assert writing_threads(now) == threads


def test_without_a_look_at_the_machine_one_is_left_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert writing_threads() == 3
