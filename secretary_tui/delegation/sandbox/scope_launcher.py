"""Give up the abstract sockets of other programs, then become the command.

Started by path with nothing of the program imported: `python -I -S scope_launcher.py COMMAND…`.
Where that fails nothing is run.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

CREATE_RULESET, RESTRICT_SELF = 444, 446
_NO_NEW_PRIVILEGES = 38
_ABSTRACT_SOCKETS = 1


def main() -> None:
    """Put up the wall, and become the command."""
    libc = ctypes.CDLL(None, use_errno=True)
    attributes = struct.pack("=QQQ", 0, 0, _ABSTRACT_SOCKETS)
    size = ctypes.c_long(len(attributes))
    ruleset = libc.syscall(ctypes.c_long(CREATE_RULESET), attributes, size, ctypes.c_long(0))
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    if (
        ruleset < 0
        or libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0
        or libc.syscall(ctypes.c_long(RESTRICT_SELF), ctypes.c_long(ruleset), ctypes.c_long(0)) != 0
    ):
        why = os.strerror(ctypes.get_errno())
        sys.exit(f"The sandbox can't be set up, so nothing was run (landlock: {why}).")
    os.close(ruleset)
    try:
        os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 (what it is for; no shell is wanted)
    except OSError as error:
        sys.exit(f"Nothing was run ({sys.argv[1]}: {error.strerror}).")


if __name__ == "__main__":
    main()
