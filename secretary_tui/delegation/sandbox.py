"""The walls around a Bash command: bubblewrap where it works, none elsewhere, and never a guess.

Inside: the file system read-only, the workspace writable but for what makes other programs run
something, no network, processes and sockets of its own, the user's credentials out of sight.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from secretary_tui import paths
from secretary_tui.delegation.workspace import PROTECTED

_WALLS = (
    *("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--die-with-parent", "--new-session"),
)
_SOCKET_FOLDERS = ("/run", "/tmp")  # noqa: S108 (hidden from the command, not written to)
_SECRET_FOLDERS = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config/gh", ".config/gcloud"),
    *(".claude", ".password-store", ".local/share/keyrings", ".mozilla", ".config/google-chrome"),
)
_SECRET_FILES = (".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".claude.json")
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
    """Say how Bash is confined: `bubblewrap` or `none`, and a sentence. Tried once, about 10 ms."""
    program = shutil.which("bwrap")
    if program is None:
        return "none", (
            "Bash runs unconfined and always asks: bubblewrap is not installed (package "
            "`bubblewrap`, Linux only)."
        )
    try:
        tried = subprocess.run(
            [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *_WALLS, "true"],
            env=command_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=5,
            check=False,
        )
        reason = tried.stderr.decode(errors="replace").strip().partition("\n")[0]
    except (OSError, subprocess.TimeoutExpired) as error:
        return "none", f"Bash runs unconfined and always asks: bubblewrap does not start ({error})."
    if tried.returncode != 0:
        return "none", f"Bash runs unconfined and always asks: bubblewrap is refused ({reason})."
    return "bubblewrap", (
        "Bash runs in bubblewrap: only the project folder is writable, and there is no network."
    )


@contextlib.contextmanager
def confined(argv: list[str], workspace: Path, *, writable: bool = True) -> Iterator[list[str]]:
    """Give the command line that runs `argv` behind the walls, from inside the workspace.

    What is masked because it doesn't exist yet is mounted over; the empty places that bubblewrap
    makes for that are removed on the way out.
    """
    masks, placeholders = _protected(workspace) if writable else ([], [])
    try:
        yield [
            shutil.which("bwrap") or "bwrap",
            *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            # Sockets of other programs live there (Docker, D-Bus, ssh-agent, X11).
            *(part for folder in _SOCKET_FOLDERS for part in ("--tmpfs", folder)),
            *("--bind" if writable else "--ro-bind", str(workspace), str(workspace)),
            *masks,
            # Last, because the workspace may be the home folder.
            *_hidden(workspace),
            *_WALLS,
            *("--chdir", str(workspace), "--", *argv),
        ]
    finally:
        _remove(placeholders)


def _remove(placeholders: list[Path]) -> None:
    for path in placeholders:
        with contextlib.suppress(OSError):
            if path.is_dir():
                path.rmdir()
            elif path.stat().st_size == 0:
                path.unlink()


def _hidden(workspace: Path) -> list[str]:
    """Mask credentials in the home folder, unless the workspace itself lies there."""
    home = Path.home()
    folders = [home / name for name in _SECRET_FOLDERS]
    folders += [paths.config_dir(), paths.state_dir(), paths.data_dir()]
    arguments: list[str] = []
    for folder in folders:
        if folder.is_dir() and not workspace.is_relative_to(folder):
            arguments += ["--tmpfs", str(folder.resolve())]
    for name in _SECRET_FILES:
        if (home / name).is_file():
            arguments += ["--ro-bind", os.devnull, str((home / name).resolve())]
    return arguments


def _protected(workspace: Path) -> tuple[list[str], list[Path]]:
    """Mount what is protected read-only, present or not; also give what had to be made for it."""
    arguments: list[str] = []
    placeholders: list[Path] = []
    for parts in PROTECTED:
        path = workspace.joinpath(*parts)
        if path.is_symlink():
            # A mount would follow it; where it leads outside, everything is read-only anyway.
            continue
        if path.exists():
            arguments += ["--ro-bind", str(path), str(path)]
        elif len(parts) == 1 or path.parent.is_dir():
            placeholders.append(path)
            if parts[-1] in ("hooks", ".claude"):
                arguments += ["--tmpfs", str(path), "--remount-ro", str(path)]
            else:
                arguments += ["--ro-bind", os.devnull, str(path)]
    return arguments, placeholders
