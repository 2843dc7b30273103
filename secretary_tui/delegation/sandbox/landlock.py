"""Walls without bubblewrap: what the Linux kernel lets a process give up by itself.

Landlock allows reading and writing below named paths and nothing else; a filter on system calls
refuses sockets. Landlock can't take anything back below a path it allows, so a folder that holds a
protected name is allowed child by child, and nothing new can be made directly in it.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

LAUNCHER = Path(__file__).with_name("landlock_launcher.py")
"""What starts a program within the walls, as a program of its own."""
MIN_ABI = 3
"""Before it, a command could cut any file of the user's to nothing."""
MAX_RULES = 4000
_SIGNALS_ABI = 6
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_MACHINES = ("x86_64", "aarch64")
_CREATE_RULESET, _VERSION = 444, 1


@dataclass(frozen=True, slots=True)
class LandlockRules:
    """What one command may reach, for the launcher."""

    folder: str
    abi: int
    read: list[str] = field(default_factory=list)
    write: list[str] = field(default_factory=list)


@functools.cache
def landlock_abi() -> int:
    """The version of Landlock that the kernel offers; 0 for none."""
    if sys.platform != "linux":
        return 0
    try:
        asked: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _VERSION)
    except (OSError, AttributeError):
        return 0
    return max(0, asked)


def left_open(abi: int, machine: str = "") -> str:
    """Say in a few words what these walls don't hold, beside what bubblewrap's do."""
    network = "" if (machine or platform.machine()) in _MACHINES else "the network (UDP)"
    if network and abi < 4:
        network = "the network"
    signals = "" if abi >= _SIGNALS_ABI else "signals to other programs"
    return ", ".join(filter(None, (network, signals, "file modes", "the list of programs")))


class LandlockWalls:
    """The private folder and the command line of one command."""

    def __init__(self) -> None:
        self._temporary: Path | None = None

    def command_line(
        self,
        argv: list[str],
        workspace: Path,
        *,
        hidden: Iterable[Path],
        shown: Iterable[Path],
        protected: Iterable[Path] | None,
    ) -> list[str]:
        """Give the command line that runs `argv` with the walls up.

        `hidden` is not seen but for what is `shown`; the workspace is written to but for what is
        `protected`, and not at all when that is None.

        Raises:
            OSError: no rules can be made; then nothing may run.
        """
        temporary = self._temporary = Path(tempfile.mkdtemp(prefix="secretary-tui-"))
        hidden = {Path(os.path.realpath(path)) for path in hidden}
        read = [*allowed_below(Path("/"), {*hidden, Path("/dev")})]
        for place in (*shown, workspace):
            read += allowed_below(Path(os.path.realpath(place)), hidden)
        write = [Path("/dev") / name for name in _DEVICES]
        write.append(temporary)
        if protected is not None:
            write += allowed_below(workspace, {*protected, *hidden})
        if len(read) + len(write) > MAX_RULES:
            raise OSError("The project has too many parts for the sandbox of this machine.")
        rules = LandlockRules(str(workspace), landlock_abi(), [*map(str, read)], [*map(str, write)])
        file = temporary / "rules.json"
        file.write_text(json.dumps(asdict(rules)), encoding="ascii")
        return [sys.executable, "-I", "-S", str(LAUNCHER), str(file), *argv]

    @property
    def environment(self) -> dict[str, str]:
        """Where a command may keep what it needs only while it runs."""
        if self._temporary is None:
            return {}
        return {"TMPDIR": str(self._temporary), "XDG_CACHE_HOME": str(self._temporary / "cache")}

    def remove(self) -> None:
        """Forget what the command kept."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


def allowed_below(folder: Path, excluded: Iterable[Path]) -> Iterator[Path]:
    """Give the outermost files and folders that hold nothing excluded; no symlinks.

    What holds the folder itself, or is it, doesn't count.
    """
    inside = {path for path in excluded if folder in path.parents}
    return _allowed_below(folder, inside, {parent for path in inside for parent in path.parents})


def _allowed_below(folder: Path, excluded: set[Path], holding: set[Path]) -> Iterator[Path]:
    if folder not in holding:
        yield folder
        return
    try:
        with os.scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = folder / entry.name
        if not entry.is_symlink() and path not in excluded:
            yield from _allowed_below(path, excluded, holding)
