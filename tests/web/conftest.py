"""A trusted project with a small library, and a server on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from secretary_tui import paths
from secretary_tui.delegation.permissions.folder_trust import trust
from tests.library import make_library
from tests.web.served import Served


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    make_library(folder)
    trust(folder)
    state = paths.state_dir() / "ui.json"
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(json.dumps({"onboarded": True}))
    return folder


@pytest.fixture
def served(project: Path) -> Iterator[Served]:
    with Served(project) as server:
        yield server
