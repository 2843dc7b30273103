"""The walls around a Bash command: bubblewrap, else Landlock, else none, and never a guess.

Inside: the file system read-only, the workspace writable but for what makes other programs run
something, no network, processes and sockets of its own, the user's home folder out of sight.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from secretary_tui.delegation.sandbox.hidden import (
    hidden_folders,
    home_folder,
    masked_secrets,
    masked_sockets,
    shown_again,
)
from secretary_tui.delegation.sandbox.landlock import (
    MIN_ABI,
    LandlockWalls,
    landlock_abi,
    left_open,
)
from secretary_tui.delegation.sandbox.placeholders import Placeholders
from secretary_tui.delegation.sandbox.program_files import ProgramFiles
from secretary_tui.delegation.sandbox.protected_picture import ProtectedPicture, take_picture
from secretary_tui.delegation.sandbox.protected_repair import (
    Identities,
    identities,
    repair_protected,
)
from secretary_tui.delegation.sandbox.system_calls import filtered
from secretary_tui.delegation.workspace.workspace import Workspace

MAX_MASKS = 400
"""Mounts for protected things in one project; with more, nothing in it is writable."""
_WALLS = (
    *("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--die-with-parent", "--new-session"),
)
# Files there belong to root, so a command that root runs could set the kernel; bubblewrap covers
# these folders only when they look writable, and they don't.
_KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "pressure")
_ENVIRONMENT = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "CI"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "JAVA_HOME", "GOPATH", "GOROOT"),
        *("CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "NODE_ENV"),
    )
)
_QUIET: Mapping[str, str] = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}


def command_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Give the environment of a command: an allow-list, so no key or token of the user's."""
    allowed = {
        name: value
        for name, value in environ.items()
        if name in _ENVIRONMENT or name.startswith("LC_")
    }
    return {"PATH": os.defpath, **allowed, **_QUIET}


@functools.cache
def sandbox_status() -> tuple[str, str]:
    """Say how Bash is confined: `bubblewrap`, `landlock` or `none`, and a sentence. Tried once."""
    missing = _without_bubblewrap()
    if not missing:
        return "bubblewrap", (
            "Bash runs in bubblewrap: only the project folder is writable, and there is no network."
        )
    abi = landlock_abi()
    if abi >= MIN_ABI:
        return "landlock", (
            f"Bash runs behind the kernel's own walls (Landlock {abi}), because {missing}: only "
            "the project folder is writable, and nothing new directly beside .git or .claude. "
            f"They leave open: {left_open(abi)}."
        )
    kernel = f"offers Landlock {abi}, too old" if abi else "offers no Landlock"
    return "none", (f"Bash runs unconfined and always asks: {missing}, and the kernel {kernel}.")


def confinement_gaps() -> str:
    """Say in a few words what the walls leave open that bubblewrap wouldn't; empty for nothing."""
    return left_open(landlock_abi()) if sandbox_status()[0] == "landlock" else ""


def _without_bubblewrap() -> str:
    """Try bubblewrap, about 10 ms; give why it can't be used, empty when it can."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (package `bubblewrap`, Linux only)"
    try:
        tried = subprocess.run(
            filtered([program, *_system(), *_WALLS, "true"], network=False),
            env=command_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start ({error})"
    reason = tried.stderr.decode(errors="replace").strip().partition("\n")[0]
    return f"bubblewrap is refused ({reason})" if tried.returncode != 0 else ""


class Confinement:
    """The walls around one command, from `enter` to `leave`; both may take a while on disk."""

    def __init__(
        self,
        argv: list[str],
        workspace: Path,
        *,
        writable: bool = True,
        network: bool = False,
        program_files: ProgramFiles | None = None,
        kind: str = "",
    ) -> None:
        self._argv = argv
        self._kind = kind or sandbox_status()[0]
        self._landlock = LandlockWalls()
        self._workspace = Path(os.path.realpath(workspace))
        self._writable = writable
        self._network = network
        """Only bubblewrap can leave it open and hold the rest."""
        self._program_files = program_files or ProgramFiles()
        self._placeholders = Placeholders(self._workspace)
        self._picture: ProtectedPicture | None = None
        self._stood: Identities = {}
        self._lock = threading.Lock()
        self._left = False
        self._notes: list[str] = []

    def enter(self) -> list[str]:
        """Give the command line that runs the command behind the walls, inside the workspace.

        Raises:
            OSError: the project's protected names can't be held; then nothing may run.
        """
        with self._lock:
            if self._left:
                raise OSError("The command was stopped before it began.")
            if self._workspace == Path("/"):
                raise OSError("Commands can't run with the whole file system as the project.")
            if self._writable and home_folder().is_relative_to(self._workspace):
                self._notes.append("The home folder is read-only for commands; use a project's.")
                self._writable = False
            if self._writable and Workspace(self._workspace).is_within_protected():
                self._notes.append("This folder is protected, so commands can't write to it.")
                self._writable = False
            if self._kind == "landlock":
                return self._behind_landlock()
            return self._command_line(self._protect() if self._writable else [])

    def leave(self) -> tuple[str, ...]:
        """Undo what a command did to protected things, and say so. Waits for `enter`."""
        with self._lock:
            self._left = True
            try:
                if self._picture is not None:
                    workspace = Workspace(self._workspace)
                    self._notes += repair_protected(workspace, self._picture, self._stood)
                    self._picture = None
            finally:
                self._placeholders.release()
                self._landlock.remove()
                self._program_files.remove()
            return tuple(self._notes)

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Names that the command sees in the project and that are none of its files."""
        return self._placeholders.names

    @property
    def environment(self) -> dict[str, str]:
        """What the command's environment needs beside the usual, once `enter` was called."""
        return self._landlock.environment

    def _behind_landlock(self) -> list[str]:
        workspace = self._workspace
        protected: set[Path] | None = None
        if self._writable:
            # No placeholders: a folder in which names must be held is not written to.
            self._picture = take_picture(workspace)
            found = self._picture.found
            self._stood = identities(found)
            protected = {*found.things, *found.repositories, *found.targets, *found.links}
            if any(workspace.is_relative_to(path) for path in protected):
                self._notes.append("This folder is protected, so commands can't write to it.")
                protected = None
        hidden = hidden_folders(workspace)
        back = shown_again(workspace, hidden)
        secrets = masked_secrets(workspace, back, hidden)
        return self._landlock.command_line(
            self._argv,
            workspace,
            hidden={*hidden, *secrets},
            shown=back,
            protected=protected,
        )

    def _protect(self) -> list[str]:
        self._picture = self._placeholders.claim()
        found = self._picture.found
        self._stood = identities(found)
        masked = {*found.things, *found.repositories, *found.targets}
        masked = {path for path in masked if path.exists() and _meet(path, self._workspace)}
        outer = _outermost(masked)
        pinned = _pinned(outer, self._workspace)
        if any(self._workspace.is_relative_to(path) for path in outer):
            self._notes.append("This folder is protected, so commands can't write to it.")
            self._writable = False
            return []
        if len(outer) + len(pinned) > MAX_MASKS:
            self._notes.append(
                f"The project holds more than {MAX_MASKS} protected files and folders, so "
                "commands can't write to it."
            )
            self._writable = False
            return []
        return [*_each("--bind", pinned), *_each("--ro-bind", outer)]

    def _command_line(self, masks: list[str]) -> list[str]:
        workspace = self._workspace
        hidden = hidden_folders(workspace)
        back = shown_again(workspace, hidden)
        secrets = masked_secrets(workspace, back, hidden)
        around = [path for path in secrets if not path.is_relative_to(workspace)]
        inside = [path for path in secrets if path.is_relative_to(workspace)]
        sockets = masked_sockets(hidden, seen=[workspace, *back])
        line = [
            shutil.which("bwrap") or "bwrap",
            *_system(),
            *(part for folder in hidden for part in ("--tmpfs", str(folder))),
            *(part for p in back for part in ("--ro-bind", os.path.realpath(p), str(p))),
            *(part for path in around for part in _mask(path)),
            *self._program_files.mounts(hidden),
            *_each("--bind" if self._writable else "--ro-bind", [workspace]),
            *masks,
            # Last, because the workspace may be the home folder.
            *(part for path in (*inside, *sockets) for part in _mask(path)),
            *(wall for wall in _WALLS if not (self._network and wall == "--unshare-net")),
            *("--chdir", str(workspace), "--", *self._argv),
        ]
        return filtered(line, network=self._network)


@contextlib.contextmanager
def confined(argv: list[str], workspace: Path, *, writable: bool = True) -> Iterator[list[str]]:
    """Give the command line that runs `argv` behind the walls, from inside the workspace."""
    walls = Confinement(argv, workspace, writable=writable)
    try:
        yield walls.enter()
    finally:
        walls.leave()


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    for name in _KERNEL_SETTINGS:
        yield from ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")


def _mask(path: Path) -> tuple[str, ...]:
    return ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", os.devnull, str(path))


def _each(option: str, places: Iterable[Path]) -> Iterator[str]:
    for path in places:
        yield from (option, str(path), str(path))


def _meet(path: Path, workspace: Path) -> bool:
    return path.is_relative_to(workspace) or workspace.is_relative_to(path)


def _outermost(places: set[Path]) -> list[Path]:
    return sorted(path for path in places if places.isdisjoint(path.parents))


def _pinned(places: Iterable[Path], workspace: Path) -> list[Path]:
    """Give the folders between: mounted on themselves, they can't be renamed and replaced."""
    folders = {parent for path in places for parent in path.parents if workspace in parent.parents}
    return sorted(folders)
