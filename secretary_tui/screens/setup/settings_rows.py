"""One setting as a row, and all that is to be known about it: layers, choices, who may set it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.content import Content

from secretary_tui import paths
from secretary_tui.config import Config, SettingSource, read_layer
from secretary_tui.setting_values import shown_value
from secretary_tui.settings import Setting

_DIM = "$foreground 60%"
_VALUE = 22


@dataclass(frozen=True, slots=True)
class Layers:
    """What the two files say, unchecked."""

    user: Mapping[str, Any]
    project: Mapping[str, Any]

    @classmethod
    def read(cls, project: Path) -> Layers:
        """Read both; blocking."""
        layer = read_layer(project / paths.PROJECT_CONFIG)
        return cls(read_layer(paths.user_config()), layer)


def describe_setting(setting: Setting, config: Config) -> Content:
    """One line: the key, the value in force, where it comes from."""
    value = shown_value(getattr(config, setting.key))
    value = value if len(value) <= _VALUE - 2 else f"{value[: _VALUE - 3]}…"
    source = config.source(setting.key)
    changed = source is not SettingSource.DEFAULT
    return Content.assemble(
        f"{setting.key:<24}",
        (f"{value:<{_VALUE}}", "bold $accent" if changed else ""),
        (f" {source}", "" if changed else _DIM),
    )


def explain_setting(setting: Setting, config: Config, layers: Layers) -> Content:
    """What it does, what it may be, what each layer says, and what keeps a change from holding."""
    parts: list[str | tuple[str, str]] = [setting.help]
    if setting.choices:
        parts.append((f"\n{' | '.join(setting.choices)}", "$text-accent"))
    elif setting.low is not None and setting.high is not None:
        parts.append((f"\n{setting.low:g} to {setting.high:g}", "$text-accent"))
    said = [f"default {shown_value(setting.default)}"]
    for name, layer in (("user", layers.user), ("project", layers.project)):
        if setting.key in layer:
            said.append(f"{name} {shown_value(layer[setting.key])[:60]}")
    parts.append((f"\n{' · '.join(said)}", _DIM))
    wrong = [f"\n{p.message}." for p in config.problems if p.key == setting.key]
    parts.append(("".join(wrong), "$text-warning"))
    if config.source(setting.key) is SettingSource.ENVIRONMENT:
        name = f"SECRETARY_TUI_{setting.key.upper()}"
        parts.append((f"\n{name} in the environment overrides this.", "$text-warning"))
    elif setting.user_only and setting.key in layers.project:
        said_here = "The project's file is ignored here: a repository could bring it."
        parts.append((f"\n{said_here}", "$text-warning"))
    elif setting.user_only:
        parts.append(("\nSet in your own file only: a repository may not decide this.", _DIM))
    elif setting.project_raises:
        parts.append(("\nA project's file can only raise it.", _DIM))
    return Content.assemble(*parts)


def fits(setting: Setting, config: Config, words: list[str]) -> bool:
    """Whether a setting has all words in its key, help, value or source."""
    value = shown_value(getattr(config, setting.key))
    text = f"{setting.key} {setting.help} {value} {config.source(setting.key)}".lower()
    return all(word in text for word in words)
