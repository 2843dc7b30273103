"""The smallest GGUF file that says what it is."""

from __future__ import annotations

import struct


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def tiny_gguf(architecture: str = "llama", name: str = "Tiny") -> bytes:
    """A header with metadata of several types and no tensors."""
    entries = [
        _string("general.architecture") + struct.pack("<I", 8) + _string(architecture),
        _string("general.quantized") + struct.pack("<II", 4, 1),
        _string("general.tags") + struct.pack("<IIQ", 9, 8, 2) + _string("chat") + _string("code"),
        _string("general.sizes") + struct.pack("<IIQ", 9, 4, 2) + bytes(8),
        _string("general.name") + struct.pack("<I", 8) + _string(name),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries)
