"""The project and the server of the screens' tests, for the pictures of them too."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace

import pytest

from tests.screens.conftest import project, quick, serve

__all__ = ["project", "quick", "serve", "steady_time"]

_CLOCKS = {"routing.recommend.recommender": (0.0,), "routing.recommend.model_stage": (0.0, 0.84)}
"""What each module's clock says in turn, in seconds: an answer of a model takes 840 ms."""


@pytest.fixture
def steady_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One time zone, and rankings that always take as long."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    request.addfinalizer(time.tzset)
    for module, seconds in _CLOCKS.items():
        clock = SimpleNamespace(perf_counter=itertools.cycle(seconds).__next__)
        monkeypatch.setattr(f"secretary_tui.{module}.time", clock)
