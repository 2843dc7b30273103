"""Change one setting in the user's file or the project's, and say what that did.

The screen, the lines and the command line come through here: what is refused, where a value goes
and the sentence about it are the same in all of them. How a file is changed is in `config_file`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secretary_tui import config, config_file, paths
from secretary_tui.config import SettingSource
from secretary_tui.config_file import ConfigError, unknown_setting
from secretary_tui.setting_values import shown_value, typed_value
from secretary_tui.settings import BY_KEY, ActivationMode, Setting


class SettingRefusedError(ConfigError):
    """Nothing was written: no such setting, no such value, or not in a project's file."""


@dataclass(frozen=True, slots=True)
class SettingChange:
    """What became of a setting that was written."""

    said: str
    """The setting and its value."""
    created: str
    """The file that was made for it, as a message calls it; empty where there was one."""
    where: str
    """What became of the file."""
    above: str
    """What keeps the change from holding, such as a variable; empty for nothing."""

    def __str__(self) -> str:
        """All of it in a sentence without a period at its end."""
        above = f". {self.above}" if self.above else ""
        return f"{self.said} ({self.where}){above}"


def known_setting(key: str) -> Setting:
    """Find a setting by its key.

    Raises:
        SettingRefusedError: there is none; the message names those that look like it.
    """
    setting = BY_KEY.get(key)
    if setting is None:
        raise SettingRefusedError(unknown_setting(key))
    return setting


def settings_file(project: Path, *, in_project: bool) -> tuple[Path, str]:
    """The file that a change goes to, and what it is called in a message."""
    if in_project:
        return project / paths.PROJECT_CONFIG, paths.shown(paths.PROJECT_CONFIG)
    return paths.user_config(), paths.shown(paths.user_config())


def save_typed(project: Path, key: str, text: str, *, in_project: bool) -> str:
    """Write a value as somebody typed it; gives what `save` gives.

    Raises:
        SettingRefusedError: there is no such setting, or it can't be that, or not there.
        ConfigError: the file can't be changed.
    """
    setting = _writable(key, in_project=in_project)
    try:
        value = typed_value(setting, text)
    except ValueError as error:
        raise SettingRefusedError(f"{error}, not {text!r}") from None
    return save(project, key, value, in_project=in_project)


def save(project: Path, key: str, value: Any, *, in_project: bool) -> str:
    """Write a setting; says its value, what became of the file, and what stands above that.

    What it says has no period at its end.

    Raises:
        SettingRefusedError: there is no such setting, or a project can't bring it.
        ConfigError: the value doesn't fit, or the file can't be changed.
    """
    return str(change(project, key, value, in_project=in_project))


def change(project: Path, key: str, value: Any, *, in_project: bool) -> SettingChange:
    """Write a setting, as `save` does; gives what it says in parts.

    Raises:
        SettingRefusedError: there is no such setting, or a project can't bring it.
        ConfigError: the value doesn't fit, or the file can't be changed.
    """
    setting = _writable(key, in_project=in_project)
    path, name = settings_file(project, in_project=in_project)
    created = name if config_file.save(path, {key: value}) else ""
    if created:
        where = f"Config created at {name}"
    elif key in config.read_layer(path):
        where = f"saved in {name}"
    elif path.exists():
        where = f"as without a line in {name}"
    else:
        where = "as without a settings file"
    said = f"{key}: {shown_value(value)}"
    if key == "activation_mode":
        said = f"Mode {value}: {ActivationMode(value).about}"
    return SettingChange(said, created, where, _above(setting, project, in_project=in_project))


def take_out(project: Path, key: str, *, in_project: bool) -> str:
    """Take a setting out of a file; says the value that holds now, and what stands above the file.

    What it says has no period at its end.

    Raises:
        SettingRefusedError: there is no such setting, or a project can't bring it.
        ConfigError: the file can't be changed.
    """
    setting = _writable(key, in_project=in_project)
    path, name = settings_file(project, in_project=in_project)
    said = f"{key} does not stand in {name}"
    if config_file.unset(path, key):
        said = f"{key}: {shown_value(getattr(config.load(project), key))} (taken out of {name})"
    above = _above(setting, project, in_project=in_project)
    return f"{said}. {above}" if above else said


def _writable(key: str, *, in_project: bool) -> Setting:
    """Find a setting; raise `SettingRefusedError` where a project's file may not set it."""
    setting = known_setting(key)
    if in_project and setting.user_only:
        raise SettingRefusedError(
            f"a project's file can't set {setting.key}: a repository could bring one. It is only "
            f"read from {paths.shown(paths.user_config())}: leave --in-project out"
        )
    return setting


def _above(setting: Setting, project: Path, *, in_project: bool) -> str:
    """Says which higher layer keeps the change from holding; empty where none does."""
    source = config.load(project).source(setting.key)
    if source is SettingSource.ENVIRONMENT:
        name = f"SECRETARY_TUI_{setting.key.upper()}"
        return f"{name} in the environment stands above it"
    if source is SettingSource.PROJECT and not in_project and not setting.adds_up:
        return f"{settings_file(project, in_project=True)[1]} stands above it here"
    return ""
