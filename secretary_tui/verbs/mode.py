"""`mode [manual|aware|proactive]`: how much the secretary does unasked (seed 000 §4)."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from secretary_tui import config, config_file, paths
from secretary_tui.config import Config, SettingSource
from secretary_tui.lines.output import note, say
from secretary_tui.settings import ActivationMode
from secretary_tui.verbs.exit_codes import ExitCode
from secretary_tui.verbs.options import Options

WHAT_IT_DOES = {
    ActivationMode.MANUAL: "nothing happens unasked",
    ActivationMode.AWARE: (
        "new sessions are told that the secretary is there, and the best match shows as you type"
    ),
    ActivationMode.PROACTIVE: (
        "as aware, and each prompt with a strong match names that agent; you still choose"
    ),
}
"""One clause for each mode; the screen's mode switch says the same."""


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
    wanted = ActivationMode(args.mode)
    path = options.project / paths.PROJECT_CONFIG
    if config_file.save(path, {"activation_mode": wanted}):
        say(f"Config created at {paths.PROJECT_CONFIG}")
    old = before.activation_mode
    change = (
        f"Mode is {wanted} as before" if old is wanted else f"Mode changed from {old} to {wanted}"
    )
    say(f"{change}: {WHAT_IT_DOES[wanted]}.")
    after = config.load(options.project)
    if after.activation_mode is not wanted:
        note(f"{_origin(after, options.project)} sets {after.activation_mode}, and that wins here.")
    _warn(after)
    return ExitCode.DONE


def _current(settings: Config, project: Path) -> str:
    source = settings.source("activation_mode")
    if source is SettingSource.DEFAULT and not (project / paths.PROJECT_CONFIG).exists():
        return "Config not found. Using defaults (manual mode)."
    mode = settings.activation_mode
    return f"Mode is {mode} ({_origin(settings, project)}): {WHAT_IT_DOES[mode]}."


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
