"""Fixtures that every test shares: a home of its own, so that nothing of the user's is touched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

SHARED = Path(__file__).resolve().parents[2] / "shared"
LONGEST_NAME = 200
"""Characters of a value that names a test."""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a test by its argument where the value is long.

    The name goes to every child process in a variable, which Linux refuses from 128 KiB on.
    """
    return argname if isinstance(val, str | bytes) and len(val) > LONGEST_NAME else None


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A clean home with clean XDG folders, no key and a usual terminal, for each test."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / f".{name.lower()}"))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("NO_COLOR", "COLORFGBG", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "xterm-256color")
    yield folder


@pytest.fixture
def project(home: Path) -> Path:
    """`~/shop`, an empty folder; what a room's tests need in it, its `conftest` adds."""
    folder = home / "shop"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The public collections of agent files, where they lie beside the project."""
    folder = SHARED / "corpora"
    if not folder.is_dir():
        pytest.skip("the collections of agent files (../shared/corpora) are not here")
    return folder
