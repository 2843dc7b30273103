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
_MAX_DIMENSIONS, _MAX_ITEMS = 16, 1 << 32
_DAMAGED = (struct.error, UnicodeDecodeError, KeyError, EOFError)


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
            _tensors, entries = _counts(file, path)
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
    except _DAMAGED:
        raise GGUFError(f"{path} is a damaged GGUF file.") from None
    return ModelInfo(found.get("general.architecture", ""), found.get("general.name", ""))


def check_whole(path: Path) -> None:
    """Look whether a GGUF file is as long as its list of tensors says, and no broken download.

    Raises:
        GGUFError: it can't be read, is no GGUF file, or ends before its last tensor begins.
    """
    try:
        with path.open("rb") as file:
            tensors, entries = _counts(file, path)
            for _ in range(entries):
                _string(file)
                _value(file, struct.unpack("<I", _take(file, 4))[0])
            last = 0
            for _ in range(tensors):
                _string(file)
                (dimensions,) = struct.unpack("<I", _take(file, 4))
                if dimensions > _MAX_DIMENSIONS:
                    raise EOFError
                _type, offset = struct.unpack("<IQ", _take(file, 8 * dimensions + 12)[-12:])
                last = max(last, offset)
            needed, size = file.tell() + last, path.stat().st_size
    except KeyError:
        return  # A type of value that is newer than this: llama.cpp will say what is wrong.
    except OSError as error:
        raise GGUFError(f"{path} can't be read: {error.strerror or error}.") from None
    except _DAMAGED:
        raise GGUFError(f"{path} is a damaged GGUF file, or the beginning of one.") from None
    if size < needed:
        missing = f"{size / 1e6:,.0f} of at least {needed / 1e6:,.0f} MB are there"
        raise GGUFError(f"{path} is only the beginning of a model: {missing}.")


def _counts(file: BinaryIO, path: Path) -> tuple[int, int]:
    """How many tensors and how many entries of metadata the head of the file announces."""
    if file.read(4) != MAGIC:
        raise GGUFError(f"{path} is no GGUF model file.")
    _version, tensors, entries = struct.unpack("<IQQ", _take(file, 20))
    return tensors, entries


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
        if count > _MAX_ITEMS:
            raise EOFError
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
