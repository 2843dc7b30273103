"""`config path` and `config list`: the settings in force and where everything lives."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from secretary_tui import config, paths
from secretary_tui.config import SETTINGS
from secretary_tui.screens.keymap import with_key_problems
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options, UsageError
from secretary_tui.verbs.output import note, say, say_json, say_table


def run(args: argparse.Namespace, options: Options) -> int:
    """Print the places, or the settings.

    Raises:
        UsageError: there is no place of that name.
    """
    if args.config_verb == "path":
        return _path(args.name, options.project)
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


def _plain(value: object) -> object:
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else str(value)
