"""How many threads may write an answer: all cores on a quiet machine, one less on a busy one.

Measured on two cores with Qwen2.5-Coder 1.5B: two threads write 24 tokens/s where nothing else
runs and 6 where one other program does; one thread writes 17 and 16.
"""

from __future__ import annotations

import importlib
import importlib.util
import os

_LOOK_S = 0.1
_BUSY, _QUIET = 0.5, 0.25
"""Cores in use by others from which on a machine is busy, and below which it is quiet again."""


def writing_threads(now: int = 0) -> int:
    """Measure for 0.1 s how busy the machine is, and return the number of threads to use.

    `now` is the present number: it is kept while the load lies between quiet and busy.
    """
    cores = os.cpu_count() or 1
    if cores == 1:
        return 1
    if importlib.util.find_spec("psutil") is None:
        return cores - 1
    psutil = importlib.import_module("psutil")  # It has no type information.
    used = psutil.cpu_percent(interval=_LOOK_S) / 100 * cores
    if used >= _BUSY:
        return cores - 1
    return now if now and used >= _QUIET else cores
