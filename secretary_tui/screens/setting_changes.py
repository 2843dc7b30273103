"""Write one setting to the user's file or the project's, and say what that did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from secretary_tui import config_file, paths
from secretary_tui.config import Config
from secretary_tui.setting_values import shown_value
from secretary_tui.settings import ActivationMode


def save(project: Path, key: str, value: Any, *, in_project: bool) -> str:
    """Write it.

    Raises:
        ConfigError: the file can't be changed.
    """
    path, name = _file(project, in_project=in_project)
    created = config_file.save(path, {key: value})
    verb = "Config created at" if created else "saved in"
    where = f"{verb} {name}" if path.exists() else "as without a settings file"
    message = f"{key}: {shown_value(value)}"
    if key == "activation_mode":
        message = f"Mode {value}: {ActivationMode(value).about}"
    return f"{message} ({where})"


def take_out(project: Path, key: str, read: Callable[[], Config], *, in_project: bool) -> str:
    """Take it out; `read` gives the settings that hold then.

    Raises:
        ConfigError: the file can't be changed.
    """
    path, name = _file(project, in_project=in_project)
    config_file.unset(path, key)
    return f"{key}: {shown_value(getattr(read(), key))} (taken out of {name})"


def _file(project: Path, *, in_project: bool) -> tuple[Path, str]:
    """The file, and what it is called in a message."""
    if in_project:
        return project / paths.PROJECT_CONFIG, paths.shown(paths.PROJECT_CONFIG)
    return paths.user_config(), paths.shown(paths.user_config())
