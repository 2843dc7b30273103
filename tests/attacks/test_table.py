"""The table of attacks in the documentation names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_each_test_that_the_table_names_exists_and_each_row_here_is_in_it() -> None:
    page = (ROOT / "docs" / "security.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    tests = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    written = {name for text in tests for name in re.findall(r"def (test_\w+)\(", text)}
    assert named <= written, named - written
    rows = {name for name in written if re.match(r"test_rows?_\d+_", name)}
    assert rows <= named, rows - named
