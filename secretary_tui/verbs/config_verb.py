"""`config`: the settings in force, where everything lives, and changes to one setting."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from secretary_tui import config, paths
from secretary_tui.lines.output import note, say, say_json, say_table
from secretary_tui.screens.keymap import with_key_problems
from secretary_tui.setting_changes import (
    SettingRefusedError,
    known_setting,
    save_typed,
    take_out,
)
from secretary_tui.settings import SETTINGS, Setting
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError


def run(args: argparse.Namespace, options: Options) -> int:
    """Print the places or the settings, or change one of those.

    Raises:
        UsageError: there is no such place or setting, or it can't have that value there.
        ConfigError: the file can't be changed.
    """
    project = options.project
    try:
        match args.config_verb:
            case "path":
                return _path(args.name, project)
            case "get":
                return _get(known_setting(args.key), project, as_json=args.json)
            case "set":
                said = save_typed(project, args.key, args.value, in_project=args.in_project)
                return _say_change(said, args.key, project)
            case "unset":
                said = take_out(project, args.key, in_project=args.in_project)
                return _say_change(said, args.key, project)
    except SettingRefusedError as error:
        raise UsageError(str(error)) from None
    return _list(project, as_json=args.json)


def places(project: Path) -> Mapping[str, Path]:
    """Every place on disk by its name, `plugin` being what Claude Code loads."""
    return {
        "user": paths.user_config(),
        "project": project / paths.PROJECT_CONFIG,
        "models": paths.models_dir(),
        "runs": paths.runs_dir(),
        "log": paths.log_file(),
        "plugin": Path(__file__).resolve().parent.parent / "plugin",
    }


def _path(name: str | None, project: Path) -> int:
    known = places(project)
    if name is None:
        say_table(("name", "path"), [(key, str(path)) for key, path in known.items()])
    elif name in known:
        say(str(known[name]))
    else:
        raise UsageError(f"there is no place {name!r}; known are {', '.join(known)}")
    return ExitCode.DONE


def _list(project: Path, *, as_json: bool) -> int:
    settings = with_key_problems(config.load(project))
    rows = [
        (setting.key, getattr(settings, setting.key), settings.source(setting.key), setting.help)
        for setting in SETTINGS
    ]
    if as_json:
        say_json(
            {
                "settings": {
                    key: {"value": _plain(value), "source": str(source), "help": text}
                    for key, value, source, text in rows
                },
                "files": [str(path) for path in settings.files],
                "problems": [
                    {"path": problem.path, "key": problem.key, "message": problem.message}
                    for problem in settings.problems
                ],
            },
            indent=2,
        )
        return ExitCode.DONE
    say_table(
        ("key", "value", "source", "help"),
        [(key, _shown(value), str(source), text) for key, value, source, text in rows],
    )
    for problem in settings.problems:
        note(f"{problem.path}: {problem.message}")
    return ExitCode.DONE


def _get(setting: Setting, project: Path, *, as_json: bool) -> int:
    settings = config.load(project)
    value, source = getattr(settings, setting.key), settings.source(setting.key)
    if as_json:
        found = {"value": _plain(value), "source": str(source), "default": _plain(setting.default)}
        say_json({"key": setting.key, **found, "help": setting.help}, indent=2)
    else:
        say(_shown(value))
    return ExitCode.DONE


def _say_change(said: str, key: str, project: Path) -> int:
    """Say what became of a setting, and what its files say that can't be."""
    note(f"{said}.")
    for problem in config.load(project).problems:
        if problem.key == key:
            note(f"{problem.path}: {problem.message}.")
    return ExitCode.DONE


def _plain(value: object) -> object:
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _shown(value: object) -> str:
    """Say a value as the file and `config set` take it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else str(value)
