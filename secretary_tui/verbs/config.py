"""`config`: the settings in force, where everything lives, and changes to one setting."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from secretary_tui import config, paths
from secretary_tui.config import SettingSource
from secretary_tui.screens.keymap import with_key_problems
from secretary_tui.setting_values import parse_value
from secretary_tui.settings import BY_KEY, SETTINGS, Setting
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError
from secretary_tui.verbs.output import note, say, say_json, say_table


def run(args: argparse.Namespace, options: Options) -> int:
    """Print the places or the settings, or change one of those.

    Raises:
        UsageError: there is no such place or setting, or it can't have that value there.
        ConfigError: the file can't be changed.
    """
    match args.config_verb:
        case "path":
            return _path(args.name, options.project)
        case "get":
            return _get(_known(args.key), options.project, as_json=args.json)
        case "set":
            return _set(_known(args.key), args.value, options.project, of_project=args.in_project)
        case "unset":
            return _unset(_known(args.key), options.project, of_project=args.in_project)
    return _list(options.project, as_json=args.json)


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


def _known(key: str) -> Setting:
    setting = BY_KEY.get(key)
    if setting is None:
        from secretary_tui.config_file import unknown_setting

        raise UsageError(unknown_setting(key))
    return setting


def _get(setting: Setting, project: Path, *, as_json: bool) -> int:
    settings = config.load(project)
    value, source = getattr(settings, setting.key), settings.source(setting.key)
    if as_json:
        found = {"value": _plain(value), "source": str(source), "default": _plain(setting.default)}
        say_json({"key": setting.key, **found, "help": setting.help}, indent=2)
    else:
        say(_shown(value))
    return ExitCode.DONE


def _set(setting: Setting, text: str, project: Path, *, of_project: bool) -> int:
    from secretary_tui import config_file

    path = _file(setting, project, of_project=of_project)
    value: object = text
    if isinstance(setting.default, Mapping):
        from secretary_tui.strict_yaml import StrictYamlError, load_value

        try:
            value = load_value(text)
        except StrictYamlError as error:
            raise UsageError(f"{setting.key} wants a table in YAML or JSON: {error}") from None
    try:
        parse_value(setting, value)
    except ValueError as error:
        raise UsageError(f"{error}, not {text!r}") from None
    config_file.save(path, {setting.key: value})
    written = config.read_layer(path)
    where = f"in {path}" if setting.key in written else "as without a line for it"
    note(f"{setting.key}: {_shown(parse_value(setting, value))} ({where}).")
    _say_what_is_above(setting, project, of_project=of_project)
    return ExitCode.DONE


def _unset(setting: Setting, project: Path, *, of_project: bool) -> int:
    from secretary_tui import config_file

    path = _file(setting, project, of_project=of_project)
    stood = config_file.unset(path, setting.key)
    value = _shown(getattr(config.load(project), setting.key))
    gone = f"Taken out of {path}" if stood else f"It does not stand in {path}"
    note(f"{gone}; {setting.key} is {value or 'empty'} now." if stood else f"{gone}.")
    _say_what_is_above(setting, project, of_project=of_project)
    return ExitCode.DONE


def _file(setting: Setting, project: Path, *, of_project: bool) -> Path:
    """The settings file that is to be changed."""
    if of_project and setting.user_only:
        raise UsageError(
            f"a project's file can't set {setting.key}: a repository could bring one. Leave "
            "--in-project away"
        )
    return project / paths.PROJECT_CONFIG if of_project else paths.user_config()


def _say_what_is_above(setting: Setting, project: Path, *, of_project: bool) -> None:
    source = config.load(project).source(setting.key)
    if source is SettingSource.ENVIRONMENT:
        note(f"SECRETARY_TUI_{setting.key.upper()} in the environment stands above it.")
    elif source is SettingSource.PROJECT and not of_project and not setting.adds_up:
        note(f"{project / paths.PROJECT_CONFIG} stands above it here.")


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
