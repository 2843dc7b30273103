"""Tensors out of a file, and files that are none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secretary_tui.routing.sentences.safetensors import read_safetensors
from tests.routing.sentence_model import write_safetensors

TENSORS = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "places": np.arange(4, dtype=np.int64),
    "b": np.ones(5, dtype=np.float32),
}


def test_floats_come_back_and_what_stands_behind_them(tmp_path):
    path = tmp_path / "x"
    write_safetensors(path, TENSORS, b"words")
    read = read_safetensors(path)
    assert sorted(read.tensors) == ["a", "b"]
    assert (read.tensors["a"] == TENSORS["a"]).all()
    assert (read.tensors["b"] == 1).all()
    assert read.rest == b"words"


def test_an_empty_file_and_any_other_are_refused(tmp_path):
    path = tmp_path / "x"
    for content in (b"", b"PK\x03\x04" * 9, b"\xff" * 40, (9).to_bytes(8, "little") + b"[1, 2, 3]"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=str(path)):
            read_safetensors(path)


def test_a_file_that_was_cut_is_refused(tmp_path):
    path = tmp_path / "x"
    write_safetensors(path, TENSORS)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ValueError, match="damaged"):
        read_safetensors(path)


@given(place=st.integers(8, 200), byte=st.integers(0, 255))
def test_a_damaged_header_never_reads_outside_the_file(tmp_path_factory, place, byte):
    path = tmp_path_factory.mktemp("damaged") / "x"
    write_safetensors(path, TENSORS)
    content = bytearray(path.read_bytes())
    content[place] = byte
    path.write_bytes(content)
    try:
        read = read_safetensors(path)
    except ValueError:
        return
    assert all(tensor.nbytes <= len(content) for tensor in read.tensors.values())
