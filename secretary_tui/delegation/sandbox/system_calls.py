"""What the mounts and namespaces of bubblewrap don't hold: keys of the kernel, abstract sockets.

Keys in the session's keyring (Kerberos, disk encryption) are inherited by every process, and
sockets without a path (X11's, which takes key strokes for any window) belong to the network's
namespace, so they are there again where the network is left open.
"""

from __future__ import annotations

import fcntl
import functools
import os
import platform
import shutil
import stat
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from secretary_tui.delegation.sandbox.landlock import landlock_abi

_LOAD, _JUMP_IF, _JUMP_IF_GE, _END = 0x20, 0x15, 0x35, 0x06
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _NOT_THERE, _DENY = 0x7FFF0000, 0x00050000 | 38, 0x00050000 | 13
_X32 = 0x40000000
"""Numbers from here on are those of a third set of calls on x86-64, which nobody uses."""
_AF_UNIX = 1
_SCOPED_ABI = 6
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_OPEN_FILTER = 'filter=$1; shift; exec 3<"$filter" "$@"'
_Calls = tuple[int, tuple[int, ...], int, int]
"""A machine's number; its `add_key`, `request_key`, `keyctl`; `socket`; `socketcall` or -1."""
_MACHINES: dict[str, tuple[_Calls, ...]] = {
    "x86_64": (
        (0xC000003E, (248, 249, 250), 41, -1),
        (0x40000003, (286, 287, 288), 359, 102),
    ),
    "aarch64": (
        (0xC00000B7, (217, 218, 219), 198, -1),
        (0x40000028, (309, 310, 311), 281, -1),
    ),
}


def filtered(bubblewrap: list[str], *, network: bool) -> list[str]:
    """Give the command line that starts bubblewrap so that its command reaches neither.

    On machines whose calls aren't known it is started as it is.
    """
    program, *line = bubblewrap
    scoped = network and _has_scopes(program)
    where = _filter(platform.machine(), no_unix=network and not scoped)
    line = [program, *(("--seccomp", "3") if where else ()), *line]
    if scoped:
        launcher = Path(__file__).with_name("scope_launcher.py")
        line = [sys.executable, "-I", "-S", str(launcher), *line]
    return ["/bin/sh", "-c", _OPEN_FILTER, "sh", where, *line] if where else line


def _has_scopes(program: str) -> bool:
    """Whether Landlock can hold abstract sockets alone, which other programs need as well."""
    if landlock_abi() < _SCOPED_ABI:
        return False
    try:
        # A program that gains rights as it starts can't start behind Landlock.
        return not Path(shutil.which(program) or program).stat().st_mode & stat.S_ISUID
    except OSError:
        return False


@functools.cache
def _filter(machine: str, *, no_unix: bool) -> str:
    """Put the filter where the shell can open it, in memory; gives the path, empty for none."""
    steps = list(_steps(machine, no_unix=no_unix))
    if not steps:
        return ""
    handle = os.memfd_create("secretary-tui-filter", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(handle, b"".join(struct.pack("=HBBI", *step) for step in steps))
    fcntl.fcntl(handle, fcntl.F_ADD_SEALS, _SEALS)
    return f"/proc/{os.getpid()}/fd/{handle}"


def _steps(machine: str, *, no_unix: bool) -> Iterator[tuple[int, int, int, int]]:
    """Give the filter: code, steps to jump if true, if false, and the number."""
    for number, keys, socket, multiplexed in _MACHINES.get(machine, ()):
        body: list[tuple[int, int, int, int]] = [(_LOAD, 0, 0, _NUMBER)]
        if machine == "x86_64":
            body += [(_JUMP_IF_GE, 0, 1, _X32), (_END, 0, 0, _NOT_THERE)]
        for call in keys:
            body += [(_JUMP_IF, 0, 1, call), (_END, 0, 0, _NOT_THERE)]
        if no_unix and multiplexed != -1:
            body += [(_JUMP_IF, 0, 1, multiplexed), (_END, 0, 0, _DENY)]
        if no_unix:
            body += [
                (_JUMP_IF, 0, 3, socket),
                (_LOAD, 0, 0, _FIRST_ARGUMENT),
                (_JUMP_IF, 0, 1, _AF_UNIX),
                (_END, 0, 0, _DENY),
            ]
        body.append((_END, 0, 0, _ALLOW))
        yield from ((_LOAD, 0, 0, _MACHINE), (_JUMP_IF, 0, len(body), number), *body)
    if machine in _MACHINES:
        yield (_END, 0, 0, _ALLOW)
