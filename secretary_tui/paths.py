"""Every place on disk that the product reads or writes, in one module.

Folders follow the platform (XDG on Linux). Nothing here creates a folder; writers do, with
`write_atomic`, so that a crash leaves either the old file or the new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

APP = "secretary-tui"
PROJECT_CONFIG = Path(".claude") / "secretary.local.md"
"""The project's settings, below the project folder (seed 000 §4)."""
PROJECT_LOCAL_SETTINGS = Path(".claude") / "settings.local.json"
"""Where *always* answers are stored, in Claude Code's shape."""
PLACEHOLDER_MODE = 0o1755
"""The mode of folders that only hold a name while a command runs in the sandbox."""


def with_home(path: str | Path) -> Path:
    """Expand `~` at the beginning of a path; `~name` of an unknown user stays as it is."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def config_dir() -> Path:
    """Where the user's own settings live."""
    return platformdirs.user_config_path(APP)


def user_config() -> Path:
    """The user's settings file."""
    return config_dir() / "config.md"


def data_dir() -> Path:
    """Where models and plug-in data live: large, worth keeping."""
    return platformdirs.user_data_path(APP)


def models_dir() -> Path:
    """Where downloaded model weights live."""
    return data_dir() / "models"


def state_dir() -> Path:
    """Where runs, drafts and histories live."""
    return platformdirs.user_state_path(APP)


def runs_dir() -> Path:
    """One JSONL file a run, in a folder a project."""
    return state_dir() / "runs"


def undo_dir() -> Path:
    """The originals of changed files, in a folder a run."""
    return state_dir() / "undo"


def trash_dir() -> Path:
    """Runs that were deleted, until they are dropped for good: a folder a run."""
    return state_dir() / "trash"


def cache_dir() -> Path:
    """What can be rebuilt at any time."""
    return platformdirs.user_cache_path(APP)


def log_file() -> Path:
    """Where the faces log what they turned into a calm sentence."""
    return state_dir() / "secretary-tui.log"


def shown(path: Path) -> str:
    """A path as people write it: `~` for the home folder."""
    home = Path.home()
    if not path.is_relative_to(home):
        return str(path)
    return str(Path("~") / path.relative_to(home))


def user_agents_dir() -> Path:
    """The user's own agents, shared with Claude Code."""
    return Path.home() / ".claude" / "agents"


def claude_plugins_dir() -> Path:
    """Where Claude Code keeps marketplaces and installed plugins."""
    return Path.home() / ".claude" / "plugins"


def agents_cache_dir() -> Path:
    """Definitions as they were read the last time, a file for each folder of agents."""
    return cache_dir() / "agents"


def worktrees_dir() -> Path:
    """Where a run in a working tree of its own works: not ours, but a project's files."""
    return cache_dir() / "worktrees"


def bundled(name: str) -> Path:
    """Find something that ships with the product: `agents`, `styles` or `config.example.md`.

    In a wheel it lies inside the package, in a checkout or an editable install beside it.
    """
    package = Path(__file__).resolve().parent
    inside = package / "_bundled" / name
    return inside if inside.exists() else package.parent / name


def repository_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds `.git`; `start` itself when none does.

    A placeholder of the sandbox doesn't count.
    """
    for folder in (start, *start.parents):
        git = folder / ".git"
        if git.exists() and not _is_placeholder(git):
            return folder
    return start


def _is_placeholder(git: Path) -> bool:
    """Whether a `.git` is a folder with the mark of ours and nothing in it, not even a link."""
    try:
        mode = git.stat().st_mode
        if not (stat.S_ISDIR(mode) and mode & stat.S_ISVTX):
            return False
        return next(git.iterdir(), None) is None
    except PermissionError:
        return False
    except FileNotFoundError:
        # Removed meanwhile, as placeholders are.
        return True


def project_of(path: Path) -> Path | None:
    """The project whose settings file this is; None for any other file."""
    depth = len(PROJECT_CONFIG.parts)
    return path.parents[depth - 1] if path.parts[-depth:] == PROJECT_CONFIG.parts else None


def stays_inside(path: Path, *folders: Path) -> bool:
    """Whether a path, its links followed, lies in one of the folders (or is one)."""
    try:
        real = path.resolve()
        return any(real.is_relative_to(folder.resolve()) for folder in folders)
    except (OSError, RuntimeError, ValueError):  # Links in a circle, a name that can't be.
        return False


def read_small(path: Path, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes, whatever lies at its path.

    Raises:
        OSError: it can't be opened, is larger, or is a device, pipe or folder; says which.
    """
    # O_NONBLOCK: opening a named pipe that nobody writes to would wait for ever.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("it is not a regular file")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(f"it is larger than {limit:,} bytes")
    return data


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its user can enter, with what is missing above it.

    Below the state folder, folders that were open to others are closed.

    Raises:
        OSError: it can't be made.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
    state = state_dir().resolve()
    for path in (folder, *folder.parents):
        if not path.resolve().is_relative_to(state):
            break
        if path not in missing and path.stat().st_mode & 0o077:
            with contextlib.suppress(PermissionError):  # Another user's: nothing to be done.
                path.chmod(0o700)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, which is made when it is missing; waits while another process holds it.

    It lies beside what it guards, since what `write_atomic` replaces can't be locked itself. The
    end of a process, even by a kill, frees its locks.

    Raises:
        OSError: it can't be made.
    """
    make_private_folder(path.parent)
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def write_atomic(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a text file so that a crash leaves the old content or the new, never a part.

    Creates missing folders, follows a symlink to the file it names, keeps the permissions of a
    file that exists (otherwise `mode`, or 0o644 less the umask). Below the state folder, files
    and folders are their user's alone.

    Raises:
        OSError: the folder can't be written.
    """
    path = path.resolve()
    if path.is_relative_to(state_dir().resolve()):
        make_private_folder(path.parent)
        mode = 0o600
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            mode = path.stat().st_mode & 0o777
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if mode is None:
            umask = os.umask(0)
            os.umask(umask)
            mode = 0o644 & ~umask
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
