"""A trusted project with a small library."""

from pathlib import Path

import pytest

from secretary_tui.delegation.permissions.folder_trust import trust
from tests.verbs.command_line import write_library


@pytest.fixture
def project(project: Path) -> Path:
    trust(project)
    return write_library(project)
