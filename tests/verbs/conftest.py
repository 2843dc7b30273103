"""A project with a small library."""

from pathlib import Path

import pytest

from tests.verbs.command_line import write_library


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return write_library(folder)
