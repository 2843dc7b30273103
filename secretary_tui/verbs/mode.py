"""`mode [manual|aware|proactive]`: how much the secretary does on its own (seed 000 §4)."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from secretary_tui import config, paths
from secretary_tui.config import Config, SettingSource
from secretary_tui.lines.output import note, say
from secretary_tui.setting_changes import change
from secretary_tui.settings import ActivationMode
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options


def run(args: argparse.Namespace, options: Options) -> int:
    """Show the mode, or write another one to the project's settings.

    Raises:
        ConfigError: the settings file can't be changed.
    """
    before = config.load(options.project)
    if args.mode is None:
        say(_current(before, options.project))
        _warn(before)
        return ExitCode.DONE
    wanted, old = ActivationMode(args.mode), before.activation_mode
    written = change(options.project, "activation_mode", wanted, in_project=True)
    if written.created:
        say(written.where)
    said = f"is {wanted} as before" if old is wanted else f"changed from {old} to {wanted}"
    say(f"Mode {said}: {wanted.about}.")
    if written.above:
        note(f"{written.above}.")
    _warn(config.load(options.project))
    return ExitCode.DONE


def _current(settings: Config, project: Path) -> str:
    source = settings.source("activation_mode")
    if source is SettingSource.DEFAULT and not (project / paths.PROJECT_CONFIG).exists():
        return "Config not found. Using defaults (manual mode)."
    mode = settings.activation_mode
    return f"Mode is {mode} ({_origin(settings, project)}): {mode.about}."


def _origin(settings: Config, project: Path) -> str:
    match settings.source("activation_mode"):
        case SettingSource.ENVIRONMENT:
            return "SECRETARY_TUI_ACTIVATION_MODE"
        case SettingSource.USER:
            return str(paths.user_config())
        case SettingSource.PROJECT:
            return os.fspath(paths.PROJECT_CONFIG)
        case _:
            return "default"


def _warn(settings: Config) -> None:
    for problem in settings.problems:
        key = f"{problem.key}: " if problem.key and problem.key not in problem.message else ""
        note(f"{problem.path}: {key}{problem.message}")
