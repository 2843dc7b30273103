"""Fixtures of this room."""

from pathlib import Path

import pytest

from secretary_tui.delegation.permissions.folder_trust import trust
from secretary_tui.sessions import ui_state
from tests.library import make_library
from tests.models import smollm2

__all__ = ["project", "smollm2"]


@pytest.fixture
def project(home: Path) -> Path:
    """A small trusted library; the set-up screen was seen."""
    folder = home / "shop"
    folder.mkdir()
    make_library(folder)
    trust(folder)
    ui_state.remember(onboarded=True)
    return folder
