"""What is said when the child process that serves the embedded model can't do it."""

from __future__ import annotations

from pathlib import Path

import pytest

from secretary_tui.engines.base import EngineError
from secretary_tui.engines.local.local_process import LocalProcess
from tests.engines.gguf_file import tiny_gguf


async def test_a_model_that_cannot_be_loaded_is_said_in_whole_sentences(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(tiny_gguf())  # Without a single tensor.
    with pytest.raises(EngineError, match=r"^The local model can't be loaded: .*[^.]\.$"):
        await LocalProcess.start(path, "tiny", threads=1, prompts=tmp_path)
