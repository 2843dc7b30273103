"""Read what a model file says about itself (GGUF, the llama.cpp project's format)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_WIDTHS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of each scalar value type of the format."""
_MAX_STRING = 1 << 20
_MAX_ENTRIES = 4096


class GGUFError(ValueError):
    """A file is no usable model; the message is a sentence with the path in it."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The part of a model's metadata that decides how it is spoken to."""

    architecture: str = ""
    """Such as `qwen2` or `llama`."""
    name: str = ""
    """`general.name`, such as `Qwen2.5 Coder 1.5B Instruct`."""

    @property
    def calls_tools_in_fences(self) -> bool:
        """Whether the model writes tool calls as JSON fences (the Qwen2.5-Coder family)."""
        name = self.name.lower().replace(" ", "-").replace("_", "-")
        return self.architecture == "qwen2" and "qwen2.5-coder" in name


def read_model_info(path: Path) -> ModelInfo:
    """Read the general metadata at the head of a GGUF file.

    Raises:
        GGUFError: it can't be read, or it is no GGUF file.
    """
    found: dict[str, str] = {}
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                raise GGUFError(f"{path} is no GGUF model file.")
            _version, _tensors, entries = struct.unpack("<IQQ", _take(file, 20))
            for _ in range(min(entries, _MAX_ENTRIES)):
                key = _string(file)
                value = _value(file, struct.unpack("<I", _take(file, 4))[0])
                if isinstance(value, str):
                    found[key] = value
                # The vocabulary comes next: megabytes that say nothing more about the model.
                if key.startswith("tokenizer."):
                    break
    except OSError as error:
        raise GGUFError(f"{path} can't be read: {error.strerror or error}.") from None
    except (struct.error, UnicodeDecodeError, KeyError, EOFError):
        raise GGUFError(f"{path} is a damaged GGUF file.") from None
    return ModelInfo(found.get("general.architecture", ""), found.get("general.name", ""))


def _take(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _string(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", _take(file, 8))
    if length > _MAX_STRING:
        raise EOFError
    return _take(file, length).decode("utf-8")


def _value(file: BinaryIO, kind: int) -> str | None:
    """Read a text value, skip any other."""
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        item, count = struct.unpack("<IQ", _take(file, 12))
        if item in _WIDTHS:
            file.seek(_WIDTHS[item] * count, 1)
            return None
        if item != _STRING:
            raise KeyError(item)
        for _ in range(count):
            _string(file)
        return None
    _take(file, _WIDTHS[kind])
    return None
