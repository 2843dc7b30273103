"""What a model file says about itself, and files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.engines.gguf import GGUFError, ModelInfo, read_model_info
from tests.engines.gguf_file import tiny_gguf


def test_architecture_and_name_are_read_past_other_values(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(tiny_gguf("qwen2", "Qwen2.5 Coder 1.5B Instruct GGUF"))
    info = read_model_info(path)
    assert info == ModelInfo("qwen2", "Qwen2.5 Coder 1.5B Instruct GGUF")
    assert info.calls_tools_in_fences


def test_other_models_keep_their_own_template() -> None:
    assert not ModelInfo("llama", "SmolLM2").calls_tools_in_fences
    assert not ModelInfo("qwen2", "DeepSeek R1 Distill Qwen 1.5B").calls_tools_in_fences


@given(st.integers(0, 150), st.binary(max_size=60))
def test_a_damaged_file_is_a_sentence_and_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, kept: int, tail: bytes
) -> None:
    path = tmp_path_factory.mktemp("gguf") / "m.gguf"
    path.write_bytes(tiny_gguf()[:kept] + tail)
    try:
        read_model_info(path)
    except GGUFError as error:
        assert str(path) in str(error)
