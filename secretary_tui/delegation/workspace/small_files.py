"""Read a small file that someone else may have prepared: no pipe, no device, nothing endless."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MAX_BYTES = 256_000
_KERNEL_FOLDERS = (Path("/proc"), Path("/sys"), Path("/dev"))


class UnusableFileError(Exception):
    """A file is there and must not or can't be read; the message says why, in half a sentence."""


def read_small_text(path: Path, *, within: Path | None = None) -> str:
    """Read a UTF-8 text of at most `MAX_BYTES` from a regular file.

    `within` is the folder that the file must really lie in, after every symlink.

    Raises:
        FileNotFoundError: nothing is there.
        UnusableFileError: it is something else, leads elsewhere, is too large or no text.
    """
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):  # A loop of links, or no path at all.
        raise UnusableFileError("it leads nowhere") from None
    if any(real.is_relative_to(folder) for folder in _KERNEL_FOLDERS):
        raise UnusableFileError("it belongs to the system")
    if within is not None and not real.is_relative_to(within.resolve()):
        raise UnusableFileError("it leads out of its folder")
    try:
        return _read(real).decode("utf-8-sig")
    except NotADirectoryError:
        raise FileNotFoundError(str(path)) from None
    except FileNotFoundError:
        raise
    except UnicodeDecodeError:
        raise UnusableFileError("it is not UTF-8 text") from None
    except OSError as error:
        raise UnusableFileError((error.strerror or "input/output error").lower()) from None


def _read(real: Path) -> bytes:
    # Without O_NONBLOCK, opening a FIFO would wait for a writer.
    handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnusableFileError("it is not a regular file")
        # The size that a file states is not always what it holds.
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UnusableFileError(f"it is larger than {MAX_BYTES // 1000} kB")
    return data
