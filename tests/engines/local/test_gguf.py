"""What a model file says about itself, and files that are none."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.engines.local.gguf import GGUFError, ModelInfo, check_whole, read_model_info
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


@pytest.mark.parametrize("look", [read_model_info, check_whole])
def test_a_file_that_is_cut_anywhere_is_refused(
    tmp_path: Path, look: Callable[[Path], object]
) -> None:
    path = tmp_path / "m.gguf"
    for kept in range(len(tiny_gguf())):
        path.write_bytes(tiny_gguf()[:kept])
        with pytest.raises(GGUFError, match=re.escape(f"{path} is ")):
            look(path)


@given(st.integers(0, 150), st.binary(max_size=60))
def test_a_damaged_file_is_a_sentence_or_says_what_stands_in_it(
    tmp_path_factory: pytest.TempPathFactory, kept: int, tail: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "m.gguf"
    data = tiny_gguf()[:kept] + tail
    path.write_bytes(data)
    try:
        info = read_model_info(path)
    except GGUFError as error:
        assert str(error).startswith(f"{path} is ")
    else:
        assert info.architecture.encode() in data
        assert info.name.encode() in data


@pytest.mark.parametrize(
    "damage",
    [
        struct.pack("<Q", 2**64 - 1),
        struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, 12, 2**64 - 1),
        struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, 8, 2**64 - 1),
    ],
    ids=["text", "numbers", "texts"],
)
def test_lengths_that_no_file_has_are_a_sentence(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 2**63, 2**63) + damage)
    for look in (read_model_info, check_whole):
        with pytest.raises(GGUFError, match="damaged"):
            look(path)


def test_a_download_that_was_cut_off_is_no_whole_model(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    head = bytearray(tiny_gguf())
    head[8:16] = struct.pack("<Q", 2)
    tensors = b"".join(
        struct.pack("<Q", 1) + name + struct.pack("<IQQIQ", 2, 4, 4, 0, offset)
        for name, offset in ((b"a", 0), (b"b", 64_000_000))
    )
    path.write_bytes(bytes(head) + tensors + bytes(1000))
    with pytest.raises(GGUFError, match="only the beginning of a model: 0 of at least 64 MB"):
        check_whole(path)
    os.truncate(path, 64_100_000)
    check_whole(path)
