"""Every place on disk that the product reads or writes, in one module.

Folders follow the platform (XDG on Linux). Nothing here creates a folder; writers do, with
`write_atomic`, so that a crash leaves either the old file or the new one.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import platformdirs

APP = "secretary-tui"
PROJECT_CONFIG = Path(".claude") / "secretary.local.md"
"""The project's settings, below the project folder (seed 000 §4)."""
PROJECT_LOCAL_SETTINGS = Path(".claude") / "settings.local.json"
"""Where *always* answers are stored, in Claude Code's shape."""


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


def bundled(name: str) -> Path:
    """Find something that ships with the product: `agents`, `styles` or `config.example.md`.

    In a wheel it lies inside the package, in a checkout or an editable install beside it.
    """
    package = Path(__file__).resolve().parent
    inside = package / "_bundled" / name
    return inside if inside.exists() else package.parent / name


def repository_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds `.git`; `start` itself when none does."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return start


def write_atomic(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a text file so that a crash leaves the old content or the new, never a part.

    Creates missing folders, follows a symlink to the file it names, keeps the permissions of a
    file that exists (otherwise `mode`, or 0o644 less the umask).

    Raises:
        OSError: the folder can't be written.
    """
    path = path.resolve()
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
