"""A project under version control, without agents."""

from pathlib import Path

import pytest


@pytest.fixture
def project(project: Path) -> Path:
    """`~/shop`, the root of a repository."""
    (project / ".git").mkdir()
    return project
