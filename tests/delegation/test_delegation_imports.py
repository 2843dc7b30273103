"""Importing the room is cheap: the SDK is loaded by a run, not by a start."""

from __future__ import annotations

import subprocess
import sys


def test_the_sdk_is_not_imported_with_the_room() -> None:
    code = (
        "import sys, secretary_tui.delegation.run_delegation\n"
        "import secretary_tui.delegation.sandbox.sandbox\n"
        "print([m for m in ('anthropic', 'pydantic', 'numpy', 'genai_prices') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
