"""Fixtures of this room."""

from pathlib import Path

import pytest

from tests.library import make_ready
from tests.models import smollm2

__all__ = ["project", "smollm2"]


@pytest.fixture
def project(project: Path) -> Path:
    """A small trusted library; the set-up screen was seen."""
    return make_ready(project)
