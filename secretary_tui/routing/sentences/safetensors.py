"""Tensors out of a safetensors file: a JSON header, then the numbers as they lie in memory.

The file is mapped, not read: a table of 30,000 rows costs only the rows that are looked up.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MOST_HEADER = 1 << 20


@dataclass(frozen=True, slots=True)
class Safetensors:
    """The tensors of a file by name, and what follows them in it."""

    tensors: Mapping[str, Any]
    """Arrays of 32-bit floats, read-only; tensors of other types are left out."""
    rest: bytes
    """What stands behind the last tensor; the format itself puts nothing there."""


def read_safetensors(path: Path) -> Safetensors:
    """Map the arrays of a safetensors file into memory, without copying them.

    Raises:
        OSError: it can't be opened.
        ValueError: it is no such file, or its parts do not fit together.
    """
    import numpy as np

    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            raise ValueError(f"{path} is empty")
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    start = 8 + int.from_bytes(mapped[:8], "little")
    if not 8 < start <= min(_MOST_HEADER, len(mapped)):
        raise ValueError(f"{path} is no safetensors file")
    tensors = {}
    end = start
    try:
        header = json.loads(bytes(mapped[8:start]))
        header.pop("__metadata__", None)
        for name, about in header.items():
            first, last = (start + offset for offset in about["data_offsets"])
            if not start <= first <= last <= len(mapped):
                raise ValueError(f"{name} lies outside the file")
            end = max(end, last)
            if about["dtype"] == "F32":
                shape = about["shape"]
                flat = np.frombuffer(mapped, np.float32, math.prod(shape), first)
                if flat.nbytes != last - first:
                    raise ValueError(f"{name} is not as large as its shape")
                tensors[name] = flat.reshape(shape)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    return Safetensors(tensors, bytes(mapped[end:]))
