"""Put up the kernel's own walls around this process, then become the command.

Started by path with nothing of the program imported: `python -I -S landlock_launcher.py RULES
COMMAND…`. RULES is a JSON file (`landlock.LandlockRules`) that is removed when it was read. Every
step that fails ends the process, so nothing ever runs without the walls.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import stat
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE = 1, 2, 4, 8, 1 << 14
_REMOVE = (1 << 4) | (1 << 5)
_MAKE = (1 << 7) | (1 << 8) | (1 << 9) | (1 << 10) | (1 << 12)
_DEVICES = (1 << 6) | (1 << 11)
_REFER, _IOCTL_DEV = 1 << 13, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | TRUNCATE | _REMOVE | _MAKE | _REFER
_OF_FILES = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE
_PATH_BENEATH = 1
_SET_DEATH_SIGNAL, _SET_SECCOMP, _DROP_BOUNDING, _NO_NEW_PRIVILEGES = 1, 22, 24, 38
_CALLS = {
    "x86_64": (0xC000003E, 41, 53, 248),
    "aarch64": (0xC00000B7, 198, 199, 217),
}
"""Per machine: its number for seccomp, those of `socket` and `socketpair`, and the first of three
about keys of the kernel, which a session's programs share."""
_IO_URING_SETUP = 425
_DENY, _ALLOW, _KILL = 0x00050000 | 13, 0x7FFF0000, 0x80000000

libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def call(name: str, number: int, *arguments: object) -> int:
    """Make a system call; ends the process when it fails."""
    whole = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *whole)
    if result < 0:
        refuse(f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def refuse(why: str) -> None:
    """End without having run anything."""
    sys.stderr.write(f"The sandbox can't be set up, so nothing was run ({why}).\n")
    sys.exit(126)


def wall_off_files(abi: int, read: list[str], write: list[str]) -> None:
    """Allow reading and writing below the given paths, and nothing else."""
    handled = WRITE | _DEVICES | (_IOCTL_DEV if abi >= 5 else 0)
    network = 3 if abi >= 4 else 0
    scoped = 3 if abi >= 6 else 0
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    attributes = struct.pack("=QQQ", handled, network, scoped)[:size]
    ruleset = call("landlock", CREATE_RULESET, attributes, len(attributes), 0)
    for paths, access in ((read, READ), (write, WRITE)):
        for path in paths:
            allow(ruleset, path, access)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        refuse("no_new_privs")
    call("landlock", RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def allow(ruleset: int, path: str, access: int) -> None:
    """Add one rule; what is gone meanwhile needs none."""
    try:
        # A link that was put there meanwhile must not widen anything.
        handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    if not stat.S_ISDIR(os.fstat(handle).st_mode):
        access &= _OF_FILES
    rule = struct.pack("=Qi", access, handle)
    call("landlock", ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    os.close(handle)


def drop_capabilities() -> None:
    """Leave root no more than a user has; does nothing for others."""
    if os.geteuid() != 0:
        return
    for capability in range(64):
        libc.prctl(_DROP_BOUNDING, capability, 0, 0, 0)
    number = {"x86_64": 126, "aarch64": 91}.get(platform.machine())
    if number is not None:
        call("capset", number, struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", *[0] * 6))


def wall_off_network() -> None:
    """Refuse every new socket, of whatever kind, and keys; on machines whose calls are known."""
    known = _CALLS.get(platform.machine())
    if known is None:
        return
    machine, socket, pair, keys = known
    load, jump_if, jump_if_ge, mask, end = 0x20, 0x15, 0x35, 0x54, 0x06
    program = [
        (load, 0, 0, 4),
        (jump_if, 1, 0, machine),
        (end, 0, 0, _KILL),
        (load, 0, 0, 0),
        (jump_if_ge, 9, 0, 0x40000000),
        (jump_if, 8, 0, socket),
        (jump_if, 7, 0, _IO_URING_SETUP),
        (jump_if, 6, 0, keys),
        (jump_if, 5, 0, keys + 1),
        (jump_if, 4, 0, keys + 2),
        (jump_if, 0, 4, pair),
        (load, 0, 0, 24),
        (mask, 0, 0, 0xF),
        (jump_if, 0, 1, 2),
        (end, 0, 0, _DENY),
        (end, 0, 0, _ALLOW),
    ]
    steps = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(steps, len(steps))
    header = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    pointer = ctypes.create_string_buffer(header, len(header))
    if libc.prctl(_SET_SECCOMP, 2, ctypes.addressof(pointer), 0, 0) != 0:
        refuse(f"seccomp: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    """Read the rules, put up the walls, become the command."""
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123 (pathlib takes 10 ms to load)
        rules = json.load(file)
    os.unlink(sys.argv[1])  # noqa: PTH108
    libc.prctl(_SET_DEATH_SIGNAL, 9, 0, 0, 0)
    os.chdir(rules["folder"])
    wall_off_files(rules["abi"], rules["read"], rules["write"])
    drop_capabilities()
    wall_off_network()
    try:
        os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 (what it is for; no shell is wanted)
    except OSError as error:
        refuse(f"{sys.argv[2]}: {error.strerror}")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, TypeError, LookupError) as error:
        refuse(str(error))
