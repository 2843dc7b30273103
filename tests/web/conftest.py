"""A trusted project with a small library, and a server on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.library import make_ready
from tests.web.served import Served


@pytest.fixture
def project(project: Path) -> Path:
    return make_ready(project)


@pytest.fixture
def served(project: Path) -> Iterator[Served]:
    with Served(project) as server:
        yield server
