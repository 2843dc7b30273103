"""Settings in force: the layers, and where each value came from. Which there are: `settings`.

A settings file is markdown with YAML frontmatter (seed 000, Interface 7). Layers, lowest first:
default, user file, project file, environment (`SECRETARY_TUI_<KEY>`), command line. A value that
doesn't fit is reported and skipped, never fatal. A repository can carry a project file of its own
making, so settings marked `user_only` are ignored there.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from secretary_tui import paths
from secretary_tui.setting_values import parse_value
from secretary_tui.settings import BY_KEY, DEFAULT_MODEL_ALIASES, SETTINGS, ActivationMode, Setting

MAX_BYTES = 64_000
"""The largest settings file that is read; a real one has some hundred bytes."""


class SettingSource(StrEnum):
    """Where a value came from, weakest first."""

    DEFAULT = "default"
    USER = "user"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A line of a settings file that was skipped, and why."""

    path: str
    key: str
    message: str


@dataclass(frozen=True, slots=True)
class Config:
    """Settings in force, with where each came from. Fields are the keys of `SETTINGS`."""

    activation_mode: ActivationMode = ActivationMode.MANUAL
    preferred_review_agents: tuple[str, ...] = ()
    auto_create_missing: bool = False
    supervision_level: str = "light"
    recommend_above: int = 70
    show_above: int = 50
    engine: str = "auto"
    engines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    local_model: str = ""
    default_model: str = "sonnet"
    routing_model: str = "haiku"
    local_refines: bool = False
    semantic: str = "auto"
    model_aliases: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_MODEL_ALIASES))
    routing_timeout_s: float = 5.0
    intent_threshold: float = 0.7
    permission_mode: str = "ask"
    claude_md: bool = True
    max_cost_usd: float = 0.0
    max_session_cost_usd: float = 0.0
    warn_cost_usd: float = 1.0
    max_parallel_runs: int = 5
    on_hangup: str = "stop"
    bundled_agents: bool = True
    agents_dir: str = ".claude/agents"
    agents_folders: tuple[str, ...] = ()
    disabled_agents: tuple[str, ...] = ()
    disabled_sources: tuple[str, ...] = ()
    watch: str = "auto"
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notify: str = "bell"
    terminal_title: bool = True
    terminal_progress: str = "auto"
    theme: str = "auto"
    glyphs: str = "auto"
    motion: str = "full"
    editing: str = "emacs"
    keys: Mapping[str, str] = field(default_factory=dict)
    mouse: bool = True
    plain: bool = False
    sources: Mapping[str, SettingSource] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    """The files that were read."""
    problems: tuple[ConfigProblem, ...] = ()

    def source(self, key: str) -> SettingSource:
        """Where the value of `key` came from."""
        return self.sources.get(key, SettingSource.DEFAULT)

    def override(self, **values: Any) -> Config:
        """Give a copy with values from the command line."""
        sources = {**self.sources, **dict.fromkeys(values, SettingSource.COMMAND_LINE)}
        return dataclasses.replace(self, sources=sources, **values)


def load(project: Path, environ: Mapping[str, str] = os.environ) -> Config:
    """Read all layers. Never raises: what can't be used is in `Config.problems`."""
    values: dict[str, Any] = {}
    sources: dict[str, SettingSource] = {}
    files: list[Path] = []
    problems: list[ConfigProblem] = []
    layers = (
        (paths.user_config(), SettingSource.USER),
        (project / paths.PROJECT_CONFIG, SettingSource.PROJECT),
    )
    for path, source in layers:
        frontmatter = _read(path, files, problems)
        for key, raw in frontmatter.items():
            setting = BY_KEY.get(key)
            if setting is None:
                continue  # Other tools keep settings of their own here.
            if setting.user_only and source is SettingSource.PROJECT:
                problems.append(
                    ConfigProblem(str(path), key, f"{key} is only read from {paths.user_config()}")
                )
                continue
            _take(setting, raw, source, str(path), values, sources, problems)
    for setting in SETTINGS:
        name = f"SECRETARY_TUI_{setting.key.upper()}"
        raw = environ.get(name)
        if raw is not None:
            parsed = _parse_scalar(raw)
            _take(setting, parsed, SettingSource.ENVIRONMENT, name, values, sources, problems)
    if "model_aliases" in values:
        values["model_aliases"] = {**DEFAULT_MODEL_ALIASES, **values["model_aliases"]}
    return Config(**values, sources=sources, files=tuple(files), problems=tuple(problems))


def read_list(path: Path, key: str) -> tuple[str, ...]:
    """A list setting as one file has it; empty when it is missing or is no list."""
    try:
        value: tuple[str, ...] = parse_value(BY_KEY[key], read_layer(path).get(key))
    except ValueError:
        return ()
    return value


def read_layer(path: Path) -> Mapping[str, Any]:
    """What one settings file says, unchecked; empty when it is missing or unusable."""
    return _read(path, [], [])


def read_text(path: Path) -> str:
    """Read a settings file, which may have come with a repository.

    Raises:
        OSError: it is no regular file of at most 64 kB, or it is a project's and leads elsewhere;
            a missing one is a `FileNotFoundError`.
        UnicodeDecodeError: it isn't UTF-8.
    """
    project = paths.project_of(path)
    if project is not None and not paths.stays_inside(path, paths.repository_root(project)):
        raise OSError("it is a link that leads out of the project; put a file in its place")
    return paths.read_small(path, MAX_BYTES).decode("utf-8-sig").replace("\r\n", "\n")


def _take(
    setting: Setting,
    raw: object,
    source: SettingSource,
    where: str,
    values: dict[str, Any],
    sources: dict[str, SettingSource],
    problems: list[ConfigProblem],
) -> None:
    try:
        value = parse_value(setting, raw)
        before = values.get(setting.key, setting.default)
        if source is SettingSource.PROJECT and setting.project_raises and value < before:
            message = f"a project can only raise {setting.key} above {before}, so it stays there"
            problems.append(ConfigProblem(where, setting.key, message))
            return
        if setting.adds_up:
            value = tuple(dict.fromkeys((*values.get(setting.key, ()), *value)))
        values[setting.key] = value
        sources[setting.key] = source
    except ValueError as error:
        shown = repr(raw)
        shown = shown if len(shown) <= 80 else f"{shown[:79]}…"
        problems.append(ConfigProblem(where, setting.key, f"{error}, not {shown}; ignored"))


def _parse_scalar(raw: str) -> object:
    from secretary_tui.strict_yaml import StrictYamlError, load_value

    try:
        return load_value(raw)
    except StrictYamlError:
        return raw


def split(text: str) -> tuple[str, str, str]:
    """Split a settings file into opening fence, frontmatter and the rest (closing fence included).

    Without frontmatter the first two are empty.
    """
    match = re.match(r"(---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z).*)", text, re.S | re.M)
    return (match[1], match[2], match[3]) if match else ("", "", text)


def _read(path: Path, files: list[Path], problems: list[ConfigProblem]) -> Mapping[str, Any]:
    try:
        text = read_text(path)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        problems.append(ConfigProblem(str(path), "", f"can't be read: {error}"))
        return {}
    files.append(path)
    from secretary_tui.strict_yaml import NotReadError, StrictYamlError, load_value

    try:
        data = load_value(split(text)[1])
    except StrictYamlError as error:
        what = "not read here" if isinstance(error, NotReadError) else "not valid YAML"
        message = f"line {error.line + 2}: {what}, so the file is ignored: {error}"
        problems.append(ConfigProblem(str(path), "", message))
        return {}
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        problems.append(ConfigProblem(str(path), "", "the frontmatter holds no settings"))
        return {}
    return {str(key): value for key, value in data.items()}
